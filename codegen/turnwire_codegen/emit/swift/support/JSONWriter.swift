/// Writes the one spelling of a value: no spaces, members sorted as RFC 8785 has it, whole numbers exactly.
public struct JSONWriter: Sendable {
    /// What has been written, as UTF-8.
    public private(set) var bytes: [UInt8] = []
    /// Whether members that no type declares are left out.
    let isDeclaredOnly: Bool
    private var follows = false

    /// A writer of one value.
    public init() { self.init(isDeclaredOnly: false) }

    init(isDeclaredOnly: Bool) { self.isDeclaredOnly = isDeclaredOnly }

    /// Begins an object; each member is a `name` and then its value, in the order of UTF-16 units.
    public mutating func beginObject() { open(UInt8(ascii: "{")) }
    /// Ends the object that was begun last.
    public mutating func endObject() { close(UInt8(ascii: "}")) }
    /// Begins an array, whose items are written next.
    public mutating func beginArray() { open(UInt8(ascii: "[")) }
    /// Ends the array that was begun last.
    public mutating func endArray() { close(UInt8(ascii: "]")) }

    /// The name of the member whose value is written next.
    public mutating func name(_ name: String) {
        string(name)
        bytes.append(UInt8(ascii: ":"))
        follows = false
    }

    /// Writes null.
    public mutating func null() { raw("null") }
    /// Writes true or false.
    public mutating func bool(_ value: Bool) { raw(value ? "true" : "false") }
    /// Writes a whole number, all of its digits.
    public mutating func integer(_ value: some BinaryInteger) { raw(String(value)) }

    /// A double in the form of ECMAScript; JSON has none for infinity and what is no number, which become null.
    public mutating func double(_ value: Double) { raw(value.isFinite ? Self.spelled(value) : "null") }

    /// Writes a text, with no more escapes than JSON needs.
    public mutating func string(_ value: String) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
            case 0..<0x20: bytes += Self.escape(byte)
            default: bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
    }

    mutating func raw(_ text: String) {
        separate()
        bytes += text.utf8
    }

    /// Writes the object from byte `start` to the end anew, with its members in their order.
    mutating func sortObject(from start: Int) {
        let comma = start < bytes.count && bytes[start] == UInt8(ascii: ",") ? 1 : 0
        guard let object = try? JSONValue(parsing: bytes[(start + comma)...], depth: .max) else {
            preconditionFailure("what was written is JSON")
        }
        bytes.removeSubrange(start...)
        follows = comma == 1
        object.write(to: &self)
    }

    private mutating func separate() {
        if follows { bytes.append(UInt8(ascii: ",")) }
        follows = true
    }

    private mutating func open(_ sign: UInt8) {
        separate()
        bytes.append(sign)
        follows = false
    }

    private mutating func close(_ sign: UInt8) {
        bytes.append(sign)
        follows = true
    }

    private static func escape(_ byte: UInt8) -> [UInt8] {
        switch byte {
        case 0x08: return Array("\\b".utf8)
        case 0x09: return Array("\\t".utf8)
        case 0x0A: return Array("\\n".utf8)
        case 0x0C: return Array("\\f".utf8)
        case 0x0D: return Array("\\r".utf8)
        default: return Array((byte < 0x10 ? "\\u000" : "\\u00").utf8) + Array(String(byte, radix: 16).utf8)
        }
    }

    /// The digits are Swift's own, the shortest that mean this number; only where the point stands differs.
    private static func spelled(_ value: Double) -> String {
        guard value != 0 else { return "0" }
        let parts = String(value.magnitude).split(separator: "e")
        let halves = parts[0].split(separator: ".")
        let all: Substring = halves[0] + (halves.count > 1 ? halves[1] : "")
        var digits = all.drop { $0 == "0" }
        // The number is 0.digits times ten to this power.
        let power: Int = halves[0].count - (all.count - digits.count) + (parts.count > 1 ? Int(parts[1]) ?? 0 : 0)
        while digits.last == "0" { digits.removeLast() }
        let text = placed(String(digits), power)
        return value < 0 ? "-\(text)" : text
    }

    private static func placed(_ digits: String, _ power: Int) -> String {
        switch power {
        case digits.count...21: return digits + String(repeating: "0", count: power - digits.count)
        case 1...21: return "\(digits.prefix(power)).\(digits.dropFirst(power))"
        case -5...0: return "0.\(String(repeating: "0", count: -power))\(digits)"
        default:
            let fraction = digits.count > 1 ? ".\(digits.dropFirst())" : ""
            return "\(digits.prefix(1))\(fraction)e\(power > 0 ? "+" : "")\(power - 1)"
        }
    }
}
