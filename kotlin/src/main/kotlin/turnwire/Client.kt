/**
 * A typed client over any transport.
 *
 * Whatever the server does ends in a value or in one clear error: garbage on the line, a process that dies, an answer
 * that never comes. Nothing is ever approved by default.
 */

package turnwire

import kotlin.time.Duration
import kotlin.time.Duration.Companion.seconds
import kotlinx.coroutines.CoroutineScope
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.SupervisorJob
import kotlinx.coroutines.cancel
import kotlinx.coroutines.flow.Flow
import turnwire.generated.ClientCapabilities
import turnwire.generated.ClientInfo
import turnwire.generated.ClientRequests
import turnwire.generated.DecodingException
import turnwire.generated.InitializeParams
import turnwire.generated.InitializeResult
import turnwire.generated.NotificationMethod
import turnwire.generated.Protocol
import turnwire.generated.RequestMethod
import turnwire.generated.ServerNotification
import turnwire.generated.ServerRequests

/** What a client is made with. */
public class ClientOptions(
    /** Who connects. */
    public val clientInfo: ClientInfo = ClientInfo(name = "turnwire-kotlin", version = VERSION),
    /** How long a request waits for its answer. */
    public val timeout: Duration = TIMEOUT,
    /** How many requests may wait for an answer at a time; the next one waits to be sent. */
    public val maxPending: Int = MAX_PENDING,
    /** Hears of a handler that failed. */
    public val report: (what: String, error: Throwable) -> Unit = { what, error ->
        System.err.println("turnwire: $what: $error")
    },
)

/** The version of this library. */
public const val VERSION: String = "0.1.0"

// LIM-5: "A client bounds its pending requests at 256 and waits 120 seconds for an answer."
private val TIMEOUT = 120.seconds
private const val MAX_PENDING = 256

/** One connection to a server. */
public class Client private constructor(transport: Transport, private val options: ClientOptions) {
    private val scope = CoroutineScope(SupervisorJob() + Dispatchers.Default)
    private val inbox = Inbox()
    private val peer = Peer(transport, inbox, scope, options.maxPending, options.report)

    /** What the server said in `initialize`; null before. */
    @Volatile
    public var server: InitializeResult? = null
        private set

    /** What came and could not be read: the first 20 times. */
    public val faults: List<String> get() = synchronized(peer.faults) { peer.faults.toList() }

    /** `initialize`, with a capability for each request handler there is, unless [capabilities] says otherwise. */
    public suspend fun initialize(capabilities: ClientCapabilities = shown()): InitializeResult {
        val params = InitializeParams(
            protocolVersion = Protocol.MAJOR.toLong(),
            clientInfo = options.clientInfo,
            capabilities = capabilities,
        )
        val result = request(ClientRequests.initialize, params)
        result.limits.messageBytes?.let { peer.sendLimit = it }
        server = result
        return result
    }

    /**
     * Sends one request.
     *
     * Throws [RemoteException] where the server refused, [RemoteProtocolException] where the answer is garbage,
     * [RequestTimeoutException] and [ConnectionClosedException] where none came (the request may have run all the
     * same), [LocalProtocolException] where nothing was sent. Cancelling the call takes nothing back.
     */
    public suspend fun <P, R> request(method: RequestMethod<P, R>, params: P, timeout: Duration = options.timeout): R {
        val result = peer.request(method.name, method.params?.write(params), timeout)
        return try {
            method.result.read(result)
        } catch (fault: DecodingException) {
            val story = "the result of $method is not what the protocol says: ${fault.message}"
            throw RemoteProtocolException(story, fault)
        }
    }

    /** Sends a notification. Throws [ConnectionClosedException] and [LocalProtocolException]. */
    public suspend fun <P> notify(method: NotificationMethod<P>, params: P) {
        peer.notify(method.name, method.params?.write(params))
    }

    /** Calls [handler] for each notification of a method, in order, until what is returned is closed. It must not wait. */
    public fun <P> on(method: NotificationMethod<P>, handler: (P) -> Unit): AutoCloseable = inbox.on(method, handler)

    /**
     * Answers the requests of a method; [handler] may throw a [Refusal]. Set it before [initialize], which declares the
     * capability. Without a handler an approval is declined, a ping is answered, and everything else gets -32601.
     */
    public fun <P, R> onRequest(method: RequestMethod<P, R>, handler: suspend (P) -> R) {
        inbox.onRequest(method, handler)
    }

    /**
     * What no handler takes, in order, those first that came before; only of [methods] where some are given, and then
     * the others stay where they are. Ends with the connection; an end that was not wanted is thrown.
     */
    public fun notifications(vararg methods: NotificationMethod<*>): Flow<ServerNotification> =
        inbox.notifications(methods.mapTo(HashSet()) { it.name })

    /** Ends the connection; a server that was spawned is gone then. It may be called again. */
    public suspend fun close() {
        peer.close()
        scope.cancel()
    }

    private fun shown(): ClientCapabilities = ClientCapabilities(
        approvals = true.takeIf { inbox.answers(ServerRequests.approvalRequest) },
        userInput = true.takeIf { inbox.answers(ServerRequests.userInputRequest) },
        dynamicTools = true.takeIf { inbox.answers(ServerRequests.toolCall) },
    )

    public companion object {
        /**
         * A client over a transport that is not open yet. It is connected and not initialized: set handlers, then call
         * [initialize]. Throws [ConnectionClosedException] where the other side cannot be reached.
         */
        public suspend fun connect(transport: Transport, options: ClientOptions = ClientOptions()): Client =
            Client(transport, options).also { it.peer.open() }

        /** A client of a server that is started with this command. Throws as [connect]. */
        public suspend fun spawn(argv: List<String>, options: ClientOptions = ClientOptions()): Client =
            connect(ProcessTransport(argv), options)
    }
}
