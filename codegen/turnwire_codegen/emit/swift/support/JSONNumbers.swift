/// The whole number that a double is, where an `Int` holds it. (`Int(exactly:)` would need the library of mathematics.)
func wholeNumber(_ value: Double) -> Int? {
    guard value >= -0x1p63, value < 0x1p63 else { return nil }
    return Double(Int(value)) == value ? Int(value) : nil
}

extension JSONChecking {
    /// How numbers compare exactly, whatever holds them: no whole number is rounded to a double on the way.
    static func atLeast(_ value: JSONValue, _ limit: JSONValue) -> Bool { (compared(value, limit) ?? -1) >= 0 }
    static func atMost(_ value: JSONValue, _ limit: JSONValue) -> Bool { (compared(value, limit) ?? 1) <= 0 }
    static func above(_ value: JSONValue, _ limit: JSONValue) -> Bool { (compared(value, limit) ?? -1) > 0 }
    static func below(_ value: JSONValue, _ limit: JSONValue) -> Bool { (compared(value, limit) ?? 1) < 0 }

    /// Whether a number is a multiple: whole numbers exactly, all else by the quotient of two doubles.
    static func isMultiple(_ value: JSONValue, _ of: JSONValue) -> Bool {
        switch (value, of) {
        case let (.integer(number), .integer(part)): return part == -1 || number % part == 0
        case let (.wide(digits), .integer(part)): return remainder(digits.text, part.magnitude) == 0
        case let (.double(number), .integer(part)) where isWhole(number):
            return remainder(number, part.magnitude) == 0
        default:
            guard let number = value.asDouble, let part = of.asDouble else { return false }
            let quotient = number / part
            guard quotient.isInfinite else { return isWhole(quotient) }
            // Beyond the largest double there are whole numbers only; before it the rest of a division is exact.
            return number.isInfinite || number.truncatingRemainder(dividingBy: part) == 0
        }
    }

    static func isWhole(_ number: Double) -> Bool {
        // From here on doubles have no room for a fraction.
        number.magnitude >= 0x1p53 ? number.isFinite : wholeNumber(number) != nil
    }

    /// Below 0, 0 or above 0 as the first number is smaller, equal or greater; nil where one is none.
    private static func compared(_ left: JSONValue, _ right: JSONValue) -> Int? {
        switch (left, right) {
        case let (.integer(one), .integer(other)): return one < other ? -1 : one > other ? 1 : 0
        case let (.integer(one), .double(other)): return compared(one, other)
        case let (.double(one), .integer(other)): return compared(other, one).map { -$0 }
        case let (.wide(one), .wide(other)): return compared(one.text, other.text)
        case let (.wide(digits), .integer): return digits.text.hasPrefix("-") ? -1 : 1
        case let (.integer, .wide(digits)): return digits.text.hasPrefix("-") ? 1 : -1
        default:
            guard let one = left.asDouble, let other = right.asDouble else { return nil }
            return one < other ? -1 : one > other ? 1 : 0
        }
    }

    private static func compared(_ one: Int, _ other: Double) -> Int? {
        // 2^63 and what lies beyond is greater than any Int, and so downwards.
        if other >= 0x1p63 { return -1 }
        if other < -0x1p63 { return 1 }
        // Towards zero, so that what is lost is told by the sign of the rest.
        let whole = Int(other)
        if one != whole { return one < whole ? -1 : 1 }
        let rest = other - Double(whole)
        return rest > 0 ? -1 : rest < 0 ? 1 : 0
    }

    private static func compared(_ one: String, _ other: String) -> Int {
        let signs = (one.hasPrefix("-"), other.hasPrefix("-"))
        guard signs.0 == signs.1 else { return signs.0 ? -1 : 1 }
        let lengths = (one.utf8.count, other.utf8.count)
        let order = lengths.0 != lengths.1 ? (lengths.0 < lengths.1 ? -1 : 1) : one == other ? 0 : one < other ? -1 : 1
        return signs.0 ? -order : order
    }

    /// Of a whole number beyond any `Int`: its significand, doubled as often as its exponent says.
    private static func remainder(_ number: Double, _ part: UInt) -> UInt {
        let (steps, rest) = (Int(number.exponent) - 52, (UInt(number.significandBitPattern) | 1 << 52) % part)
        return (0..<steps).reduce(rest) { rest, _ in
            let (sum, carries) = rest.addingReportingOverflow(rest)
            return carries || sum >= part ? sum &- part : sum
        }
    }

    private static func remainder(_ digits: String, _ part: UInt) -> UInt {
        digits.utf8.reduce(0) { rest, byte in
            guard byte != UInt8(ascii: "-") else { return rest }
            let (high, low) = rest.multipliedFullWidth(by: 10)
            let (sum, carries) = low.addingReportingOverflow(UInt(byte - UInt8(ascii: "0")))
            return part.dividingFullWidth(((high + (carries ? 1 : 0)) % part, sum)).remainder
        }
    }
}
