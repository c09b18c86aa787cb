/// Why a text is no JSON, and at which byte that was seen.
public struct JSONSyntaxFault: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong.
    public let reason: String
    /// The byte, counted from 0.
    public let offset: Int

    /// One line for people.
    public var description: String { "\(reason) at byte \(offset)" }
}

extension JSONValue {
    /// The one value that a JSON text holds. Throws `JSONSyntaxFault`, also for UTF-8 that is none, for half of a
    /// surrogate pair, for a number that no double can hold, and beyond `depth` levels of arrays and objects.
    public init(parsing bytes: some Sequence<UInt8>, depth: Int = 512) throws {
        self = try bytes.withContiguousStorageIfAvailable { try JSONReader.value(of: $0, depth: depth) }
            ?? Array(bytes).withUnsafeBufferPointer { try JSONReader.value(of: $0, depth: depth) }
    }

    /// The one value that a JSON text holds; throws as `init(parsing:depth:)` of bytes does.
    public init(parsing text: String, depth: Int = 512) throws {
        try self.init(parsing: text.utf8, depth: depth)
    }
}

/// A recursive descent over bytes; `at` is the next one.
struct JSONReader {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var at = 0
    private var depth: Int

    static func value(of bytes: UnsafeBufferPointer<UInt8>, depth: Int) throws -> JSONValue {
        if let offset = invalidUTF8(bytes) { throw JSONSyntaxFault(reason: "invalid UTF-8", offset: offset) }
        var reader = JSONReader(bytes: bytes, depth: depth)
        reader.skipSpace()
        let value = try reader.value()
        reader.skipSpace()
        guard reader.at == bytes.count else { throw reader.fault("more than one value") }
        return value
    }

    private init(bytes: UnsafeBufferPointer<UInt8>, depth: Int) {
        self.bytes = bytes
        self.depth = depth
    }

    private func fault(_ reason: String) -> JSONSyntaxFault {
        JSONSyntaxFault(reason: reason, offset: at)
    }

    /// The next byte; 0, which nothing in JSON is, at the end.
    private var next: UInt8 { at < bytes.count ? bytes[at] : 0 }

    private mutating func skipSpace() {
        while at < bytes.count, bytes[at] == 0x20 || bytes[at] == 0x0A || bytes[at] == 0x0D || bytes[at] == 0x09 {
            at += 1
        }
    }

    private mutating func value() throws -> JSONValue {
        switch next {
        case UInt8(ascii: "{"): return try nested { try $0.object() }
        case UInt8(ascii: "["): return try nested { try $0.array() }
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number()
        default: throw fault(at < bytes.count ? "no JSON value" : "the text ends too early")
        }
    }

    private mutating func nested(_ read: (inout JSONReader) throws -> JSONValue) throws -> JSONValue {
        guard depth > 0 else { throw fault("nested too deeply") }
        depth -= 1
        at += 1
        skipSpace()
        let value = try read(&self)
        depth += 1
        return value
    }

    private mutating func word(_ text: StaticString, _ value: JSONValue) throws -> JSONValue {
        for offset in 0..<text.utf8CodeUnitCount {
            guard next == text.utf8Start[offset] else { throw fault("no JSON value") }
            at += 1
        }
        return value
    }

    private mutating func array() throws -> JSONValue {
        var items: [JSONValue] = []
        if next == UInt8(ascii: "]") {
            at += 1
            return .array(items)
        }
        while true {
            items.append(try value())
            if try !hasMore(before: UInt8(ascii: "]")) { return .array(items) }
        }
    }

    private mutating func object() throws -> JSONValue {
        var entries: [JSONObject.Entry] = []
        if next == UInt8(ascii: "}") {
            at += 1
            return .object(JSONObject())
        }
        while true {
            guard next == UInt8(ascii: "\"") else { throw fault("a member without a name") }
            let name = try string()
            skipSpace()
            guard next == UInt8(ascii: ":") else { throw fault("a name without its value") }
            at += 1
            skipSpace()
            entries.append(JSONObject.Entry(name: name, value: try value()))
            if try !hasMore(before: UInt8(ascii: "}")) { return .object(JSONObject(entries)) }
        }
    }

    /// Whether a comma follows; false behind the closing sign.
    private mutating func hasMore(before close: UInt8) throws -> Bool {
        skipSpace()
        let sign = next
        guard sign == UInt8(ascii: ",") || sign == close else { throw fault("neither a comma nor the end") }
        at += 1
        if sign == close { return false }
        skipSpace()
        return true
    }

