/// A request that a client sends, with the types of its params and its reply.
public struct ClientRequestMethod<Params: JSONRepresentable, Reply: JSONRepresentable>: Hashable, Sendable {
    public let name: String

    public init(_ name: String) { self.name = name }
}

/// A notification that a client sends.
public struct ClientNotificationMethod<Params: JSONRepresentable>: Hashable, Sendable {
    public let name: String

    public init(_ name: String) { self.name = name }
}

/// A request that a server sends, with the types of its params and its reply.
public struct ServerRequestMethod<Params: JSONRepresentable, Reply: JSONRepresentable>: Hashable, Sendable {
    public let name: String

    public init(_ name: String) { self.name = name }
}

/// A notification that a server sends.
public struct ServerNotificationMethod<Params: JSONRepresentable>: Hashable, Sendable {
    public let name: String

    public init(_ name: String) { self.name = name }
}

/// What the protocol says of a method beside its types.
public struct MethodRow: Hashable, Sendable {
    public enum Sender: Sendable {
        case client, server, both
    }

    public enum Kind: Sendable {
        case request, notification
    }

    public let name: String
    public let sender: Sender
    public let kind: Kind
    /// The capability that it comes with; nil where it is always there.
    public let capability: String?
    public let errors: [String]
    public let emits: [String]
    public let isDurable: Bool
    public let isExperimental: Bool

    init(
        _ name: String, sender: Sender, kind: Kind, capability: String?, errors: [String], emits: [String],
        isDurable: Bool, isExperimental: Bool
    ) {
        self.name = name
        self.sender = sender
        self.kind = kind
        self.capability = capability
        self.errors = errors
        self.emits = emits
        self.isDurable = isDurable
        self.isExperimental = isExperimental
    }
}

/// What one side offers, and which methods and members stand behind the offer.
public struct Capability: Hashable, Sendable {
    public let key: String
    public let promise: String
    public let methods: [String]
    public let members: [String]

    init(_ key: String, promise: String, methods: [String], members: [String]) {
        self.key = key
        self.promise = promise
        self.methods = methods
        self.members = members
    }
}

/// The states of something, and which event leads from which to which.
public struct StateMachine: Hashable, Sendable {
    public let initial: String
    public let terminal: Set<String>
    public let moves: [String: [String: String]]

    init(initial: String, terminal: Set<String>, moves: [String: [String: String]]) {
        self.initial = initial
        self.terminal = terminal
        self.moves = moves
    }

    /// The state after an event; nil where the event cannot come in that state.
    public func next(from state: String, on event: String) -> String? {
        moves[state]?[event]
    }
}
