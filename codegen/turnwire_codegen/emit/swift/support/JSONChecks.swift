/// The first fault of a value; nil when it is valid.
public typealias JSONValidator = @Sendable (JSONValue) -> JSONFault?

/// A validator for every definition of the schema.
public enum Validators: JSONChecking {}

/// What validators share.
protocol JSONChecking {}

/// What a table says of a value: a validator, its kinds, its only values, its alternatives, its items or its members.
indirect enum JSONCheck: Sendable {
    case named(JSONValidator)
    case kinds([JSONKind])
    case only([JSONValue])
    case text([String])
    case any([JSONCheck])
    case list(JSONCheck)
    case map(JSONCheck)
}

enum JSONKind: Sendable {
    case array, boolean, integer, null, number, object, string
}

/// The members of an object in the order in which faults are looked for.
typealias JSONTable = [(name: String, check: JSONCheck)]

/// The arms of a tagged choice by their tags.
typealias JSONArms = JSONMap<JSONValidator>

extension JSONChecking {
    static func fault(_ pointer: String, _ rule: String) -> JSONFault {
        JSONFault(pointer: pointer, rule: rule)
    }

    /// The same fault seen from above `steps`, which are written as a pointer.
    static func under(_ steps: String, _ inner: JSONFault) -> JSONFault {
        JSONFault(pointer: steps + inner.pointer, rule: inner.rule)
    }

    /// A member's name as one step of a pointer.
    static func step(_ name: String) -> String {
        JSONFault.step(name)
    }

    /// An object with these members, some of them required.
    static func record(_ value: JSONValue, _ needed: [String], _ table: JSONTable) -> JSONFault? {
        guard case let .object(object) = value else { return fault("", "type") }
        return missing(object, needed) ?? amiss(object, table)
    }

    /// Members that an object must have.
    static func required(_ value: JSONValue, _ needed: [String]) -> JSONFault? {
        guard case let .object(object) = value else { return nil }
        return missing(object, needed)
    }

    /// Those members of an object that are there.
    static func members(_ value: JSONValue, _ table: JSONTable) -> JSONFault? {
        guard case let .object(object) = value else { return nil }
        return amiss(object, table)
    }

    /// An array of such items.
    static func list(_ value: JSONValue, _ check: JSONCheck) -> JSONFault? {
        guard case let .array(items) = value else { return fault("", "type") }
        for (index, item) in items.enumerated() {
            if let inner = inspect(item, check) { return inner.under(index) }
        }
        return nil
    }

    /// An object whose names are data, with such values.
    static func map(_ value: JSONValue, _ check: JSONCheck) -> JSONFault? {
        guard case let .object(object) = value else { return fault("", "type") }
        for entry in object.entries {
            if let inner = inspect(entry.value, check) { return inner.under(entry.name) }
        }
        return nil
    }

    /// An object with no other members; the first other one is told.
    static func closed(_ value: JSONValue, _ declared: [String]) -> JSONFault? {
        guard case let .object(object) = value else { return nil }
        return object.entries.first { !isText($0.name, declared) }.map { fault(step($0.name), "members") }
    }

    /// An object that follows the arm of its tag, or `others` when no arm has it.
    static func tagged(
        _ value: JSONValue, _ tag: String, _ arms: JSONArms, _ others: JSONValidator? = nil
    ) -> JSONFault? {
        guard case let .object(object) = value, let found = object[tag] else { return fault("", "tag") }
        guard case let .string(text) = found, let arm = arms[text] ?? others else { return fault(step(tag), "tag") }
        return arm(value)
    }

    /// The first fault of a value by what a table says.
    static func inspect(_ value: JSONValue, _ check: JSONCheck) -> JSONFault? {
        switch check {
        case let .named(validator): return validator(value)
        case let .kinds(kinds): return kinds.contains { isKind(value, $0) } ? nil : fault("", "type")
        case let .only(values): return values.contains(value) ? nil : fault("", "const")
        case let .text(texts):
            guard case let .string(text) = value else { return fault("", "type") }
            return isText(text, texts) ? nil : fault("", "const")
        case let .any(checks): return checks.contains { inspect(value, $0) == nil } ? nil : fault("", "choice")
        case let .list(item): return list(value, item)
        case let .map(member): return map(value, member)
        }
    }

    static func isKind(_ value: JSONValue, _ kind: JSONKind) -> Bool {
        switch (value, kind) {
        case (.array, .array), (.bool, .boolean), (.null, .null), (.object, .object), (.string, .string): true
        case (.integer, .integer), (.wide, .integer), (.integer, .number), (.wide, .number), (.double, .number): true
        case let (.double(number), .integer): isWhole(number)
        default: false
        }
    }

    static func isText(_ value: JSONValue, _ texts: [String]) -> Bool {
        if case let .string(text) = value { return isText(text, texts) }
        return false
    }

    static func isText(_ text: String, _ texts: [String]) -> Bool {
        texts.contains { JSONName($0) == JSONName(text) }
    }

    static func has(_ value: JSONValue, _ name: String) -> Bool {
        member(value, name) != nil
    }

    static func member(_ value: JSONValue, _ name: String) -> JSONValue? {
        if case let .object(object) = value { return object[name] }
        return nil
    }

    static func item(_ value: JSONValue, _ index: Int) -> JSONValue? {
        if case let .array(items) = value, index < items.count { return items[index] }
        return nil
    }

    /// The members of an object in the order of their code points.
    static func entries(_ value: JSONValue) -> [JSONObject.Entry] {
        if case let .object(object) = value { return object.entries }
        return []
    }

    /// The items of an array from this index on, with their indices.
    static func items(_ value: JSONValue, from first: Int) -> [(index: Int, value: JSONValue)] {
        guard case let .array(items) = value, first < items.count else { return [] }
        return (first..<items.count).map { ($0, items[$0]) }
    }

    /// How many items or members there are.
    static func count(_ value: JSONValue) -> Int {
        switch value {
        case let .array(items): items.count
        case let .object(object): object.count
        default: 0
        }
    }

    /// The length of a text in code points.
    static func codePoints(_ value: JSONValue) -> Int {
        if case let .string(text) = value { return codePoints(text) }
        return 0
    }

    static func codePoints(_ text: String) -> Int {
        text.unicodeScalars.count
    }

    /// Whether so many items of an array meet a condition.
    static func counts(_ value: JSONValue, _ least: Int, _ most: Int, _ holds: (JSONValue) -> Bool) -> Bool {
        guard case let .array(items) = value else { return false }
        let count = items.reduce(0) { holds($1) ? $0 + 1 : $0 }
        return least <= count && count <= most
    }

    /// Whether exactly one of several conditions holds.
    static func exactlyOne(_ conditions: Bool...) -> Bool {
        conditions.filter { $0 }.count == 1
    }

    static func areUnique(_ value: JSONValue) -> Bool {
        guard case let .array(items) = value else { return true }
        return Set(items).count == items.count
    }

    private static func missing(_ object: JSONObject, _ needed: [String]) -> JSONFault? {
        needed.allSatisfy { object[$0] != nil } ? nil : fault("", "required")
    }

    private static func amiss(_ object: JSONObject, _ table: JSONTable) -> JSONFault? {
        for (name, check) in table {
            if let value = object[name], let inner = inspect(value, check) { return inner.under(name) }
        }
        return nil
    }
}
