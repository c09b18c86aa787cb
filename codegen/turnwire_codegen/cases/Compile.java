import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.jetbrains.kotlin.cli.common.ExitCode;
import org.jetbrains.kotlin.cli.jvm.K2JVMCompiler;

/**
 * Compiles several programs in one process, since the compiler takes longer to get going than most of them take.
 *
 * <p>Each word is a folder: its file `words` has the words of the compiler, a line each; the file `told` gets what the
 * compiler says, and a line of the output has the exit code and the seconds of the processor.
 */
public final class Compile {
    private Compile() {}

    public static void main(String[] folders) throws Exception {
        for (String folder : folders) {
            Duration begun = processor();
            String[] words = Files.readAllLines(Path.of(folder, "words")).toArray(String[]::new);
            try (PrintStream told = new PrintStream(Path.of(folder, "told").toFile(), StandardCharsets.UTF_8)) {
                ExitCode code = new K2JVMCompiler().exec(told, words);
                System.out.println(code.getCode() + " " + processor().minus(begun).toMillis() / 1e3);
            }
        }
    }

    private static Duration processor() {
        return ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO);
    }
}
