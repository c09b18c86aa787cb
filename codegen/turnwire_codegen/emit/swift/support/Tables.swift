/// A request that a client sends, with the types of its params and its reply.
public struct ClientRequestMethod<Params: JSONRepresentable, Reply: JSONRepresentable>: Hashable, Sendable {
    /// What it is called on the wire.
    public let name: String

    /// A method that is called so; the protocol's own are constants of this type.
    public init(_ name: String) { self.name = name }
}

/// A notification that a client sends.
public struct ClientNotificationMethod<Params: JSONRepresentable>: Hashable, Sendable {
    /// What it is called on the wire.
    public let name: String

    /// A method that is called so; the protocol's own are constants of this type.
    public init(_ name: String) { self.name = name }
}

/// A request that a server sends, with the types of its params and its reply.
public struct ServerRequestMethod<Params: JSONRepresentable, Reply: JSONRepresentable>: Hashable, Sendable {
    /// What it is called on the wire.
    public let name: String

    /// A method that is called so; the protocol's own are constants of this type.
    public init(_ name: String) { self.name = name }
}

/// A notification that a server sends.
public struct ServerNotificationMethod<Params: JSONRepresentable>: Hashable, Sendable {
    /// What it is called on the wire.
    public let name: String

    /// A method that is called so; the protocol's own are constants of this type.
    public init(_ name: String) { self.name = name }
}

/// What the protocol says of a method beside its types.
public struct MethodRow: Hashable, Sendable {
    /// Which side may send it.
    public enum Sender: Sendable {
        case client, server, both
    }

    /// Whether it is answered.
    public enum Kind: Sendable {
        case request, notification
    }

    /// What it is called on the wire.
    public let name: String
    /// Which side may send it.
    public let sender: Sender
    /// Whether it is answered.
    public let kind: Kind
    /// The capability that it comes with; nil where it is always there.
    public let capability: String?
    /// The errors that its answer may be, by name.
    public let errors: [String]
    /// The notifications that come of it.
    public let emits: [String]
    /// Whether what it does outlasts the server's process.
    public let isDurable: Bool
    /// Whether it needs the opt-in for what is experimental.
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
    /// The member of the capabilities that declares it.
    public let key: String
    /// What who declares it promises.
    public let promise: String
    /// The methods that are there only with it.
    public let methods: [String]
    /// The members of params and results that are there only with it.
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
    /// Where everything begins.
    public let initial: String
    /// What nothing leaves.
    public let terminal: Set<String>
    /// By state and event, the state after it.
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
