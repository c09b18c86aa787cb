#if os(Linux) || os(macOS)
    import Dispatch

    #if canImport(Glibc)
        import Glibc
    #else
        // macOS is written from its manual and has not been run.
        import Darwin
    #endif

    /// A server as a child process, spoken to over its stdin and stdout; its stderr is ours.
    ///
    /// It is started from a list of words, never by a shell, in a process group of its own. When the connection ends,
    /// nothing of that group is left.
    public final class ProcessTransport: Transport {
        private let words: [String]
        private let child = Child()
        private let writing = DispatchQueue(label: "turnwire.stdin")

        /// The first word is the program, found on the path unless it has a slash.
        public init(_ words: [String]) {
            self.words = words
        }

        public func open() async throws -> AsyncStream<Arrival> {
            // Who writes to a server that is gone must hear of it by the call, not by a signal that ends the program.
            signal(SIGPIPE, SIG_IGN)
            let output = try child.start(words)
            let (stream, arrivals) = AsyncStream<Arrival>.makeStream()
            DispatchQueue(label: "turnwire.stdout").async { [child] in
                Self.read(output, into: arrivals)
                arrivals.yield(.ended(child.lastWords()))
                arrivals.finish()
            }
            return stream
        }

        public func send(_ message: [UInt8]) {
            writing.async { [child] in child.write(message + [UInt8(ascii: "\n")]) }
        }

        public func close() async {
            // What was sent goes before the end of the input, but not for ever.
            DispatchQueue.global().asyncAfter(deadline: .now() + Child.exitSeconds) { [child] in child.abandon() }
            await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
                writing.async { [child] in
                    child.end()
                    done.resume()
                }
            }
        }

        private static func read(_ output: Int32, into arrivals: AsyncStream<Arrival>.Continuation) {
            var splitter = LineSplitter()
            var chunk = [UInt8](repeating: 0, count: 64 * 1024)
            while true {
                let count = Int(chunk.withUnsafeMutableBytes { systemRead(output, $0.baseAddress, $0.count) })
                if count < 0 && errno == EINTR { continue }
                guard count > 0 else { break }
                for arrival in splitter.feed(chunk[..<count]) { arrivals.yield(arrival) }
            }
            for arrival in splitter.finish() { arrivals.yield(arrival) }
            systemClose(output)
        }
    }

    #if canImport(Glibc)
        let systemRead = Glibc.read
        let systemWrite = Glibc.write
        @discardableResult
        func systemClose(_ file: Int32) -> Int32 { Glibc.close(file) }
    #else
        let systemRead = Darwin.read
        let systemWrite = Darwin.write
        @discardableResult
        func systemClose(_ file: Int32) -> Int32 { Darwin.close(file) }
    #endif
#endif
