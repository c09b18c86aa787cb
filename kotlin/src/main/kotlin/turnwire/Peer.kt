/**
 * JSON-RPC over a transport: calls and their answers, requests of the other side and ours.
 *
 * Every request of the other side gets exactly one reply (RPC-19), and every call of ours ends: in its result, an
 * error, a timeout, or the end of the connection.
 */

package turnwire

import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicLong
import kotlin.time.Duration
import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.channels.ReceiveChannel
import kotlinx.coroutines.launch
import kotlinx.coroutines.sync.Semaphore
import kotlinx.coroutines.sync.withPermit
import kotlinx.coroutines.withTimeoutOrNull
import kotlinx.serialization.json.JsonArray
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive
import turnwire.generated.DecodingException
import turnwire.generated.ErrorRow

/** One side of one connection. */
internal class Peer(
    private val transport: Transport,
    private val inbox: Inbox,
    private val scope: CoroutineScope,
    maxPending: Int,
    private val report: (String, Throwable) -> Unit,
) {
    /** What came and could not be read: the first 20 times. */
    val faults = ArrayList<String>()

    /** The longest message that the other side reads, in bytes (LIM-1); known after the handshake. */
    @Volatile
    var sendLimit = Long.MAX_VALUE

    private val permits = Semaphore(maxPending)
    private val pending = ConcurrentHashMap<Long, CompletableDeferred<JsonElement>>()
    private val ids = AtomicLong()

    @Volatile
    private var closed: ConnectionClosedException? = null

    @Volatile
    private var isWanted = false

    /** Opens the transport, and hears it until its end. */
    suspend fun open() {
        val incoming = transport.open()
        scope.launch { hear(incoming) }
    }

    /** Calls the other side; waits first while too many calls wait for an answer already. */
    suspend fun request(method: String, params: JsonElement?, timeout: Duration): JsonElement =
        permits.withPermit {
            val id = ids.incrementAndGet()
            val answer = CompletableDeferred<JsonElement>()
            pending[id] = answer
            try {
                send(writeRequest(JsonPrimitive(id), method, params), method)
                withTimeoutOrNull(timeout) { answer.await() }
                    ?: throw RequestTimeoutException("$method got no answer in $timeout; it may have run all the same")
            } finally {
                pending.remove(id)
            }
        }

    /** Sends a notification. */
    suspend fun notify(method: String, params: JsonElement?) {
        send(writeNotification(method, params), method)
    }

    /** Ends the connection from this side; returns when nothing of it is left. */
    suspend fun close() {
        isWanted = true
        transport.close()
        end("it was closed")
    }

    private suspend fun hear(incoming: ReceiveChannel<Incoming>) {
        var why = "the transport gave no reason"
        for (one in incoming) {
            when (one) {
                is Incoming.Message -> readMessage(one.text)?.let { take(it, one.text) }
                is Incoming.Unreadable -> fault(one.why, one.excerpt)
                is Incoming.End -> why = one.why
            }
        }
        end(why)
        if (!isWanted) transport.close()
    }

    private suspend fun take(message: Message, text: String) {
        when (message) {
            is Message.Notification -> notified(message, text)
            is Message.Request -> scope.launch { transport.send(reply(message)) }
            is Message.Result -> waiting(message.id)?.complete(message.result)
            is Message.Failure ->
                if (message.id == null) fault("the other side could not read a message: ${message.error.message}", text)
                else waiting(message.id)?.completeExceptionally(message.error)
            is Message.Fault -> {
                message.reply?.let { transport.send(it) }
                fault(message.why, text)
            }
        }
    }

    private fun notified(message: Message.Notification, text: String) {
        try {
            inbox.notify(message.method, message.params)
        } catch (wrong: DecodingException) {
            fault("${message.method} is not what the protocol says: ${wrong.message}", text)
        } catch (error: Exception) {
            // A handler is not ours; its failure must not end the connection.
            report("a handler of ${message.method} failed", error)
        }
    }

    private suspend fun reply(request: Message.Request): String =
        try {
            writeResult(request.id, inbox.answer(request.method, request.params))
        } catch (refusal: Refusal) {
            writeError(request.id, refusal)
        } catch (cancelled: CancellationException) {
            throw cancelled
        } catch (error: Exception) {
            // ERR-3: the particulars of an internal error are not for the other side.
            report("the handler of ${request.method} failed", error)
            writeError(request.id, Refusal(ErrorRow.INTERNAL_ERROR, "The handler failed."))
        }

    private fun waiting(id: JsonElement): CompletableDeferred<JsonElement>? =
        (id as? JsonPrimitive)?.takeIf { !it.isString }?.content?.toLongOrNull()?.let(pending::get)

    private suspend fun send(text: String, method: String) {
        if (closed != null || isWanted) {
            throw ConnectionClosedException("the connection has ended; $method was not sent")
        }
        // A UTF-16 unit takes at most three bytes, so that most messages need no counting.
        if (text.length * 3L > sendLimit && text.toByteArray().size > sendLimit) {
            throw LocalProtocolException("$method was not sent: the server takes at most $sendLimit bytes a message")
        }
        transport.send(text)
    }

    private fun fault(why: String, excerpt: String) {
        synchronized(faults) {
            if (faults.size < FAULTS) faults.add(if (excerpt.isEmpty()) why else "$why: ${excerpt.take(EXCERPT)}")
        }
    }

    /** The one place where a connection ends, whoever ended it first. */
    @Synchronized
    private fun end(why: String) {
        if (closed != null) return
        val fault = synchronized(faults) { faults.firstOrNull() }
        val story = if (fault == null) why else "$why; before, what came was no message: $fault"
        val error = ConnectionClosedException("the connection has ended: $story")
        closed = error
        for (answer in pending.values) answer.completeExceptionally(error)
        inbox.end(if (isWanted) null else error)
    }
}

// What was unreadable is quoted by its first lines; a server that writes nothing but garbage must not fill the memory.
private const val FAULTS = 20
private const val EXCERPT = 160

/** The refusal of params that are not what the protocol says. */
internal fun invalidParams(method: String, fault: DecodingException): Refusal {
    val issue = mapOf("path" to fault.pointer, "message" to "It is not what the protocol says: ${fault.rule}.")
    val issues = JsonArray(listOf(JsonObject(issue.mapValues { JsonPrimitive(it.value) })))
    return Refusal(ErrorRow.INVALID_PARAMS, "The params of $method are not lawful.", mapOf("issues" to issues))
}
