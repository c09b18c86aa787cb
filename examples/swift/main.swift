// Talk to an agent server from Swift: one turn, the text as it comes, and an approval that a person answers.
//
// swift run chat 'approve deploy {"to": "staging"}'
// swift run chat 'text Hello' my-server --stdio

import Turnwire

let given = Array(CommandLine.arguments.dropFirst())
let text = given.first ?? "text Hello from the scripted agent."
let server = given.count > 1 ? Array(given.dropFirst()) : ["turnwire", "serve", "--agent", "scripted"]

let client = try await Client.connect(ProcessTransport(server))
await client.on(.itemAgentMessageDelta) { print($0.delta, terminator: "") }
// Ask the person. The nonce proves that the answer is to this question and to no other.
await client.onRequest(.approvalRequest) { params in
    print("\(params.approval.title)? [y/N] ", terminator: "")
    let isYes = readLine()?.lowercased() == "y"
    return ApprovalAnswer(decision: isYes ? .accept : .decline, nonce: params.approval.binding.nonce ?? "")
}
try await client.initialize()
let thread = try await client.request(.threadStart, ThreadStartParams(title: "A chat")).thread
_ = try await client.request(
    .turnStart, TurnStartParams(threadId: thread.id, input: [.text(TextPart(text: text))])
)
let ended = try await client.next(.turnCompleted)
print("\n[\(ended.turn.status.rawValue)]")
await client.close()