    private mutating func string() throws -> String {
        at += 1
        let start = at
        while at < bytes.count {
            switch bytes[at] {
            case UInt8(ascii: "\""):
                at += 1
                return String(decoding: bytes[start..<at - 1], as: UTF8.self)
            case UInt8(ascii: "\\"): return try escapedString(from: start)
            case 0..<0x20: throw fault("a control character in a string")
            default: at += 1
            }
        }
        throw fault("a string without its end")
    }

    private mutating func escapedString(from start: Int) throws -> String {
        var text = Array(bytes[start..<at])
        while at < bytes.count {
            let byte = bytes[at]
            switch byte {
            case UInt8(ascii: "\""):
                at += 1
                return String(decoding: text, as: UTF8.self)
            case UInt8(ascii: "\\"): text.append(contentsOf: try escape().utf8)
            case 0..<0x20: throw fault("a control character in a string")
            default:
                text.append(byte)
                at += 1
            }
        }
        throw fault("a string without its end")
    }

    private mutating func escape() throws -> String {
        at += 1
        let letter = next
        at += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return String(UnicodeScalar(letter))
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{c}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): return String(try escapedScalar())
        default: throw fault("no such escape")
        }
    }

    private mutating func escapedScalar() throws -> UnicodeScalar {
        let unit = try hexUnit()
        if let scalar = UnicodeScalar(unit) { return scalar }
        guard unit < 0xDC00, next == UInt8(ascii: "\\") else { throw fault("half of a surrogate pair") }
        at += 1
        guard next == UInt8(ascii: "u") else { throw fault("half of a surrogate pair") }
        at += 1
        let low = try hexUnit()
        guard 0xDC00...0xDFFF ~= low,
            let scalar = UnicodeScalar(0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00))
        else { throw fault("half of a surrogate pair") }
        return scalar
    }

    private mutating func hexUnit() throws -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = Character(UnicodeScalar(next)).hexDigitValue else { throw fault("no hexadecimal digit") }
            unit = unit << 4 | UInt32(digit)
            at += 1
        }
        return unit
    }

    private mutating func number() throws -> JSONValue {
        let start = at
        if next == UInt8(ascii: "-") { at += 1 }
        let first = at
        let digits = skipDigits()
        guard digits > 0 else { throw fault("a number without digits") }
        guard digits == 1 || bytes[first] != UInt8(ascii: "0") else { throw fault("a number that begins with 0") }
        var whole = true
        if next == UInt8(ascii: ".") {
            whole = false
            at += 1
            guard skipDigits() > 0 else { throw fault("a fraction without digits") }
        }
        if next | 0x20 == UInt8(ascii: "e") {
            whole = false
            at += 1
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { at += 1 }
            guard skipDigits() > 0 else { throw fault("an exponent without digits") }
        }
        // Eighteen digits always fit.
        return whole && digits <= 18 ? .integer(small(first, negative: first > start)) : try any(start, whole: whole)
    }

    private mutating func skipDigits() -> Int {
        let start = at
        while at < bytes.count, UInt8(ascii: "0")...UInt8(ascii: "9") ~= bytes[at] { at += 1 }
        return at - start
    }

    private func small(_ first: Int, negative: Bool) -> Int {
        var value = 0
        for index in first..<at { value = value &* 10 &+ Int(bytes[index] &- UInt8(ascii: "0")) }
        return negative ? -value : value
    }

    private func any(_ start: Int, whole: Bool) throws -> JSONValue {
        let text = String(decoding: bytes[start..<at], as: UTF8.self)
        if whole { return Int(text).map(JSONValue.integer) ?? .wide(JSONDigits(known: text)) }
        guard let value = Double(text), value.isFinite else {
            throw JSONSyntaxFault(reason: "a number that no double can hold", offset: start)
        }
        return wholeNumber(value).map(JSONValue.integer) ?? .double(value)
    }

    /// Where bytes cease to be UTF-8: overlong forms and surrogates are none.
    private static func invalidUTF8(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        var at = 0
        while at < bytes.count {
            if bytes[at] < 0x80 {
                at += 1
                continue
            }
            guard let length = sequenceLength(bytes, at) else { return at }
            at += length
        }
        return nil
    }

    private static func sequenceLength(_ bytes: UnsafeBufferPointer<UInt8>, _ at: Int) -> Int? {
        let length: Int
        var second: ClosedRange<UInt8> = 0x80...0xBF
        switch bytes[at] {
        case 0xC2...0xDF: length = 2
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: length = 3
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        case 0xF1...0xF3: length = 4
        default: return nil
        }
        guard at + length <= bytes.count, second ~= bytes[at + 1] else { return nil }
        return bytes[at + 1..<at + length].allSatisfy { 0x80...0xBF ~= $0 } ? length : nil
    }
}
