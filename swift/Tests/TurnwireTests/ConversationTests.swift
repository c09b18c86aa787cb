import Foundation
import Turnwire
import XCTest

/// Whole conversations with the real server, whose command TURNWIRE_SERVER has as a JSON list of words.
final class ConversationTests: XCTestCase {
    private func connected(_ more: [String] = []) async throws -> Client {
        let words = try XCTUnwrap(ProcessInfo.processInfo.environment["TURNWIRE_SERVER"], "TURNWIRE_SERVER is not set")
        return try await Client.connect(ProcessTransport([String](parsing: words) + more))
    }

    private func started(_ client: Client, _ script: String) async throws -> (thread: String, turn: String) {
        let thread = try await client.request(.threadStart, ThreadStartParams(title: "A chat")).thread
        let params = TurnStartParams(threadId: thread.id, input: [.text(TextPart(text: script))])
        return (thread.id, try await client.request(.turnStart, params).turn.id)
    }

    func testToolAndApproval() async throws {
        let client = try await connected()
        let heard = Heard()
        await client.on(.itemCompleted) { await heard.add($0.item) }
        await client.onRequest(.approvalRequest) { params in
            ApprovalAnswer(decision: .accept, nonce: params.approval.binding.nonce ?? "")
        }
        let server = try await client.initialize()
        _ = try await started(client, "tool look {\"at\": 9007199254740991}\napprove deploy {\"to\": \"staging\"}\ntext Done")
        let ended = try await client.next(.turnCompleted)
        await client.close()

        XCTAssertEqual(.completed, ended.turn.status)
        XCTAssertEqual("turnwire", server.serverInfo.name)
        let items = await heard.items
        let tools = items.compactMap { item -> ToolCallItem? in
            if case let .toolCall(tool) = item { return tool }
            return nil
        }
        XCTAssertEqual(["look", "deploy"], tools.map(\.toolName))
        XCTAssertEqual(["at": 9_007_199_254_740_991], tools.first?.arguments)
        let faults = await client.faults
        XCTAssertEqual([], faults)
    }

    func testWhatAllItemsHave() throws {
        let head = #"{"type": "notice", "id": "itm_1", "threadId": "thr_1", "turnId": "trn_1", "status": "completed", "#
        let known = try Item(parsing: head + #""createdAt": 1, "level": "warning", "text": "Slow", "code": "slowModel"}"#)
        let unknown = try Item(parsing: #"{"type": "hologram", "id": "itm_2", "turnId": 7}"#)

        XCTAssertEqual("itm_1", known.id)
        XCTAssertEqual(.completed, known.status)
        XCTAssertNil(known.completedAt)
        XCTAssertEqual("itm_2", unknown.id)
        XCTAssertNil(unknown.turnId)
        XCTAssertNil(unknown.status)
    }

    func testApprovalIsDeclinedWhereNobodyAnswers() async throws {
        let client = try await connected()
        await client.onRequest(.approvalRequest) { params in
            ApprovalAnswer(decision: .decline, nonce: params.approval.binding.nonce ?? "")
        }
        try await client.initialize()
        _ = try await started(client, "approve deploy {}")
        var status: ItemStatus?
        while status == nil {
            if case let .toolCall(tool) = try await client.next(.itemCompleted).item { status = tool.status }
        }
        await client.close()

        XCTAssertEqual(.declined, status)
    }

    func testInterrupt() async throws {
        let client = try await connected()
        try await client.initialize()
        let at = try await started(client, "slow 1000 20")
        _ = try await client.next(.itemAgentMessageDelta)
        _ = try await client.request(.turnInterrupt, TurnInterruptParams(threadId: at.thread, turnId: at.turn))
        let ended = try await client.next(.turnCompleted)
        await client.close()

        XCTAssertEqual(.interrupted, ended.turn.status)
    }

    func testResume() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        let first = try await connected(["--state-dir", folder])
        try await first.initialize()
        let at = try await started(first, "text Hello")
        _ = try await first.next(.turnCompleted)
        await first.close()
        let second = try await connected(["--state-dir", folder])
        try await second.initialize()
        let resumed = try await second.request(.threadResume, ThreadResumeParams(threadId: at.thread))
        let turns = try await second.request(.threadTurnsList, ThreadTurnsListParams(threadId: at.thread))
        await second.close()

        XCTAssertEqual(at.thread, resumed.thread.id)
        XCTAssertEqual([at.turn], turns.data.map(\.id))
    }

    func testErrorsAreTold() async throws {
        let client = try await connected()
        try await client.initialize()
        do {
            _ = try await client.request(.threadRead, ThreadReadParams(threadId: "thr_gone"))
            XCTFail("there is no such thread")
        } catch let ClientError.remote(error) {
            XCTAssertEqual(.notFound, error.known)
        }
        await client.close()
        do {
            _ = try await client.request(.ping, EmptyParams())
            XCTFail("the connection has ended")
        } catch let ClientError.closed(reason) {
            XCTAssertEqual("it was closed", reason)
        }
    }

    func testWhoWaitsCanBeCancelled() async throws {
        let client = try await connected()
        try await client.initialize()
        let waiting = Task { try await client.next(.turnCompleted) }
        waiting.cancel()
        do {
            _ = try await waiting.value
            XCTFail("no turn was started")
        } catch is CancellationError {}
        _ = try await client.request(.ping, EmptyParams())
        await client.close()
    }

    func testAServerThatReadsNothing() async throws {
        let client = try await Client.connect(ProcessTransport(["sleep", "600"]))
        // More than a pipe holds.
        let title = String(repeating: "x", count: 1 << 20)
        do {
            _ = try await client.request(.threadStart, ThreadStartParams(title: title), timeout: .milliseconds(10))
            XCTFail("nobody answers")
        } catch let ClientError.timeout(method) {
            XCTAssertEqual("thread/start", method)
        }
        await client.close()
    }

    func testAServerThatCannotBeStarted() async throws {
        do {
            _ = try await Client.connect(ProcessTransport(["/no/such/server"]))
            XCTFail("there is no such program")
        } catch let ClientError.closed(reason) {
            XCTAssertEqual("cannot start /no/such/server: No such file or directory", reason)
        }
    }

    func testAServerThatDies() async throws {
        let client = try await Client.connect(ProcessTransport(["sh", "-c", "echo oops; exit 3"]))
        do {
            try await client.initialize()
            XCTFail("nobody is there")
        } catch let ClientError.closed(reason) {
            XCTAssertEqual("the server exited with status 3; before, what came was no message: no JSON object: oops", reason)
        }
        await client.close()
    }
}

/// What a handler has heard.
private actor Heard {
    private(set) var items: [Item] = []

    func add(_ item: Item) { items.append(item) }
}
