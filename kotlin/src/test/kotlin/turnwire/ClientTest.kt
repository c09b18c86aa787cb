package turnwire

import kotlin.time.Duration
import kotlin.time.Duration.Companion.milliseconds
import kotlin.time.Duration.Companion.seconds
import kotlinx.coroutines.async
import kotlinx.coroutines.channels.ReceiveChannel
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.flow.take
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeout
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Assertions.assertTrue
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows
import turnwire.generated.ClientRequests
import turnwire.generated.EmptyParams
import turnwire.generated.EmptyResult
import turnwire.generated.ErrorRow
import turnwire.generated.ServerNotifications
import turnwire.generated.ServerRequests
import turnwire.generated.ThreadDeletedNotification
import turnwire.generated.UnknownServerNotification

/** A client against a server that says what the test tells it to. */
class ClientTest {
    private class Server(private val transport: Transport, private val incoming: ReceiveChannel<Incoming>) {
        suspend fun hear(): String = (incoming.receive() as Incoming.Message).text
        suspend fun say(text: String) = transport.send(text)
        suspend fun end() = transport.close()
    }

    private fun conversation(timeout: Duration = 5.seconds, talk: suspend (Client, Server) -> Unit) = runBlocking {
        withTimeout(30.seconds) {
            val (near, far) = memoryPair()
            val server = Server(far, far.open())
            val client = Client.connect(near, ClientOptions(timeout = timeout, report = { _, _ -> }))
            try {
                talk(client, server)
            } finally {
                client.close()
            }
        }
    }

    private suspend fun Client.ping(timeout: Duration = 5.seconds): EmptyResult =
        request(ClientRequests.ping, EmptyParams(), timeout)

    @Test
    fun `answers find their requests in any order`() = conversation { client, server ->
        runBlocking {
            val first = async { client.ping() }
            assertEquals("""{"jsonrpc":"2.0","id":1,"method":"ping","params":{}}""", server.hear())
            val second = async { client.ping() }
            assertEquals("""{"jsonrpc":"2.0","id":2,"method":"ping","params":{}}""", server.hear())
            server.say("""{"jsonrpc":"2.0","id":2,"result":{}}""")
            assertEquals(EmptyResult(), second.await())
            server.say("""{"jsonrpc":"2.0","id":1,"result":{}}""")
            assertEquals(EmptyResult(), first.await())
        }
    }

    @Test
    fun `an error has its row and its data`() = conversation { client, server ->
        val call = runCatching {
            runBlocking {
                val answer = async { runCatching { client.ping() } }
                server.hear()
                val data = """{"code":"turnActive","retryable":true,"turnId":"turn_1"}"""
                server.say("""{"jsonrpc":"2.0","id":1,"error":{"code":-32010,"message":"Busy.","data":$data}}""")
                answer.await().getOrThrow()
            }
        }
        val error = call.exceptionOrNull() as RemoteException

        val told = listOf(error.code, error.message, error.row, error.retryable)
        assertEquals(listOf(-32010, "Busy.", ErrorRow.TURN_ACTIVE, true), told)
    }

    @Test
    fun `garbage is told of and passed over`() = conversation { client, server ->
        runBlocking {
            val answer = async { client.ping() }
            server.hear()
            val unasked = """{"jsonrpc":"2.0","id":9,"result":{}}"""
            for (text in listOf("<html>", "[]", """{"jsonrpc":"2.0"}""", "", unasked)) server.say(text)
            server.say("""{"jsonrpc":"2.0","id":1,"result":{}}""")
            answer.await()

            val expected = listOf("it is not JSON", "it is no JSON-RPC 2.0 message", "it has no method, result or error")
            assertEquals(expected, client.faults.map { it.substringBefore(":") })
        }
    }

    @Test
    fun `a result that is none is the fault of the server`() = conversation { client, server ->
        runBlocking {
            val answer = async { runCatching { client.ping() } }
            server.hear()
            server.say("""{"jsonrpc":"2.0","id":1,"result":[]}""")

            assertTrue(answer.await().exceptionOrNull() is RemoteProtocolException)
        }
    }

    @Test
    fun `a request that gets no answer ends`() = conversation { client, server ->
        assertThrows<RequestTimeoutException> { runBlocking { client.ping(50.milliseconds) } }
        server.hear()
    }

    @Test
    fun `the end of a connection ends all that waits`() = conversation { client, server ->
        runBlocking {
            val answer = async { runCatching { client.ping() } }
            val next = async { runCatching { client.notifications().first() } }
            server.hear()
            server.end()

            assertTrue(answer.await().exceptionOrNull() is ConnectionClosedException)
            assertTrue(next.await().exceptionOrNull() is ConnectionClosedException)
            assertThrows<ConnectionClosedException> { runBlocking { client.ping() } }
        }
    }

    @Test
    fun `what nobody handles is kept in order, and handlers come first`() = conversation { client, server ->
        val handled = ArrayList<String>()
        val handler = client.on(ServerNotifications.threadArchived) { handled.add(it.threadId) }
        server.say("""{"jsonrpc":"2.0","method":"_vendor/news","params":{"a":1}}""")
        server.say("""{"jsonrpc":"2.0","method":"thread/archived","params":{"threadId":"t1","archivedAt":0,"seq":1}}""")
        server.say("""{"jsonrpc":"2.0","method":"thread/deleted","params":{"threadId":"t2","seq":2}}""")
        val deleted = client.notifications(ServerNotifications.threadDeleted).first() as ThreadDeletedNotification
        handler.close()

        assertEquals("t2", deleted.params.threadId)
        assertEquals(listOf("t1"), handled)
        assertTrue(client.notifications().take(1).toList().single() is UnknownServerNotification)
    }

    @Test
    fun `requests of the server get one answer each`() = conversation { client, server ->
        client.onRequest(ServerRequests.userInputRequest) { error("broken") }
        val asked = listOf(
            """"method":"ping"""" to """"result":{}""",
            """"method":"approval/request","params":{"approval":{"binding":{"nonce":"n"}}}""" to
                """"result":{"decision":"decline","nonce":"n"}""",
            """"method":"tool/call"""" to """"code":-32601""",
            """"method":"_vendor/x"""" to """"code":-32601""",
            """"method":"userInput/request"""" to """"code":-32602""",
            """"method":"ping","params":[]""" to """"code":-32602""",
        )
        for ((request, expected) in asked) {
            server.say("""{"jsonrpc":"2.0","id":"q",$request}""")
            val answer = server.hear()

            assertTrue(answer.startsWith("""{"jsonrpc":"2.0","id":"q",""") && expected in answer, answer)
        }
    }

    @Test
    fun `a server that cannot be started is named`() {
        val error = assertThrows<ConnectionClosedException> { runBlocking { Client.spawn(listOf("/no/such/server")) } }

        assertTrue("/no/such/server" in error.message.orEmpty(), error.message)
    }

    @Test
    fun `a server that dies is told of with its status`() = runBlocking {
        val client = Client.spawn(listOf("sh", "-c", "read line; exit 3"))
        val error = runCatching { client.ping() }.exceptionOrNull()
        client.close()

        assertTrue("the server exited with status 3" in error?.message.orEmpty(), error?.message)
    }
}
