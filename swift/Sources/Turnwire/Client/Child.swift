#if os(Linux) || os(macOS)
    import Dispatch

    #if canImport(Glibc)
        import Glibc
    #else
        import Darwin
    #endif

    /// One child process with pipes to its stdin and from its stdout; may be used from any thread.
    final class Child: @unchecked Sendable {
        // STDIO-13: a server exits "within 5 seconds" of the end of its input; a little more for the machine.
        static let exitSeconds = 5.5
        // A server that did not heed the end of its input has had its time.
        private static let termSeconds = 1.0
        // How soon a write that waits sees that it is abandoned.
        private static let pollMilliseconds: Int32 = 50

        private let lock = DispatchSemaphore(value: 1)
        private var pid: pid_t = 0
        private var input: Int32 = -1
        private var isAbandoned = false
        private var status: Int32?

        /// Starts the program; the reading end of its stdout. Throws `ClientError.closed`.
        func start(_ words: [String]) throws -> Int32 {
            guard let program = words.first else { throw ClientError.closed("no command was given") }
            var (toChild, fromChild): ([Int32], [Int32]) = ([-1, -1], [-1, -1])
            guard pipe(&toChild) == 0, pipe(&fromChild) == 0 else { throw ClientError.closed("no pipe can be had") }
            // What stays here is not for the child, or it would never see the end of its input.
            _ = fcntl(toChild[1], F_SETFD, FD_CLOEXEC)
            _ = fcntl(fromChild[0], F_SETFD, FD_CLOEXEC)
            // A write to a server that reads no more must be able to give up.
            _ = fcntl(toChild[1], F_SETFL, O_NONBLOCK)
            let failure = spawn(words, input: toChild, output: fromChild)
            systemClose(toChild[0])
            systemClose(fromChild[1])
            guard failure == 0 else {
                systemClose(toChild[1])
                systemClose(fromChild[0])
                throw ClientError.closed("cannot start \(program): \(String(cString: strerror(failure)))")
            }
            locked { input = toChild[1] }
            return fromChild[0]
        }

        /// Writes all of it, however slowly it is read; what a process that has exited does not read is lost.
        func write(_ bytes: [UInt8]) {
            let file = locked { input }
            var written = 0
            while file >= 0, written < bytes.count {
                let count = bytes[written...].withUnsafeBytes { systemWrite(file, $0.baseAddress, $0.count) }
                if count > 0 {
                    written += count
                } else if count < 0 && errno == EAGAIN {
                    guard hasRoom(file) else { return }
                } else if count == 0 || errno != EINTR {
                    return
                }
            }
        }

        /// From now on what a server does not read at once is lost, so that no write waits any longer.
        func abandon() {
            locked { isAbandoned = true }
        }

        /// Ends the child: the end of its input asks it to exit, and what does not heed it is killed.
        func end() {
            let file = locked { () -> Int32 in
                defer { input = -1 }
                return input
            }
            guard file >= 0 else { return }
            systemClose(file)
            for (patience, next) in [(Self.exitSeconds, SIGTERM), (Self.termSeconds, SIGKILL)] {
                if hasExited(within: patience) { break }
                kill(-pid, next)
            }
            _ = hasExited(within: Self.termSeconds)
            // What it left behind in its group goes with it.
            kill(-pid, SIGKILL)
        }

        /// How the process ended, if it did.
        func lastWords() -> String {
            guard hasExited(within: Self.termSeconds), let status = locked({ status }) else {
                return "the server closed its output"
            }
            let killer = status & 0x7F
            return killer == 0
                ? "the server exited with status \(status >> 8 & 0xFF)" : "the server was killed by signal \(killer)"
        }

        /// Waits until the pipe takes more; false where nobody waits for that any longer.
        private func hasRoom(_ file: Int32) -> Bool {
            var asked = pollfd(fd: file, events: Int16(POLLOUT), revents: 0)
            while poll(&asked, 1, Self.pollMilliseconds) <= 0 {
                if locked({ isAbandoned }) { return false }
            }
            return true
        }

        private func spawn(_ words: [String], input: [Int32], output: [Int32]) -> Int32 {
            var (actions, attributes) = (posix_spawn_file_actions_t(), posix_spawnattr_t())
            posix_spawn_file_actions_init(&actions)
            posix_spawnattr_init(&attributes)
            defer {
                posix_spawn_file_actions_destroy(&actions)
                posix_spawnattr_destroy(&attributes)
            }
            posix_spawn_file_actions_adddup2(&actions, input[0], 0)
            posix_spawn_file_actions_adddup2(&actions, output[1], 1)
            for file in [input[0], output[1]] where file > 1 { posix_spawn_file_actions_addclose(&actions, file) }
            posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
            var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
            defer { for argument in arguments { free(argument) } }
            return posix_spawnp(&pid, words[0], &actions, &attributes, &arguments, environ)
        }

        private func hasExited(within seconds: Double) -> Bool {
            let deadline = DispatchTime.now() + seconds
            while true {
                if locked({ reap() }) { return true }
                guard DispatchTime.now() < deadline else { return false }
                usleep(5_000)
            }
        }

        private func reap() -> Bool {
            guard status == nil else { return true }
            var found: Int32 = 0
            guard waitpid(pid, &found, WNOHANG) == pid else { return false }
            status = found
            return true
        }

        private func locked<Result>(_ body: () -> Result) -> Result {
            lock.wait()
            defer { lock.signal() }
            return body()
        }
    }
#endif
