/// A typed client over any transport.
///
/// Whatever the server does ends in a value or in one clear error: garbage on the line, a process that dies, an answer
/// that never comes.
public actor Client {
    /// How a client is made.
    public struct Options: Sendable {
        /// Who connects.
        public var clientInfo = ClientInfo(name: "turnwire-swift")
        /// What the client can do, beside what its request handlers show.
        public var capabilities = ClientCapabilities()
        // LIM-5: "A client bounds its pending requests at 256 and waits 120 seconds for an answer."
        /// How long a request waits for its answer.
        public var timeout: Duration = .seconds(120)
        /// So many requests wait for their answers at most; one more is not sent.
        public var mostPending = 256

        /// What most clients want.
        public init() {}
    }

    /// What came and could not be read: the first 20 times.
    public private(set) var faults: [String] = []
    /// What the server said in `initialize`; nil before.
    public private(set) var server: InitializeResult?

    private let transport: any Transport
    private let options: Options
    private var inbox = Inbox()
    private var pending: [Int: CheckedContinuation<JSONValue, any Error>] = [:]
    private var lastID = 0
    private var ended: ClientError?
    private var letters: AsyncStream<Inbox.Letter>.Continuation?

    // What was unreadable is told by its first lines; a server that writes only garbage must not fill the memory.
    private static let mostFaults = 20

    private init(_ transport: any Transport, _ options: Options) {
        self.transport = transport
        self.options = options
    }

    /// A client that is connected and not initialized: set handlers, then call `initialize`. It lives until it is
    /// closed or the server ends the connection, whoever holds it. Throws `ClientError`.
    public static func connect(_ transport: any Transport, options: Options = Options()) async throws -> Client {
        let client = Client(transport, options)
        let arrivals = try await transport.open()
        await client.begin(arrivals)
        return client
    }

    /// Calls the handler for each such notification, one after the other. What it throws is kept in `faults`.
    public func on<Params>(
        _ method: ServerNotificationMethod<Params>, _ handler: @escaping @Sendable (Params) async throws -> Void
    ) {
        inbox.listen(method.name) { try await handler(Params(json: $0)) }
    }

    /// Answers requests of the server. A `Refusal` that the handler throws is the answer, any other error an internal
    /// one. Set before `initialize`, it declares the capability too.
    public func onRequest<Params, Reply>(
        _ method: ServerRequestMethod<Params, Reply>, _ handler: @escaping @Sendable (Params) async throws -> Reply
    ) {
        inbox.answer(method.name) { json in
            let params: Params
            do {
                params = try Params(json: json)
            } catch let fault as JSONFault {
                throw Refusal(.invalidParams, "The params of \(method.name) are not lawful: \(fault).")
            }
            return try await handler(params).asJSON()
        }
    }

    /// `initialize`, with a capability for each request handler there is.
    @discardableResult
    public func initialize() async throws -> InitializeResult {
        var capabilities = options.capabilities
        if inbox.answers("approval/request") { capabilities.approvals = capabilities.approvals ?? true }
        if inbox.answers("userInput/request") { capabilities.userInput = capabilities.userInput ?? true }
        if inbox.answers("tool/call") { capabilities.dynamicTools = capabilities.dynamicTools ?? true }
        let params = InitializeParams(
            protocolVersion: ProtocolFacts.major, clientInfo: options.clientInfo, capabilities: capabilities
        )
        let result = try await request(.initialize, params)
        server = result
        return result
    }

    /// Sends one request. Throws `ClientError`, or `CancellationError`; the request may run all the same.
    public func request<Params, Reply>(
        _ method: ClientRequestMethod<Params, Reply>, _ params: Params, timeout: Duration? = nil
    ) async throws -> Reply {
        let json = try await call(method.name, params, timeout ?? options.timeout)
        do {
            return try Reply(json: json)
        } catch let fault as JSONFault {
            throw ClientError.unlawful(method: method.name, fault: fault)
        }
    }

    /// Sends a notification. Throws `ClientError`.
    public func notify<Params>(_ method: ClientNotificationMethod<Params>, _ params: Params) throws {
        try send(method.name, params, id: nil)
    }

    /// The next notification of this method that no handler takes; those before it are passed over.
    /// Throws `ClientError`, or `CancellationError`.
    public func next<Params>(_ method: ServerNotificationMethod<Params>) async throws -> Params {
        try Task.checkCancellation()
        lastID += 1
        let id = lastID
        let json = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { inbox.next(method.name, id: id, $0) }
        } onCancel: {
            Task { await self.stopWaiting(id) }
        }
        do {
            return try Params(json: json)
        } catch let fault as JSONFault {
            throw ClientError.unlawful(method: method.name, fault: fault)
        }
    }

    /// Ends the connection; a server that was started is gone then. It may be called again.
    public func close() async {
        end(.closed("it was closed"))
        await transport.close()
    }
}

// MARK: - What is sent

