/**
 * One turn with an agent, in the terminal: it prints what is said, and asks before anything runs.
 *
 * The first word is the prompt; the others are the command of a server.
 */

import kotlin.system.exitProcess
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.runBlocking
import turnwire.Client
import turnwire.ProtocolException
import turnwire.generated.ApprovalAnswer
import turnwire.generated.ApprovalDecision
import turnwire.generated.ClientRequests
import turnwire.generated.ServerNotifications
import turnwire.generated.ServerRequests
import turnwire.generated.TextPart
import turnwire.generated.ThreadStartParams
import turnwire.generated.ToolCallItem
import turnwire.generated.TurnCompletedNotification
import turnwire.generated.TurnStartParams

fun main(words: Array<String>) {
    if (words.isEmpty()) {
        System.err.println("usage: chat PROMPT [COMMAND OF A SERVER…]")
        exitProcess(2)
    }
    val server = words.drop(1).ifEmpty { listOf("turnwire", "serve", "--agent", "scripted") }
    try {
        println("[${runBlocking { turn(words[0], server) }}]")
    } catch (error: ProtocolException) {
        System.err.println("chat: ${error.message}")
        exitProcess(1)
    }
}

/** How the turn ended. */
private suspend fun turn(prompt: String, server: List<String>): String {
    val client = Client.spawn(server)
    client.on(ServerNotifications.itemAgentMessageDelta) { print(it.delta) }
    client.on(ServerNotifications.itemCompleted) { (it.item as? ToolCallItem)?.let { tool -> println(told(tool)) } }
    client.onRequest(ServerRequests.approvalRequest) { params ->
        val isAllowed = asked("may it run ${params.approval.operation}?")
        val decision = if (isAllowed) ApprovalDecision.Known.ACCEPT else ApprovalDecision.Known.DECLINE
        ApprovalAnswer(decision = decision, nonce = params.approval.binding.nonce.orEmpty())
    }
    client.initialize()
    val thread = client.request(ClientRequests.threadStart, ThreadStartParams()).thread
    val input = listOf(TextPart(text = prompt))
    client.request(ClientRequests.turnStart, TurnStartParams(threadId = thread.id, input = input))
    val ended = client.notifications(ServerNotifications.turnCompleted).first() as TurnCompletedNotification
    client.close()
    println()
    return ended.params.turn.status.wire
}

private fun told(tool: ToolCallItem): String = "${tool.toolName} ${tool.status.wire}: ${tool.result ?: "no result"}"

private fun asked(question: String): Boolean {
    print("$question [y/N] ")
    System.out.flush()
    return readlnOrNull()?.trim() == "y"
}
