/**
 * What the server sends, and who takes it: handlers, and a backlog for what nobody handles.
 *
 * Nothing is ever approved by default (APPR-4), and nothing unknown is served (RPC-21).
 */

package turnwire

import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.CopyOnWriteArrayList
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive
import turnwire.generated.DecodingException
import turnwire.generated.ErrorRow
import turnwire.generated.NotificationMethod
import turnwire.generated.RequestMethod
import turnwire.generated.ServerNotification
import turnwire.generated.ServerRequests

/** The handlers and the backlog of one client. */
internal class Inbox {
    private class Kept(val method: String, val message: ServerNotification)

    private val handlers = ConcurrentHashMap<String, CopyOnWriteArrayList<(JsonObject) -> Unit>>()
    private val answers = ConcurrentHashMap<String, suspend (JsonObject) -> JsonElement>()
    private val backlog = Backlog<Kept>()

    fun <P> on(method: NotificationMethod<P>, handler: (P) -> Unit): AutoCloseable {
        val codec = requireNotNull(method.params) { "$method has no params to handle" }
        val list = handlers.getOrPut(method.name) { CopyOnWriteArrayList() }
        val entry = { params: JsonObject -> handler(codec.read(params)) }
        list.add(entry)
        return AutoCloseable { list.remove(entry) }
    }

    fun <P, R> onRequest(method: RequestMethod<P, R>, handler: suspend (P) -> R) {
        val codec = requireNotNull(method.params) { "$method has no params to handle" }
        answers[method.name] = { params -> method.result.write(handler(lawful(method) { codec.read(params) })) }
    }

    /** Whether requests of this method have a handler. */
    fun answers(method: RequestMethod<*, *>): Boolean = answers.containsKey(method.name)

    /** All that has no handler, or what of it is of [methods], until the end. */
    fun notifications(methods: Set<String>): Flow<ServerNotification> = flow {
        while (true) {
            val kept = backlog.take { methods.isEmpty() || it.method in methods } ?: break
            emit(kept.message)
        }
    }

    /** Gives a notification to its handlers, or to the backlog. Throws [DecodingException], and what a handler throws. */
    fun notify(method: String, params: JsonObject) {
        val handling = handlers[method]
        if (handling.isNullOrEmpty()) {
            val names = mapOf("jsonrpc" to JsonPrimitive("2.0"), "method" to JsonPrimitive(method))
            backlog.put(Kept(method, ServerNotification.read(JsonObject(names + ("params" to params)))))
        } else {
            for (handler in handling) handler(params)
        }
    }

    /** The answer to a request. Throws [Refusal] where it is not served. */
    suspend fun answer(method: String, params: JsonObject): JsonElement =
        answers[method]?.invoke(params) ?: defaultAnswer(method, params)

    /** No more comes. */
    fun end(error: Throwable?) {
        backlog.end(error)
    }
}

/** What a request gets that no handler takes. */
private fun defaultAnswer(method: String, params: JsonObject): JsonElement = when (method) {
    ServerRequests.ping.name -> JsonObject(emptyMap())
    ServerRequests.approvalRequest.name ->
        JsonObject(mapOf("decision" to JsonPrimitive("decline"), "nonce" to (nonceOf(params) ?: JsonPrimitive(""))))
    else -> throw Refusal(ErrorRow.METHOD_NOT_FOUND, "$method is not served.")
}

private fun nonceOf(params: JsonObject): JsonElement? =
    ((params["approval"] as? JsonObject)?.get("binding") as? JsonObject)?.get("nonce")

/** RPC-11: "A value of the wrong kind in params gets -32602 with the id of the request." */
private inline fun <T> lawful(method: RequestMethod<*, *>, read: () -> T): T =
    try {
        read()
    } catch (fault: DecodingException) {
        throw invalidParams(method.name, fault)
    }
