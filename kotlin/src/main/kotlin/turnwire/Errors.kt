/** Everything that can go wrong between two peers, named by whose fault it is. */

package turnwire

import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive
import turnwire.generated.ErrorData
import turnwire.generated.ErrorRow

/** The base of all that a client throws about the protocol. */
public sealed class ProtocolException(message: String, cause: Throwable? = null) : Exception(message, cause)

/** This side, or the program that uses it, broke the protocol; nothing was sent. */
public class LocalProtocolException(message: String) : ProtocolException(message)

/** The other side broke the protocol: what it sent cannot be read as what it should be. */
public class RemoteProtocolException(message: String, cause: Throwable? = null) : ProtocolException(message, cause)

/** The connection ended before the answer came. The request may have run all the same: resume and read. */
public class ConnectionClosedException(message: String, cause: Throwable? = null) : ProtocolException(message, cause)

/** No answer came in time. The request may have run all the same. */
public class RequestTimeoutException(message: String) : ProtocolException(message)

/** The other side answered with an error. */
public class RemoteException(
    /** The number of the error, as the error table gives it. */
    public val code: Int,
    message: String,
    /** What a program needs to act; null only from a peer that does not keep to ERR-2. */
    public val data: ErrorData?,
) : ProtocolException(message) {
    /** The row of the error table; null for an error that this version does not know. */
    public val row: ErrorRow? get() = (text("code"))?.let(ErrorRow::of)

    /** Whether the same request may succeed later. */
    public val retryable: Boolean get() = (member("retryable") as? JsonPrimitive)?.content == "true"

    private fun text(name: String): String? = (member(name) as? JsonPrimitive)?.content

    private fun member(name: String): JsonElement? = (data?.toJson() as? JsonObject)?.get(name)
}

/** What a request of the server is answered with when it is not served; a handler throws it. */
public class Refusal(
    /** The error. */
    public val row: ErrorRow,
    message: String,
    /** The members that the error table asks for beside code and retryable. */
    public val particulars: Map<String, JsonElement> = emptyMap(),
) : ProtocolException(message.take(MESSAGE_LENGTH))

// ERR-1: "a string `message` of at most 4,096 characters".
private const val MESSAGE_LENGTH = 4096
