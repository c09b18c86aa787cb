/// What a place in a type asks of a value beside its kind; a rule says nothing of values of other kinds.
indirect enum JSONRule: Sendable {
    case min(JSONValue)
    case max(JSONValue)
    case above(JSONValue)
    case below(JSONValue)
    case multiple(JSONValue)
    case length(Int, Int?)
    case count(Int, Int?)
    case pattern(JSONPattern)
    case format(JSONFormat)
    case only([JSONValue])
    case unique
    case items([JSONRule])
    case values([JSONRule])
}

extension JSONValue {
    /// Throws the first fault by these rules.
    func obey(_ rules: [JSONRule]) throws {
        for rule in rules { try obey(rule) }
    }

    /// The value itself, where it obeys.
    func obeying(_ rules: [JSONRule]) throws -> JSONValue {
        try obey(rules)
        return self
    }

    private func obey(_ rule: JSONRule) throws {
        switch rule {
        case let .min(limit): try keep(!isNumber || Validators.atLeast(self, limit), "bound")
        case let .max(limit): try keep(!isNumber || Validators.atMost(self, limit), "bound")
        case let .above(limit): try keep(!isNumber || Validators.above(self, limit), "bound")
        case let .below(limit): try keep(!isNumber || Validators.below(self, limit), "bound")
        case let .multiple(of): try keep(!isNumber || Validators.isMultiple(self, of), "multiple")
        case let .only(values): try keep(values.contains(self), "const")
        case let .length(least, most):
            if case let .string(text) = self { try keep(Validators.codePoints(text), least, most, "length") }
        case let .pattern(pattern):
            if case let .string(text) = self { try keep(pattern.isFound(in: text), "pattern") }
        case let .format(format):
            if case let .string(text) = self { try keep(Validators.hasFormat(text, format), "format") }
        case let .count(least, most): if isContainer { try keep(Validators.count(self), least, most, "count") }
        case .unique: try keep(Validators.areUnique(self), "unique")
        case let .items(rules): try obeyInside(rules)
        case let .values(rules): try obeyInside(rules)
        }
    }

    private var isContainer: Bool {
        switch self {
        case .array, .object: true
        default: false
        }
    }

    private func keep(_ isKept: Bool, _ rule: String) throws {
        if !isKept { throw JSONFault(rule: rule) }
    }

    private func keep(_ size: Int, _ least: Int, _ most: Int?, _ rule: String) throws {
        try keep(least <= size && size <= most ?? .max, rule)
    }

    private func obeyInside(_ rules: [JSONRule]) throws {
        switch self {
        case let .array(items):
            for (index, item) in items.enumerated() {
                do { try item.obey(rules) } catch let fault as JSONFault { throw fault.under(index) }
            }
        case let .object(members):
            for entry in members {
                do { try entry.value.obey(rules) } catch let fault as JSONFault { throw fault.under(entry.name) }
            }
        default: return
        }
    }
}
