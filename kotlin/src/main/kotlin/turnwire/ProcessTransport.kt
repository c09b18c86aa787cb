/**
 * A server as a child process, spoken to over its stdin and stdout.
 *
 * It is started from an argument vector, never from a shell string; when the connection ends it is gone, with the
 * processes that it had started.
 */

package turnwire

import java.io.File
import java.io.IOException
import java.io.InputStream
import java.io.OutputStream
import java.util.concurrent.TimeUnit
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.Job
import kotlinx.coroutines.SupervisorJob
import kotlinx.coroutines.cancel
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.channels.ClosedSendChannelException
import kotlinx.coroutines.channels.ReceiveChannel
import kotlinx.coroutines.launch
import kotlinx.coroutines.withContext
import kotlinx.coroutines.withTimeoutOrNull

/** The pipes of one child process. */
public class ProcessTransport(
    /** The command and its words. */
    public val argv: List<String>,
    /** Its working directory; null means ours. */
    private val directory: File? = null,
    /** What its environment has beside ours. */
    private val environment: Map<String, String> = emptyMap(),
    /** Where its stderr goes; ours unless said otherwise. */
    private val stderr: ProcessBuilder.Redirect = ProcessBuilder.Redirect.INHERIT,
    /** The longest message that is read. */
    private val messageBytes: Int = MESSAGE_BYTES,
) : Transport {
    private val scope = CoroutineScope(SupervisorJob() + Dispatchers.IO)
    private val outgoing = Channel<String>(QUEUED_MESSAGES)
    private val incoming = Channel<Incoming>(QUEUED_MESSAGES)
    private var process: Process? = null
    private var writing: Job? = null

    /** The process id, once it is started. */
    public val pid: Long? get() = process?.pid()

    override suspend fun open(): ReceiveChannel<Incoming> {
        val started = withContext(Dispatchers.IO) { start() }
        process = started
        writing = scope.launch { write(started.outputStream) }
        scope.launch { read(started) }
        return incoming
    }

    override suspend fun send(message: String) {
        try {
            outgoing.send(message)
        } catch (_: ClosedSendChannelException) {
            return
        }
    }

    override suspend fun close() {
        outgoing.close()
        process?.let { withContext(Dispatchers.IO) { endOrKill(it) } }
        scope.cancel()
    }

    private fun start(): Process {
        if (argv.isEmpty()) throw ConnectionClosedException("no command was given")
        val builder = ProcessBuilder(argv).directory(directory).redirectError(stderr)
        builder.environment().putAll(environment)
        return try {
            builder.start()
        } catch (error: IOException) {
            throw ConnectionClosedException("cannot start ${argv.first()}: ${error.message}", error)
        }
    }

    private suspend fun write(stdin: OutputStream) {
        try {
            stdin.use {
                for (message in outgoing) {
                    it.write("$message\n".toByteArray())
                    while (true) it.write("${outgoing.tryReceive().getOrNull() ?: break}\n".toByteArray())
                    it.flush()
                }
            }
        } catch (_: IOException) {
            // What a process that has exited does not read is lost without an error; its end is told by its output.
            outgoing.close()
        }
    }

    private suspend fun read(process: Process) {
        val lines = LineReader(messageBytes)
        readChunks(process.inputStream) { chunk, count -> for (line in lines.feed(chunk, count)) incoming.send(line) }
        for (line in lines.finish()) incoming.send(line)
        incoming.send(Incoming.End(lastWords(process)))
        incoming.close()
    }

    private inline fun readChunks(stdout: InputStream, take: (ByteArray, Int) -> Unit) {
        val chunk = ByteArray(CHUNK_BYTES)
        try {
            while (true) {
                val count = stdout.read(chunk)
                if (count < 0) return
                take(chunk, count)
            }
        } catch (_: IOException) {
            // A stream that was closed has ended.
            return
        }
    }

    /** How the process ended, if it did. */
    private fun lastWords(process: Process): String {
        val hasExited = process.waitFor(LAST_WORDS_MS, TimeUnit.MILLISECONDS)
        return if (hasExited) "the server exited with status ${process.exitValue()}" else "the server closed its output"
    }

    /** The end of its input asks the server to exit; what does not heed it is killed, and what it left behind too. */
    private suspend fun endOrKill(process: Process) {
        // Once it has exited, nothing tells any more what it had started.
        val children = process.descendants().toList()
        withTimeoutOrNull(EXIT_MS) { writing?.join() }
        if (!process.waitFor(EXIT_MS, TimeUnit.MILLISECONDS)) process.destroy()
        if (!process.waitFor(TERM_MS, TimeUnit.MILLISECONDS)) process.destroyForcibly().waitFor()
        for (child in children) child.destroyForcibly()
    }
}

private const val QUEUED_MESSAGES = 64
private const val CHUNK_BYTES = 64 * 1024

// STDIO-13: a server exits "within 5 seconds" of the end of its input; a little more for the machine.
private const val EXIT_MS = 5500L

// STDIO-15 gives a server time after SIGTERM, but one that did not heed the end of its input has had its time.
private const val TERM_MS = 1000L

// A process whose output has ended mostly ends at once.
private const val LAST_WORDS_MS = 1000L
