/**
 * What carries messages: whole JSON texts in both directions, in order, until the end.
 *
 * A transport knows no protocol. What it hears and cannot give as text it reports, and goes on.
 */

package turnwire

import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.channels.ClosedSendChannelException
import kotlinx.coroutines.channels.ReceiveChannel
import kotlinx.coroutines.channels.SendChannel

/** One end of a connection. */
public interface Transport {
    /**
     * Opens the connection, and gives all that comes; [Incoming.End] is the last of it. Called once.
     * Throws [ConnectionClosedException] where the other side cannot be reached.
     */
    public suspend fun open(): ReceiveChannel<Incoming>

    /** Sends one message. What is sent after the end is lost without an error: the receiver is told of the end. */
    public suspend fun send(message: String)

    /** Ends the connection, and returns when nothing of it is left. It may be called again, and before [open]. */
    public suspend fun close()
}

/** What comes over a connection. */
public sealed interface Incoming {
    /** One message. */
    public class Message(public val text: String) : Incoming

    /** What came and is no message, with enough of it to recognise it. */
    public class Unreadable(public val why: String, public val excerpt: String) : Incoming

    /** Nothing comes any more, and a sentence that says why. */
    public class End(public val why: String) : Incoming
}

/** The longest message that is read unless another bound is given; that of the reference server. */
public const val MESSAGE_BYTES: Int = 16 * 1024 * 1024

/** Two ends of a connection within one process, for tests and for servers in the same program. */
public fun memoryPair(): Pair<Transport, Transport> {
    val there = Channel<Incoming>(MEMORY_MESSAGES)
    val back = Channel<Incoming>(MEMORY_MESSAGES)
    return MemoryTransport(back, there) to MemoryTransport(there, back)
}

private const val MEMORY_MESSAGES = 64

private class MemoryTransport(private val inbound: Channel<Incoming>, private val outbound: Channel<Incoming>) :
    Transport {
    override suspend fun open(): ReceiveChannel<Incoming> = inbound

    override suspend fun send(message: String) {
        outbound.trySendOrSuspend(Incoming.Message(message))
    }

    override suspend fun close() {
        for (side in listOf(outbound, inbound)) {
            side.trySendOrSuspend(Incoming.End("the other side closed the connection"))
            side.close()
        }
    }

    /** A message to an end that is closed is lost. */
    private suspend fun SendChannel<Incoming>.trySendOrSuspend(incoming: Incoming) {
        try {
            send(incoming)
        } catch (_: ClosedSendChannelException) {
            return
        }
    }
}
