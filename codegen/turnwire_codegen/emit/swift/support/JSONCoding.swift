/// `Codable` by way of `JSONValue`, for coders of others. Foundation's keep whole numbers of 64 bits exactly.
extension JSONRepresentable {
    public init(from decoder: any Decoder) throws {
        do {
            try self.init(json: JSONValue(from: decoder))
        } catch let fault as JSONFault {
            throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "\(fault)"))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        try asJSON().encode(to: encoder)
    }
}

extension JSONRepresentable where Self: RawRepresentable, RawValue == String {
    public init(from decoder: any Decoder) throws {
        try self.init(json: JSONValue(from: decoder))
    }

    public func encode(to encoder: any Encoder) throws {
        try JSONValue.string(rawValue).encode(to: encoder)
    }
}

extension JSONValue {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int.self) {
            self = .integer(value)
        } else if let value = try? container.decode(UInt64.self) {
            self = .wide(JSONDigits(known: String(value)))
        } else if let value = try? container.decode(Double.self) {
            self = .double(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode(JSONObject.self))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case let .bool(value): try container.encode(value)
        case let .integer(value): try container.encode(value)
        case let .wide(digits):
            if let value = UInt64(digits.text) { try container.encode(value) } else { try container.encode(asDouble) }
        case let .double(value): try container.encode(value)
        case let .string(value): try container.encode(value)
        case let .array(items): try container.encode(items)
        case let .object(members): try container.encode(members)
        }
    }
}

extension JSONMap {
    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue _: Int) { return nil }
    }

    public init(from decoder: any Decoder) throws where Value: Decodable {
        let container = try decoder.container(keyedBy: Name.self)
        self.init(
            try container.allKeys.map { key in
                Entry(name: key.stringValue, value: try container.decode(Value.self, forKey: key))
            }
        )
    }

    public func encode(to encoder: any Encoder) throws where Value: Encodable {
        var container = encoder.container(keyedBy: Name.self)
        for entry in entries { try container.encode(entry.value, forKey: Name(stringValue: entry.name)) }
    }
}