extension Client {
    private func call(
        _ method: String, _ params: some JSONRepresentable, _ timeout: Duration
    ) async throws -> JSONValue {
        guard pending.count < options.mostPending else { throw ClientError.tooManyPending(options.mostPending) }
        try Task.checkCancellation()
        lastID += 1
        let id = lastID
        let watch = Task { [weak self] in
            try await Task.sleep(for: timeout)
            await self?.settle(id, .failure(ClientError.timeout(method: method)))
        }
        defer { watch.cancel() }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { answer in
                pending[id] = answer
                do {
                    try send(method, params, id: id)
                } catch {
                    settle(id, .failure(error))
                }
            }
        } onCancel: {
            Task { await self.settle(id, .failure(CancellationError())) }
        }
    }

    private func send(_ method: String, _ params: some JSONRepresentable, id: Int?) throws {
        if let ended { throw ended }
        var writer = JSONWriter()
        writer.beginObject()
        writer.optional("id", id)
        writer.required("jsonrpc", "2.0")
        writer.required("method", method)
        writer.required("params", params)
        writer.endObject()
        if let limit = server?.limits.messageBytes, writer.bytes.count > limit {
            throw ClientError.tooLong(method: method, limit: limit)
        }
        transport.send(writer.bytes)
    }

    private func reply(_ id: JSONValue, _ name: String, _ value: JSONValue) {
        transport.send(JSONValue.object(["jsonrpc": "2.0", "id": id, name: value] as JSONObject).jsonBytes)
    }
}

// MARK: - What comes

extension Client {
    private func begin(_ arrivals: AsyncStream<Arrival>) {
        let (stream, letters) = AsyncStream<Inbox.Letter>.makeStream()
        self.letters = letters
        // Answers must not wait for handlers, which may themselves wait for answers; so these have a task of their own.
        Task {
            for await letter in stream { await self.deliver(letter) }
            self.endInbox()
        }
        Task { for await arrival in arrivals { await self.receive(arrival) } }
    }

    private func receive(_ arrival: Arrival) async {
        switch arrival {
        case let .message(bytes): take(bytes)
        case let .unreadable(why): note(why)
        case let .ended(reason):
            end(.closed(faults.first.map { "\(reason); before, what came was no message: \($0)" } ?? reason))
            await transport.close()
        }
    }

    private func take(_ bytes: [UInt8]) {
        guard let json = try? JSONValue(parsing: bytes), case let .object(message) = json else {
            return note("no JSON object: \(String(decoding: bytes.prefix(160), as: UTF8.self))")
        }
        let params = message["params"] ?? .object([:])
        switch (message["method"], message["id"]) {
        case let (.string(method)?, nil): letters?.yield(Inbox.Letter(method: method, params: params))
        case let (.string(method)?, id?): Task { await answer(method, params, id) }
        case let (nil, .integer(id)?): settle(id, Self.outcome(of: message))
        default: note("no lawful message: \(String(decoding: bytes.prefix(160), as: UTF8.self))")
        }
    }

    private static func outcome(of message: JSONObject) -> Result<JSONValue, any Error> {
        if let result = message["result"] { return .success(result) }
        guard case let .object(error)? = message["error"], case let .integer(code)? = error["code"],
            case let .string(text)? = error["message"]
        else { return .failure(ClientError.unlawful(method: "a request", fault: JSONFault(rule: "required"))) }
        return .failure(ClientError.remote(RemoteError(code: code, message: text, data: error["data"])))
    }

    private func settle(_ id: Int, _ outcome: Result<JSONValue, any Error>) {
        pending.removeValue(forKey: id)?.resume(with: outcome)
    }

    private func deliver(_ letter: Inbox.Letter) async {
        let listeners = inbox.listeners(of: letter.method)
        guard !listeners.isEmpty else { return inbox.take(letter) }
        for listener in listeners {
            do {
                try await listener(letter.params)
            } catch {
                note("the handler of \(letter.method) failed: \(error)")
            }
        }
    }

    /// RPC-19: every request of the server gets exactly one reply.
    private func answer(_ method: String, _ params: JSONValue, _ id: JSONValue) async {
        do {
            if method == "ping" { return reply(id, "result", .object([:])) }
            guard let answerer = inbox.answerer(of: method) else {
                throw Refusal(.methodNotFound, "This client does not serve \(method).")
            }
            reply(id, "result", try await answerer(params))
        } catch let refusal as Refusal {
            reply(id, "error", .object(refusal.error))
        } catch {
            note("the handler of \(method) failed: \(error)")
            // ERR-3: the particulars of an internal error are not for the other side.
            reply(id, "error", .object(Refusal(.internalError, "The handler failed.").error))
        }
    }

    private func note(_ fault: String) {
        if faults.count < Self.mostFaults { faults.append(fault) }
    }

    /// The one place where a connection ends, whoever ended it first.
    private func end(_ reason: ClientError) {
        guard ended == nil else { return }
        ended = reason
        for answer in pending.values { answer.resume(throwing: reason) }
        pending = [:]
        // What came before the end is delivered before it.
        letters?.finish()
    }

    private func stopWaiting(_ id: Int) {
        inbox.cancel(id)
    }

    private func endInbox() {
        if let ended { inbox.end(ended) }
    }
}
