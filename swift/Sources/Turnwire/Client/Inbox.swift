/// What the server sends, and who takes it: handlers, and a backlog for what nobody handles.
///
/// Nothing is ever approved by default (APPR-4), and nothing unknown is served (RPC-21).
struct Inbox {
    typealias Listener = @Sendable (JSONValue) async throws -> Void
    typealias Answerer = @Sendable (JSONValue) async throws -> JSONValue

    /// A notification that waits to be taken.
    struct Letter: Sendable {
        let method: String
        let params: JSONValue
    }

    /// Who waits for the next notification of a method.
    private struct Waiter {
        let id: Int
        let method: String
        let isTaken: CheckedContinuation<JSONValue, any Error>
    }

    // Deltas come by the thousand; what nobody takes must not fill the memory.
    private static let mostLetters = 10_000

    private var listeners: [String: [Listener]] = [:]
    private var answerers: [String: Answerer] = [:]
    private var letters: [Letter] = []
    private var reason: ClientError?
    private var waiting: [Waiter] = []

    mutating func listen(_ method: String, _ listener: @escaping Listener) {
        listeners[method, default: []].append(listener)
    }

    mutating func answer(_ method: String, _ answerer: @escaping Answerer) {
        answerers[method] = answerer
    }

    func answers(_ method: String) -> Bool { answerers[method] != nil }
    func answerer(of method: String) -> Answerer? { answerers[method] }
    func listeners(of method: String) -> [Listener] { listeners[method] ?? [] }

    /// Gives a notification to who waits for it, or keeps it.
    mutating func take(_ letter: Letter) {
        if let place = waiting.firstIndex(where: { $0.method == letter.method }) {
            waiting.remove(at: place).isTaken.resume(returning: letter.params)
        } else {
            letters.append(letter)
            if letters.count > Self.mostLetters { letters.removeFirst(letters.count - Self.mostLetters) }
        }
    }

    /// Takes out the first notification of a method and all that came before it, now or when it comes.
    mutating func next(_ method: String, id: Int, _ isTaken: CheckedContinuation<JSONValue, any Error>) {
        if let place = letters.firstIndex(where: { $0.method == method }) {
            let letter = letters[place]
            letters.removeFirst(place + 1)
            isTaken.resume(returning: letter.params)
        } else if let reason {
            isTaken.resume(throwing: reason)
        } else {
            letters = []
            waiting.append(Waiter(id: id, method: method, isTaken: isTaken))
        }
    }

    /// Ends one wait; what has come already stays taken.
    mutating func cancel(_ id: Int) {
        guard let place = waiting.firstIndex(where: { $0.id == id }) else { return }
        waiting.remove(at: place).isTaken.resume(throwing: CancellationError())
    }

    mutating func end(_ reason: ClientError) {
        self.reason = reason
        for one in waiting { one.isTaken.resume(throwing: reason) }
        waiting = []
    }
}
