/// An expression of the portable part of ECMA-262, matched by code points in a time that grows with the text alone.
///
/// It asks whether there is a match anywhere, and nothing else: so all ways through it are followed at once.
struct JSONPattern: Sendable {
    /// The expression as a tree.
    indirect enum Node: Sendable {
        case one(UInt32)
        case of([ClosedRange<UInt32>])
        case not([ClosedRange<UInt32>])
        case start
        case end
        case ahead(Node)
        case notAhead(Node)
        case times(Node, Int, Int?)
        case all([Node])
        case some([Node])
    }

    private enum Step {
        case scalar([ClosedRange<UInt32>], isInside: Bool)
        case start
        case end
        case look(JSONPattern, isThere: Bool)
        case fork(Int)
        case jump(Int)
        case match
    }

    private var steps: [Step] = []

    init(_ node: Node) {
        add(node)
        steps.append(.match)
    }

    func isFound(in text: String) -> Bool {
        run(text.unicodeScalars.map(\.value), from: 0, everywhere: true)
    }

    private mutating func add(_ node: Node) {
        switch node {
        case let .one(code): steps.append(.scalar([code...code], isInside: true))
        case let .of(ranges): steps.append(.scalar(ranges, isInside: true))
        case let .not(ranges): steps.append(.scalar(ranges, isInside: false))
        case .start: steps.append(.start)
        case .end: steps.append(.end)
        case let .ahead(body): steps.append(.look(JSONPattern(body), isThere: true))
        case let .notAhead(body): steps.append(.look(JSONPattern(body), isThere: false))
        case let .all(parts): parts.forEach { add($0) }
        case let .some(arms): addArms(arms[...])
        case let .times(body, least, most):
            for _ in 0..<least { add(body) }
            addOptional(body, most.map { $0 - least })
        }
    }

    /// The first arm or the others; behind each of them it goes on at the same step.
    private mutating func addArms(_ arms: ArraySlice<Node>) {
        guard let first = arms.first else { return }
        guard arms.count > 1 else { return add(first) }
        let fork = steps.count
        steps.append(.fork(0))
        add(first)
        let jump = steps.count
        steps.append(.jump(0))
        steps[fork] = .fork(steps.count)
        addArms(arms.dropFirst())
        steps[jump] = .jump(steps.count)
    }

    /// The body up to so many times; without a number it has no end.
    private mutating func addOptional(_ body: Node, _ most: Int?) {
        guard let most else {
            let fork = steps.count
            steps.append(.fork(0))
            add(body)
            steps.append(.jump(fork))
            steps[fork] = .fork(steps.count)
            return
        }
        var forks: [Int] = []
        for _ in 0..<most {
            forks.append(steps.count)
            steps.append(.fork(0))
            add(body)
        }
        for fork in forks { steps[fork] = .fork(steps.count) }
    }

    private func run(_ text: [UInt32], from first: Int, everywhere: Bool) -> Bool {
        var present: [Int] = []
        var marks = [Int](repeating: -1, count: steps.count)
        for at in first...text.count {
            if everywhere || at == first { present.append(0) }
            var next: [Int] = []
            while let step = present.popLast() {
                guard marks[step] < at else { continue }
                marks[step] = at
                switch steps[step] {
                case .match: return true
                case .start: if at == 0 { present.append(step + 1) }
                case .end: if at == text.count { present.append(step + 1) }
                case let .look(pattern, isThere):
                    if pattern.run(text, from: at, everywhere: false) == isThere { present.append(step + 1) }
                case let .jump(target): present.append(target)
                case let .fork(other): present += [other, step + 1]
                case let .scalar(ranges, isInside):
                    if at < text.count, ranges.contains(where: { $0 ~= text[at] }) == isInside { next.append(step + 1) }
                }
            }
            present = next
            if present.isEmpty, !everywhere { return false }
        }
        return false
    }
}

extension JSONChecking {
    static func finds(_ pattern: JSONPattern, _ value: JSONValue) -> Bool {
        if case let .string(text) = value { return pattern.isFound(in: text) }
        return false
    }

    static func finds(_ pattern: JSONPattern, _ text: String) -> Bool {
        pattern.isFound(in: text)
    }
}
