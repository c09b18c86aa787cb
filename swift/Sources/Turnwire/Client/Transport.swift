/// The way to a server: whole messages in both directions.
public protocol Transport: Sendable {
    /// Opens the way and gives what comes over it, to its end. It is called once. Throws `ClientError.closed`.
    func open() async throws -> AsyncStream<Arrival>
    /// Sends one message; to a server that is gone it is lost.
    func send(_ message: [UInt8])
    /// Ends the connection; when it returns, nothing of it is left.
    func close() async
}

/// What comes from a server.
public enum Arrival: Sendable {
    /// One message, as it came.
    case message([UInt8])
    /// What could not be read as a message, and why.
    case unreadable(String)
    /// Nothing more comes, and why.
    case ended(String)
}

/// Cuts a stream of bytes into lines; any split of the stream gives the same lines.
struct LineSplitter {
    // LIM-1: a server says how long its messages can be; until then nothing longer than this is kept.
    static let messageBytes = 16 * 1024 * 1024

    private var held: [UInt8] = []
    private var isSkipping = false

    /// What these bytes complete; empty lines are left out.
    mutating func feed(_ bytes: some Collection<UInt8>) -> [Arrival] {
        var arrivals: [Arrival] = []
        var rest = bytes[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            hold(rest[..<end], &arrivals)
            complete(&arrivals)
            rest = rest[rest.index(after: end)...]
        }
        hold(rest, &arrivals)
        return arrivals
    }

    /// STDIO-9: "A last line without `\n` before the end of input is processed."
    mutating func finish() -> [Arrival] {
        var arrivals: [Arrival] = []
        complete(&arrivals)
        return arrivals
    }

    private mutating func hold(_ piece: some Collection<UInt8>, _ arrivals: inout [Arrival]) {
        guard !isSkipping else { return }
        held += piece
        if held.count > Self.messageBytes {
            arrivals.append(.unreadable("a line has more than \(Self.messageBytes) bytes"))
            (held, isSkipping) = ([], true)
        }
    }

    private mutating func complete(_ arrivals: inout [Arrival]) {
        if held.last == UInt8(ascii: "\r") { held.removeLast() }
        if !held.isEmpty { arrivals.append(.message(held)) }
        (held, isSkipping) = ([], false)
    }
}
