package turnwire

import kotlin.time.Duration.Companion.seconds
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.flow.takeWhile
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
import kotlinx.serialization.json.Json
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.CsvSource
import turnwire.generated.AgentMessageItem
import turnwire.generated.ApprovalAnswer
import turnwire.generated.ApprovalDecision
import turnwire.generated.ClientCapabilities
import turnwire.generated.ClientRequests
import turnwire.generated.Item
import turnwire.generated.ItemAgentMessageDeltaNotification
import turnwire.generated.ItemCompletedNotification
import turnwire.generated.PendingApproval
import turnwire.generated.Protocol
import turnwire.generated.ResumeDecision
import turnwire.generated.ServerNotifications
import turnwire.generated.ServerRequests
import turnwire.generated.TextPart
import turnwire.generated.ThreadResumeParams
import turnwire.generated.ThreadStartParams
import turnwire.generated.ToolCallItem
import turnwire.generated.TurnCompletedNotification
import turnwire.generated.TurnInterruptParams
import turnwire.generated.TurnResume
import turnwire.generated.TurnStartParams

/**
 * Whole conversations with a real server, whose agent obeys the script grammar.
 *
 * TURNWIRE_SERVER is the command of one, as a JSON array.
 */
class ConversationTest {
    private val server: List<String> =
        Json.decodeFromString(checkNotNull(System.getenv("TURNWIRE_SERVER")) { "TURNWIRE_SERVER must be set to a command" })

    /** A client that has shaken hands and has a thread; it answers approvals with this decision. */
    private fun begun(
        decision: ApprovalDecision?,
        capabilities: ClientCapabilities? = null,
        talk: suspend (Client, String) -> Unit,
    ) = runBlocking {
        withTimeout(60.seconds) {
            val client = Client.spawn(server)
            if (decision != null) {
                client.onRequest(ServerRequests.approvalRequest) {
                    ApprovalAnswer(decision = decision, nonce = checkNotNull(it.approval.binding.nonce))
                }
            }
            if (capabilities == null) client.initialize() else client.initialize(capabilities)
            talk(client, client.request(ClientRequests.threadStart, ThreadStartParams()).thread.id)
            client.close()
            assertEquals(emptyList<String>(), client.faults)
        }
    }

    /** Runs a script; the items that were completed, and how the turn ended. */
    private suspend fun run(client: Client, threadId: String, script: String): Pair<List<Item>, String> {
        client.request(ClientRequests.turnStart, said(threadId, script))
        return ended(client)
    }

    private suspend fun ended(client: Client): Pair<List<Item>, String> {
        var status = ""
        val items = client.notifications(ServerNotifications.itemCompleted, ServerNotifications.turnCompleted)
            .takeWhile { message ->
                if (message is TurnCompletedNotification) status = message.params.turn.status.wire
                message !is TurnCompletedNotification
            }
            .toList().map { (it as ItemCompletedNotification).params.item }
        return items to status
    }

    private fun said(threadId: String, script: String) =
        TurnStartParams(threadId = threadId, input = listOf(TextPart(text = script)))

    private inline fun <reified T : Item> List<Item>.only(): T? = filterIsInstance<T>().singleOrNull()

    @Test
    fun `the server was built from the schema that these types are of`() = begun(null) { client, _ ->
        assertEquals(Protocol.SCHEMA_DIGEST, client.server?.schema?.digest)
    }

    @Test
    fun `a turn with words and a tool`() = begun(null) { client, threadId ->
        val deltas = StringBuilder()
        client.on(ServerNotifications.itemAgentMessageDelta) { deltas.append(it.delta) }
        val (items, status) = run(client, threadId, "text Hello, wide world 😀\ntool clock {\"zone\":\"UTC\"}")

        assertEquals("completed", status)
        assertEquals("Hello, wide world 😀", items.only<AgentMessageItem>()?.text)
        assertEquals("Hello, wide world 😀", deltas.toString())
        assertEquals("""{"echo":{"zone":"UTC"}}""", items.only<ToolCallItem>()?.result?.toString())
    }

    @ParameterizedTest
    @CsvSource("ACCEPT, completed, completed", "DECLINE, declined, completed", "CANCEL, , interrupted")
    fun `an approval that is answered`(decision: String, tool: String?, expected: String) =
        begun(ApprovalDecision.Known.valueOf(decision)) { client, threadId ->
            val (items, status) = run(client, threadId, "approve deploy {}")

            assertEquals(expected to tool, status to items.only<ToolCallItem>()?.status?.wire)
        }

    @Test
    fun `nothing is approved by a client without a handler`() =
        begun(null, ClientCapabilities(approvals = true)) { client, threadId ->
            val (items, status) = run(client, threadId, "approve deploy {}")

            assertEquals("completed" to "declined", status to items.only<ToolCallItem>()?.status?.wire)
        }

    @Test
    fun `a turn that is interrupted`() = begun(null) { client, threadId ->
        val turn = client.request(ClientRequests.turnStart, said(threadId, "slow 1000 20")).turn
        client.notifications(ServerNotifications.itemAgentMessageDelta)
            .first { it is ItemAgentMessageDeltaNotification && it.params.offset > 0 }
        val result = client.request(ClientRequests.turnInterrupt, TurnInterruptParams(threadId = threadId, turnId = turn.id))

        assertEquals(listOf(true, "interrupted"), listOf(result.settled, result.turn.status.wire))
    }

    @Test
    fun `a turn that pauses, and goes on with a decision`() = begun(ApprovalDecision.Known.DEFER) { client, threadId ->
        val (_, paused) = run(client, threadId, "approve deploy {}")
        val resumed = client.request(ClientRequests.threadResume, ThreadResumeParams(threadId = threadId))
        val approval = (resumed.pending.single() as PendingApproval).approval
        val answer = ApprovalAnswer(decision = ApprovalDecision.Known.ACCEPT, nonce = approval.binding.nonce.orEmpty())
        val decisions = listOf(ResumeDecision(approvalId = approval.approvalId, answer = answer))
        val resume = TurnResume(decisions = decisions)
        client.request(ClientRequests.turnStart, TurnStartParams(threadId = threadId, resume = resume))
        val (items, status) = ended(client)

        assertEquals("paused" to "completed", paused to status)
        assertEquals("completed", items.only<ToolCallItem>()?.status?.wire)
    }
}
