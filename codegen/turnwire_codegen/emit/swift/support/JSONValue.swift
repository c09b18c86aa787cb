/// Any JSON value, exactly: whole numbers of any size, members by their very code points.
///
/// `integer` holds every whole number that fits, however it was written; `wide` those that do not.
public enum JSONValue: Sendable {
    /// null
    case null
    /// true or false
    case bool(Bool)
    /// A whole number that an `Int` holds.
    case integer(Int)
    /// A whole number beyond that, exactly.
    case wide(JSONDigits)
    /// A number with a fraction, or one beyond any `Int` that is written as one.
    case double(Double)
    /// A text.
    case string(String)
    /// Items.
    case array([JSONValue])
    /// Members.
    case object(JSONObject)
}

/// The digits of a whole number that is greater or less than any `Int`.
public struct JSONDigits: Hashable, Sendable, CustomStringConvertible {
    let text: String

    /// nil for what an `Int` holds, and for what JSON does not write so.
    public init?(_ text: String) {
        let digits = text.utf8.first == UInt8(ascii: "-") ? text.utf8.dropFirst() : text.utf8[...]
        guard digits.first != UInt8(ascii: "0"), digits.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }),
            !digits.isEmpty, Int(text) == nil
        else { return nil }
        self.text = text
    }

    /// Digits that are known to be such.
    init(known text: String) { self.text = text }

    /// The digits.
    public var description: String { text }
}

/// An object whose members can be anything.
public typealias JSONObject = JSONMap<JSONValue>

/// An object whose member names are data, in the order of their code points.
///
/// Unlike a dictionary of strings it takes two names for the same only when they have the same code points.
public struct JSONMap<Value> {
    /// One member.
    public struct Entry {
        /// What it is called; any text.
        public let name: String
        /// What it is.
        public var value: Value

        /// A member of this name and value.
        public init(name: String, value: Value) {
            self.name = name
            self.value = value
        }
    }

    /// The members, in the order of the code points of their names.
    public private(set) var entries: [Entry]

    /// No members.
    public init() {
        entries = []
    }

    /// Of several entries with one name the last one stands.
    public init(_ given: some Sequence<Entry>) {
        entries = Array(given)
        guard !isSorted else { return }
        // The sort is stable only by chance, so the place decides between equal names.
        let placed = entries.enumerated().sorted { left, right in
            switch jsonOrder(left.element.name, right.element.name) {
            case .before: true
            case .same: left.offset < right.offset
            case .after: false
            }
        }
        entries = []
        for (_, entry) in placed {
            if let last = entries.last, jsonOrder(last.name, entry.name) == .same { entries.removeLast() }
            entries.append(entry)
        }
    }

    /// The names of the members, in their order.
    public var names: [String] { entries.map(\.name) }

    /// The member of a name; nil where there is none, and to set nil takes it away.
    public subscript(name: String) -> Value? {
        get {
            let place = index(of: name)
            return place.found ? entries[place.index].value : nil
        }
        set {
            let place = index(of: name)
            if place.found { entries.remove(at: place.index) }
            if let newValue { entries.insert(Entry(name: name, value: newValue), at: place.index) }
        }
    }

    private var isSorted: Bool {
        zip(entries, entries.dropFirst()).allSatisfy { jsonOrder($0.name, $1.name) == .before }
    }

    private func index(of name: String) -> (index: Int, found: Bool) {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            switch jsonOrder(entries[middle].name, name) {
            case .same: return (middle, true)
            case .before: low = middle + 1
            case .after: high = middle
            }
        }
        return (low, false)
    }
}

extension JSONMap.Entry: Sendable where Value: Sendable {}
extension JSONMap: Sendable where Value: Sendable {}

extension JSONMap.Entry: Equatable where Value: Equatable {
    public static func == (left: Self, right: Self) -> Bool {
        jsonOrder(left.name, right.name) == .same && left.value == right.value
    }
}

extension JSONMap.Entry: Hashable where Value: Hashable {
    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(value)
    }
}

extension JSONMap: Equatable where Value: Equatable {}
extension JSONMap: Hashable where Value: Hashable {}

extension JSONMap: RandomAccessCollection {
    public var startIndex: Int { entries.startIndex }
    public var endIndex: Int { entries.endIndex }
    public subscript(position: Int) -> Entry { entries[position] }
}

extension JSONMap: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, Value)...) {
        self.init(elements.map { Entry(name: $0.0, value: $0.1) })
    }
}

/// JSON's null, where nothing else may stand.
public struct JSONNull: Hashable, Sendable {
    public init() {}
}

extension JSONValue: Hashable {
    /// Numbers are equal when they are the same number: 1 and 1.0 are.
    public static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case let (.bool(one), .bool(other)): one == other
        case let (.string(one), .string(other)): jsonOrder(one, other) == .same
        case let (.array(one), .array(other)): one == other
        case let (.object(one), .object(other)): one == other
        case let (.integer(one), .integer(other)): one == other
        case let (.wide(one), .wide(other)): one == other
        default: left.isNumber && right.isNumber && left.asDouble == right.asDouble && left.isWide == right.isWide
        }
    }

    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case let .bool(value): hasher.combine(value)
        case let .string(value): hasher.combine(value)
        case let .array(value): hasher.combine(value)
        case let .object(value): hasher.combine(value)
        case .integer, .wide, .double: hasher.combine(asDouble)
        }
    }

    /// The nearest double of a number.
    public var asDouble: Double? {
        switch self {
        case let .integer(value): Double(value)
        case let .wide(digits): Double(digits.text)
        case let .double(value): value
        default: nil
        }
    }

    var isNumber: Bool {
        switch self {
        case .integer, .wide, .double: true
        default: false
        }
    }

    /// Whether it is a whole number that no `integer` holds.
    private var isWide: Bool {
        switch self {
        case .wide: true
        case let .double(value): value >= 0x1p63 || value < -0x1p63
        default: false
        }
    }
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(nilLiteral _: ()) { self = .null }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(integerLiteral value: Int) { self = .integer(value) }
    public init(floatLiteral value: Double) { self = .double(value) }
    public init(stringLiteral value: String) { self = .string(value) }
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(JSONObject(elements.map { JSONObject.Entry(name: $0.0, value: $0.1) }))
    }
}

enum JSONOrder {
    case before, same, after
}

/// How two texts compare by code points; strings themselves compare by what they look like.
func jsonOrder(_ left: String, _ right: String) -> JSONOrder {
    // UTF-8 keeps the order of code points.
    if left.utf8.elementsEqual(right.utf8) { return .same }
    return left.utf8.lexicographicallyPrecedes(right.utf8) ? .before : .after
}

/// A text that equals another only when it has the same code points, for `switch`.
struct JSONName: Equatable, ExpressibleByStringLiteral {
    let text: String

    init(_ text: String) { self.text = text }
    init(stringLiteral value: String) { text = value }

    static func == (left: JSONName, right: JSONName) -> Bool {
        left.text.utf8.count == right.text.utf8.count && left.text.utf8.elementsEqual(right.text.utf8)
    }
}
