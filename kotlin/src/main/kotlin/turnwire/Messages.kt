/**
 * One JSON text to one message and back: the rules of RPC-* that a single message can break.
 *
 * A client has nobody to tell what was unreadable (RPC-17): a fault has a reply only where it has a lawful id.
 */

package turnwire

import kotlinx.serialization.json.JsonArray
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonNull
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive
import turnwire.generated.DecodingException
import turnwire.generated.ErrorData
import turnwire.generated.ErrorObject
import turnwire.generated.ErrorRow
import turnwire.generated.JsonSyntaxException
import turnwire.generated.RequestId
import turnwire.generated.Validators
import turnwire.generated.parseJson

/** What one text is. */
internal sealed interface Message {
    class Request(val id: JsonElement, val method: String, val params: JsonObject) : Message

    class Notification(val method: String, val params: JsonObject) : Message

    class Result(val id: JsonElement, val result: JsonElement) : Message

    /** An error answer; without an id it is about something that the other side could not read. */
    class Failure(val id: JsonElement?, val error: ProtocolException) : Message

    class Fault(val why: String, val reply: String? = null) : Message
}

private val NO_PARAMS = JsonObject(emptyMap())
private val REQUEST_ID = requireNotNull(Validators["RequestId"]) { "the protocol has ids" }

/** The message of one text; null for a blank one (STDIO-8). Nothing is thrown. */
internal fun readMessage(text: String): Message? {
    val value = try {
        parseJson(text)
    } catch (_: JsonSyntaxException) {
        return if (text.all { it in " \t\r\n" }) null else Message.Fault("it is not JSON")
    }
    if (value !is JsonObject || value["jsonrpc"] != JsonPrimitive("2.0")) {
        return Message.Fault("it is no JSON-RPC 2.0 message")
    }
    val method = value["method"]
    return when {
        method is JsonPrimitive && method.isString -> readCall(method.content, value)
        method == null && ("result" in value || "error" in value) -> readResponse(value)
        else -> Message.Fault("it has no method, result or error")
    }
}

internal fun writeRequest(id: JsonElement, method: String, params: JsonElement?): String =
    written("id" to id, "method" to JsonPrimitive(method), "params" to params)

internal fun writeNotification(method: String, params: JsonElement?): String =
    written("method" to JsonPrimitive(method), "params" to params)

internal fun writeResult(id: JsonElement, result: JsonElement): String = written("id" to id, "result" to result)

internal fun writeError(id: JsonElement, refusal: Refusal): String {
    val row = refusal.row
    val names = mapOf("code" to JsonPrimitive(row.wire), "retryable" to JsonPrimitive(row.retryable))
    val error = mapOf(
        "code" to JsonPrimitive(row.code),
        "message" to JsonPrimitive(refusal.message),
        "data" to JsonObject(names + refusal.particulars),
    )
    return written("id" to id, "error" to JsonObject(error))
}

private fun readCall(method: String, message: JsonObject): Message {
    val params = message["params"] ?: NO_PARAMS
    val id = message["id"]
    return when {
        id == null && params is JsonObject -> Message.Notification(method, params)
        id == null -> Message.Fault("the params of $method are no object")
        REQUEST_ID.check(id) != null -> Message.Fault("the id of $method is not lawful")
        params is JsonObject -> Message.Request(id, method, params)
        // RPC-12: "Params of another kind get -32602 where the id is lawful".
        else -> Message.Fault("the params of $method are no object", writeError(id, noObject()))
    }
}

private fun readResponse(message: JsonObject): Message {
    val id = message["id"]
    if (id == null || (id !is JsonNull && REQUEST_ID.check(id) != null)) {
        return Message.Fault("the id of a response is not lawful")
    }
    // Some servers write a null error beside a result.
    val error = message["error"].takeIf { it !is JsonNull }
    val result = message["result"]
    val known = id.takeIf { it !is JsonNull }
    return when {
        error == null && result != null && known != null -> Message.Result(known, result)
        // RPC-6: "A reply has exactly one of `result` and `error`."
        error == null || result != null ->
            Message.Failure(known, RemoteProtocolException("the response has not one of result and error"))
        else -> Message.Failure(known, remoteError(error))
    }
}

private fun remoteError(error: JsonElement): ProtocolException =
    try {
        val read = ErrorObject.read(error)
        RemoteException(read.code.toInt(), read.message, read.data)
    } catch (_: DecodingException) {
        withoutData(error)
    }

/** An error whose data is none of the table's; its number and its sentence are told all the same. */
private fun withoutData(error: JsonElement): ProtocolException {
    val code = ((error as? JsonObject)?.get("code") as? JsonPrimitive)?.content?.toIntOrNull()
    val message = ((error as? JsonObject)?.get("message") as? JsonPrimitive)?.takeIf { it.isString }
    if (code == null || message == null) {
        return RemoteProtocolException("the error has no integer code and string message")
    }
    return RemoteException(code, message.content, null)
}

private fun noObject(): Refusal {
    val sentence = "Params are an object or absent."
    val issue = mapOf("path" to "", "expected" to "object", "message" to sentence).mapValues { JsonPrimitive(it.value) }
    return Refusal(ErrorRow.INVALID_PARAMS, sentence, mapOf("issues" to JsonArray(listOf(JsonObject(issue)))))
}

private fun written(vararg members: Pair<String, JsonElement?>): String = JsonObject(
    buildMap {
        put("jsonrpc", JsonPrimitive("2.0"))
        for ((name, value) in members) if (value != null) put(name, value)
    },
).toString()
