/** The rows of a protocol's tables. */

package turnwire.generated

/** A method: what it is called, and what one side may know of it before it sends it. */
public sealed interface Method {
    /** The name on the wire. */
    public val name: String

    /** What is known of it beside its types. */
    public val facts: MethodFacts
}

/** A method that is answered. Without params [params] is null; a result that nobody describes is any JSON. */
public class RequestMethod<P, R>(
    override val name: String,
    public val params: JsonCodec<P>?,
    public val result: JsonCodec<R>,
    override val facts: MethodFacts = MethodFacts(),
) : Method {
    override fun toString(): String = name
}

/** A method that is not answered. */
public class NotificationMethod<P>(
    override val name: String,
    public val params: JsonCodec<P>?,
    override val facts: MethodFacts = MethodFacts(),
) : Method {
    override fun toString(): String = name
}

/** What a table says of a method. */
public class MethodFacts(
    /** The errors that its answer may be, by name. */
    public val errors: List<String> = emptyList(),
    /** The notifications that come of it. */
    public val emits: List<String> = emptyList(),
    /** Whether what it does outlasts the server's process. */
    public val durable: Boolean = false,
    /** The capability that it stands behind; null for none. */
    public val capability: String? = null,
    /** What it is about. */
    public val scope: String? = null,
    /** Whether it needs the opt-in for what is experimental. */
    public val experimental: Boolean = false,
    /** The version of the protocol that brought it. */
    public val since: String? = null,
    /** The clause that describes it. */
    public val clause: String = "",
)

/** A state machine; from a state an event leads to a state, or to null where it cannot come. */
public class Machine(
    public val name: String,
    public val initial: String,
    public val terminal: Set<String>,
    public val transitions: Map<String, Map<String, String?>>,
)

/** What one side offers, and which methods and members stand behind the offer. */
public class Capability(
    public val key: String,
    public val promise: String,
    public val methods: List<String>,
    public val members: List<String>,
)
