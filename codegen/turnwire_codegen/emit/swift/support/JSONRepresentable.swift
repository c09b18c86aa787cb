/// A type that is read from JSON and written back. It is also `Codable`, so that any coder can hold it.
public protocol JSONRepresentable: Codable, Hashable, Sendable {
    /// Throws a `JSONFault` that says where the value is none of this type.
    init(json: JSONValue) throws
    /// Writes the value, and nothing else.
    func write(to writer: inout JSONWriter)
}

/// Where a value first breaks its type or its schema (a JSON pointer, empty at the value itself), and by which rule.
public struct JSONFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// The JSON pointer, empty at the value itself.
    public var pointer: String
    /// The rule that is broken: `type`, `required`, `bound`, …
    public let rule: String

    /// A fault of the value itself, or at a pointer below it.
    public init(pointer: String = "", rule: String) {
        self.pointer = pointer
        self.rule = rule
    }

    /// One line for people.
    public var description: String { "\(rule) at \(pointer.isEmpty ? "the value itself" : pointer)" }

    /// The same fault seen from above a member.
    public func under(_ name: String) -> JSONFault {
        JSONFault(pointer: JSONFault.step(name) + pointer, rule: rule)
    }

    /// The same fault seen from above an item.
    public func under(_ index: Int) -> JSONFault {
        JSONFault(pointer: "/\(index)\(pointer)", rule: rule)
    }

    /// A member's name as one step of a pointer.
    static func step(_ name: String) -> String {
        var step = "/"
        for scalar in name.unicodeScalars {
            switch scalar {
            case "~": step += "~0"
            case "/": step += "~1"
            default: step.unicodeScalars.append(scalar)
            }
        }
        return step
    }
}

extension JSONRepresentable {
    /// Reads a JSON text. Throws `JSONSyntaxFault` or `JSONFault`.
    public init(parsing bytes: some Sequence<UInt8>) throws {
        try self.init(json: JSONValue(parsing: bytes))
    }

    /// Reads a JSON text. Throws `JSONSyntaxFault` or `JSONFault`.
    public init(parsing text: String) throws {
        try self.init(json: JSONValue(parsing: text))
    }

    /// The one spelling of the value, as UTF-8.
    public var jsonBytes: [UInt8] {
        var writer = JSONWriter()
        write(to: &writer)
        return writer.bytes
    }

    /// The value without its type.
    public func asJSON() throws -> JSONValue {
        try JSONValue(parsing: jsonBytes)
    }
}

/// A member that may be absent, null, or there: three different things.
public enum Presence<Value> {
    /// It is not written.
    case absent
    /// It is null.
    case null
    /// It has a value.
    case present(Value)

    /// The value, where there is one.
    public var value: Value? {
        if case let .present(value) = self { return value }
        return nil
    }
}

extension Presence: Sendable where Value: Sendable {}
extension Presence: Equatable where Value: Equatable {}
extension Presence: Hashable where Value: Hashable {}

/// Holds a value elsewhere, so that a structure can hold one of its own kind.
@propertyWrapper
public indirect enum Indirect<Value> {
    /// The value.
    case value(Value)

    /// Holds this value.
    public init(wrappedValue: Value) { self = .value(wrappedValue) }

    /// The value.
    public var wrappedValue: Value {
        get {
            switch self {
            case let .value(value): return value
            }
        }
        set { self = .value(newValue) }
    }
}

extension Indirect: Sendable where Value: Sendable {}
extension Indirect: Equatable where Value: Equatable {}
extension Indirect: Hashable where Value: Hashable {}

extension JSONValue: JSONRepresentable {
    /// Never fails, and is marked all the same: a `try` before what cannot throw would be a warning to who generates it.
    public init(json: JSONValue) throws { self = json }

    public func write(to writer: inout JSONWriter) {
        switch self {
        case .null: writer.null()
        case let .bool(value): writer.bool(value)
        case let .integer(value): writer.integer(value)
        case let .wide(digits): writer.raw(digits.text)
        case let .double(value): writer.double(value)
        case let .string(value): writer.string(value)
        case let .array(items): items.write(to: &writer)
        case let .object(members): members.write(to: &writer)
        }
    }
}

