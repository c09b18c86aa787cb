/// What can go wrong between a client and a server, named by whose fault it is.
public enum ClientError: Error, Sendable, CustomStringConvertible {
    /// The server answered with an error.
    case remote(RemoteError)
    /// The answer to this method is not what the protocol says.
    case unlawful(method: String, fault: JSONFault)
    /// The connection ended before the answer came. The request may have run all the same: resume and read.
    case closed(String)
    /// No answer came in time. The request may have run all the same.
    case timeout(method: String)
    /// So many requests wait for an answer already; nothing was sent.
    case tooManyPending(Int)
    /// The message has more bytes than the server takes; nothing was sent.
    case tooLong(method: String, limit: Int)

    /// One line for people.
    public var description: String {
        switch self {
        case let .remote(error): "\(error)"
        case let .unlawful(method, fault): "the answer to \(method) is not what the protocol says: \(fault)"
        case let .closed(reason): "the connection has ended: \(reason)"
        case let .timeout(method): "\(method) got no answer in time"
        case let .tooManyPending(limit): "\(limit) requests wait for an answer already"
        case let .tooLong(method, limit): "\(method) was not sent: the server takes at most \(limit) bytes a message"
        }
    }
}

/// An error that the server answered with.
public struct RemoteError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The number of the error, that of a row of the error table where it is one.
    public let code: Int
    /// What the server says, for people.
    public let message: String
    /// What it says for programs; nil where it says nothing.
    public let data: JSONValue?

    /// The row of the error table, where the code is one that this version knows.
    public var known: ErrorCode? { ErrorCode(rawValue: code) }

    /// One line for people.
    public var description: String { "\(known?.name ?? "error") (\(code)): \(message)" }
}

/// What a request of the server is answered with when it is not served; a handler throws it.
public struct Refusal: Error, Sendable {
    /// The row of the error table.
    public let code: ErrorCode
    /// What is wrong, for people.
    public let message: String
    /// The members of `data` that the error table asks for.
    public let particulars: JSONObject

    /// A refusal; whether it may be tried again is said by the error table.
    public init(_ code: ErrorCode, _ message: String, particulars: JSONObject = [:]) {
        self.code = code
        self.message = message
        self.particulars = particulars
    }

    var error: JSONObject {
        var data = particulars
        data["code"] = .string(code.name)
        data["retryable"] = .bool(code.isRetryable)
        return ["code": .integer(code.rawValue), "message": .string(message), "data": .object(data)]
    }
}
