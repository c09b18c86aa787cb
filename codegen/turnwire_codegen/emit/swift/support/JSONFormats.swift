/// The formats that are checked, by RFC 3339, RFC 9562 and RFC 6943, on ASCII digits only.
enum JSONFormat {
    case date, dateTime, ipv4, time, uuid
}

extension JSONChecking {
    static func hasFormat(_ value: JSONValue, _ format: JSONFormat) -> Bool {
        if case let .string(text) = value { return hasFormat(text, format) }
        return false
    }

    static func hasFormat(_ text: String, _ format: JSONFormat) -> Bool {
        let bytes = Array(text.utf8)
        switch format {
        case .date: return isDate(bytes[...])
        case .time: return isTime(bytes[...])
        case .dateTime:
            guard bytes.count > 10, bytes[10] | 0x20 == UInt8(ascii: "t") else { return false }
            return isDate(bytes[..<10]) && isTime(bytes[11...])
        case .ipv4: return isIPv4(bytes)
        case .uuid: return isUUID(bytes)
        }
    }

    private static func isDate(_ bytes: ArraySlice<UInt8>) -> Bool {
        var scan = FormatScan(bytes)
        guard let year = scan.digits(4), scan.takes("-"), let month = scan.digits(2), scan.takes("-"),
            let day = scan.digits(2), scan.isDone, 1...12 ~= month
        else { return false }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        return 1...days[month - 1] ~= day
    }

    private static func isTime(_ bytes: ArraySlice<UInt8>) -> Bool {
        var scan = FormatScan(bytes)
        guard let hour = scan.digits(2), scan.takes(":"), let minute = scan.digits(2), scan.takes(":"),
            let second = scan.digits(2), hour <= 23, minute <= 59, second <= 60
        else { return false }
        if scan.takes(".") {
            guard scan.digits(1) != nil else { return false }
            while scan.digits(1) != nil {}
        }
        guard let away = scan.offset(), scan.isDone else { return false }
        // A leap second is the last of a day, in universal time.
        let minutes = (hour * 60 + minute - away) % 1440
        return second < 60 || minutes == 1439 || minutes == -1
    }

    private static func isIPv4(_ bytes: [UInt8]) -> Bool {
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 4
            && parts.allSatisfy { part in
                var scan = FormatScan(part)
                guard 1...3 ~= part.count, let value = scan.digits(part.count) else { return false }
                return value <= 255 && (part.count == 1 || part.first != UInt8(ascii: "0"))
            }
    }

    private static func isUUID(_ bytes: [UInt8]) -> Bool {
        guard bytes.count == 36 else { return false }
        for (index, byte) in bytes.enumerated() {
            let isHyphen = [8, 13, 18, 23].contains(index)
            guard isHyphen ? byte == UInt8(ascii: "-") : UnicodeScalar(byte).properties.isASCIIHexDigit else {
                return false
            }
        }
        return true
    }
}

/// What is left of a text.
private struct FormatScan {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    var isDone: Bool { rest.isEmpty }

    /// The number of so many digits; nothing is taken where they are not there.
    mutating func digits(_ count: Int) -> Int? {
        let taken = rest.prefix(count)
        let zero = UInt8(ascii: "0")
        guard taken.count == count, taken.allSatisfy({ zero...zero + 9 ~= $0 }) else { return nil }
        rest = rest.dropFirst(count)
        return taken.reduce(0) { $0 * 10 + Int($1 - zero) }
    }

    mutating func takes(_ sign: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: sign) else { return false }
        rest = rest.dropFirst()
        return true
    }

    /// The minutes of an offset from universal time.
    mutating func offset() -> Int? {
        if takes("Z") || takes("z") { return 0 }
        let sign = takes("+") ? 1 : takes("-") ? -1 : 0
        guard sign != 0, let hour = digits(2), takes(":"), let minute = digits(2), hour <= 23, minute <= 59 else {
            return nil
        }
        return sign * (hour * 60 + minute)
    }
}