extension JSONNull: JSONRepresentable {
    public init(json: JSONValue) throws {
        guard case .null = json else { throw JSONFault(rule: "type") }
    }

    public func write(to writer: inout JSONWriter) { writer.null() }
}

extension Bool: JSONRepresentable {
    public init(json: JSONValue) throws {
        guard case let .bool(value) = json else { throw JSONFault(rule: "type") }
        self = value
    }

    public func write(to writer: inout JSONWriter) { writer.bool(self) }
}

extension Int: JSONRepresentable {
    public init(json: JSONValue) throws {
        switch json {
        case let .integer(value): self = value
        case let .double(value):
            guard let whole = wholeNumber(value) else { throw JSONFault(rule: "type") }
            self = whole
        default: throw JSONFault(rule: "type")
        }
    }

    public func write(to writer: inout JSONWriter) { writer.integer(self) }
}

extension UInt64: JSONRepresentable {
    public init(json: JSONValue) throws {
        let whole: UInt64? =
            switch json {
            case let .integer(value): UInt64(exactly: value)
            case let .wide(digits): UInt64(digits.text)
            case let .double(value): 0x1p63..<0x1p64 ~= value ? UInt64(value) : nil
            default: nil
            }
        guard let whole else { throw JSONFault(rule: json.isNumber ? "bound" : "type") }
        self = whole
    }

    public func write(to writer: inout JSONWriter) { writer.integer(self) }
}

extension Double: JSONRepresentable {
    public init(json: JSONValue) throws {
        guard let value = json.asDouble else { throw JSONFault(rule: "type") }
        self = value
    }

    public func write(to writer: inout JSONWriter) { writer.double(self) }
}

extension String: JSONRepresentable {
    public init(json: JSONValue) throws {
        guard case let .string(value) = json else { throw JSONFault(rule: "type") }
        self = value
    }

    public func write(to writer: inout JSONWriter) { writer.string(self) }
}

extension Optional: JSONRepresentable where Wrapped: JSONRepresentable {
    /// nil is null here; a member that is absent is not read at all.
    public init(json: JSONValue) throws {
        if case .null = json { self = nil } else { self = .some(try Wrapped(json: json)) }
    }

    public func write(to writer: inout JSONWriter) {
        if let self { self.write(to: &writer) } else { writer.null() }
    }
}

extension Array: JSONRepresentable where Element: JSONRepresentable {
    public init(json: JSONValue) throws {
        guard case let .array(items) = json else { throw JSONFault(rule: "type") }
        self.init()
        reserveCapacity(items.count)
        for item in items {
            do {
                append(try Element(json: item))
            } catch let fault as JSONFault {
                throw fault.under(count)
            }
        }
    }

    public func write(to writer: inout JSONWriter) {
        writer.beginArray()
        for item in self { item.write(to: &writer) }
        writer.endArray()
    }
}

extension JSONMap: JSONRepresentable, Codable where Value: JSONRepresentable {
    public init(json: JSONValue) throws {
        guard case let .object(members) = json else { throw JSONFault(rule: "type") }
        self = try members.mapped()
    }

    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.members(of: self)
        writer.endObject()
    }
}

extension JSONMap where Value == JSONValue {
    /// The same members with their values read as another type.
    func mapped<Other: JSONRepresentable>() throws -> JSONMap<Other> {
        if let same = self as? JSONMap<Other> { return same }
        return JSONMap<Other>(
            try entries.map { entry in
                do {
                    return JSONMap<Other>.Entry(name: entry.name, value: try Other(json: entry.value))
                } catch let fault as JSONFault {
                    throw fault.under(entry.name)
                }
            }
        )
    }
}

extension JSONRepresentable where Self: RawRepresentable, RawValue == String {
    public init(json: JSONValue) throws {
        guard case let .string(text) = json else { throw JSONFault(rule: "type") }
        // Strings are equal to Swift when they look alike; to JSON they are not.
        guard let value = Self(rawValue: text), JSONName(value.rawValue) == JSONName(text) else {
            throw JSONFault(rule: "const")
        }
        self = value
    }

    public func write(to writer: inout JSONWriter) { writer.string(rawValue) }
}
