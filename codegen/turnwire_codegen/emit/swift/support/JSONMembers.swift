/// The members of an object, asked for in the order of their code points; what is passed over is kept for the end.
struct JSONMembers {
    private let entries: [JSONObject.Entry]
    private var at = 0
    private var passed: [JSONObject.Entry] = []

    /// Throws a fault where the value is no object.
    init(_ json: JSONValue) throws {
        guard case let .object(members) = json else { throw JSONFault(rule: "type") }
        entries = members.entries
    }

    mutating func required<Value: JSONRepresentable>(_ name: String, _ rules: [JSONRule] = []) throws -> Value {
        guard let json = take(name) else { throw JSONFault(rule: "required") }
        return try Self.read(json, name, rules)
    }

    /// nil where the member is absent.
    mutating func optional<Value: JSONRepresentable>(_ name: String, _ rules: [JSONRule] = []) throws -> Value? {
        guard let json = take(name) else { return nil }
        return .some(try Self.read(json, name, rules))
    }

    mutating func presence<Value: JSONRepresentable>(
        _ name: String, _ rules: [JSONRule] = []
    ) throws -> Presence<Value> {
        guard let json = take(name) else { return .absent }
        if case .null = json { return .null }
        return .present(try Self.read(json, name, rules))
    }

    /// A member that can have one value only.
    mutating func constant(_ name: String, _ value: JSONValue) throws {
        guard let json = take(name) else { throw JSONFault(rule: "required") }
        guard json == value else { throw JSONFault(rule: "const").under(name) }
    }

    /// All members that were not asked for.
    mutating func rest<Value: JSONRepresentable>(_ rules: [JSONRule] = []) throws -> JSONMap<Value> {
        passed += entries[at...]
        at = entries.count
        let rest = JSONObject(passed)
        if !rules.isEmpty { try JSONValue.object(rest).obey([.values(rules)]) }
        return try rest.mapped()
    }

    /// Throws a fault where there is a member that was not asked for.
    func close() throws {
        if let name = (passed.first ?? entries[at...].first)?.name { throw JSONFault(rule: "members").under(name) }
    }

    private mutating func take(_ name: String) -> JSONValue? {
        while at < entries.count {
            switch jsonOrder(entries[at].name, name) {
            case .before:
                passed.append(entries[at])
                at += 1
            case .same:
                at += 1
                return entries[at - 1].value
            case .after: return nil
            }
        }
        return nil
    }

    private static func read<Value: JSONRepresentable>(
        _ json: JSONValue, _ name: String, _ rules: [JSONRule]
    ) throws -> Value {
        do {
            try json.obey(rules)
            return try Value(json: json)
        } catch let fault as JSONFault {
            throw fault.under(name)
        }
    }
}

/// The items of an array, asked for by their places.
struct JSONItems {
    private let items: [JSONValue]
    private let first: Int

    /// Throws a fault where the value is no array, has fewer than `first` items, or more although it is `closed`.
    init(_ json: JSONValue, first: Int, closed: Bool) throws {
        guard case let .array(items) = json else { throw JSONFault(rule: "type") }
        guard items.count >= first else { throw JSONFault(rule: "count") }
        guard items.count == first || !closed else { throw JSONFault(rule: "members").under(first) }
        (self.items, self.first) = (items, first)
    }

    func item<Value: JSONRepresentable>(_ index: Int, _ rules: [JSONRule] = []) throws -> Value {
        do {
            try items[index].obey(rules)
            return try Value(json: items[index])
        } catch let fault as JSONFault {
            throw fault.under(index)
        }
    }

    func rest<Value: JSONRepresentable>(_ rules: [JSONRule] = []) throws -> [Value] {
        try (first..<items.count).map { try item($0, rules) }
    }
}

extension JSONWriter {
    mutating func required(_ name: String, _ value: some JSONRepresentable) {
        self.name(name)
        value.write(to: &self)
    }

    mutating func optional(_ name: String, _ value: (some JSONRepresentable)?) {
        if let value { required(name, value) }
    }

    mutating func presence(_ name: String, _ value: Presence<some JSONRepresentable>) {
        switch value {
        case .absent: return
        case .null:
            self.name(name)
            null()
        case let .present(value): required(name, value)
        }
    }

    /// Ends an object that began at byte `start` with `extra` members, each in its place among the others.
    mutating func endObject(from start: Int, with extra: JSONMap<some JSONRepresentable>) {
        members(of: extra)
        endObject()
        if !extra.isEmpty { sortObject(from: start) }
    }

    /// The same, where the members are none that the type declares: they are left out where only those are asked for.
    mutating func endObject(from start: Int, keeping undeclared: JSONObject) {
        endObject(from: start, with: isDeclaredOnly ? [:] : undeclared)
    }

    /// The members of a map, sorted by UTF-16 as RFC 8785 has it, which differs only beyond ASCII.
    mutating func members(of map: JSONMap<some JSONRepresentable>) {
        if map.entries.allSatisfy({ $0.name.utf8.allSatisfy { $0 < 0x80 } }) {
            for entry in map.entries { required(entry.name, entry.value) }
        } else {
            let sorted = map.entries.sorted { $0.name.utf16.lexicographicallyPrecedes($1.name.utf16) }
            for entry in sorted { required(entry.name, entry.value) }
        }
    }
}

/// A union whose arms are told apart by trial: of those that fit, the one that declares most of the value is it.
struct JSONChoice<Union: JSONRepresentable> {
    private let json: JSONValue
    private var fitting: [Union] = []

    init(_ json: JSONValue) { self.json = json }

    mutating func consider(_ arm: (JSONValue) throws -> Union) {
        // That an arm does not fit is no fault of the value: another one may.
        if let found = try? arm(json) { fitting.append(found) }
    }

    func best() throws -> Union {
        guard var best = fitting.first else { throw JSONFault(rule: "choice") }
        guard fitting.count > 1 else { return best }
        var most = -1
        for one in fitting {
            var writer = JSONWriter(isDeclaredOnly: true)
            one.write(to: &writer)
            let declared = try JSONValue(parsing: writer.bytes, depth: .max).size
            if declared > most { (best, most) = (one, declared) }
        }
        return best
    }
}

extension JSONValue {
    /// How many values there are in this one, itself included.
    fileprivate var size: Int {
        switch self {
        case let .array(items): items.reduce(1) { $0 + $1.size }
        case let .object(members): members.reduce(1) { $0 + $1.value.size }
        default: 1
        }
    }

    /// The member that tells the arms of a union apart. Throws a fault where there is none.
    func tag(_ name: String) throws -> JSONValue {
        guard case let .object(members) = self, let tag = members[name] else { throw JSONFault(rule: "tag") }
        return tag
    }

    /// The same, where it must be a string.
    func textTag(_ name: String) throws -> JSONName {
        guard case let .string(text) = try tag(name) else { throw JSONFault(rule: "tag").under(name) }
        return JSONName(text)
    }

    /// What an arm of an open union is kept as when nobody knows its tag.
    var asObject: JSONObject {
        if case let .object(members) = self { return members }
        return JSONObject()
    }
}
