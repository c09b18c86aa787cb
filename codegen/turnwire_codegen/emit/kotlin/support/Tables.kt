/** The rows of a protocol's tables. */

package turnwire.generated

/** A method: what it is called, and what one side may know of it before it sends it. */
public sealed interface Method {
    /** The name on the wire. */
    public val name: String

    /** What is known of it beside its types. */
    public val facts: MethodFacts
}

/** A method that is answered. */
public class RequestMethod<P, R>(
    override val name: String,
    /** Reads and writes its params; null where it has none. */
    public val params: JsonCodec<P>?,
    /** Reads and writes its result, which is any JSON where nobody describes it. */
    public val result: JsonCodec<R>,
    override val facts: MethodFacts = MethodFacts(),
) : Method {
    override fun toString(): String = name
}

/** A method that is not answered. */
public class NotificationMethod<P>(
    override val name: String,
    /** Reads and writes its params; null where it has none. */
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
    /** What it is a machine of. */
    public val name: String,
    /** Where everything begins. */
    public val initial: String,
    /** What nothing leaves. */
    public val terminal: Set<String>,
    /** By state and event, the state after it. */
    public val transitions: Map<String, Map<String, String?>>,
)

/** What one side offers, and which methods and members stand behind the offer. */
public class Capability(
    /** The member of the capabilities that declares it. */
    public val key: String,
    /** What who declares it promises. */
    public val promise: String,
    /** The methods that are there only with it. */
    public val methods: List<String>,
    /** The members of params and results that are there only with it. */
    public val members: List<String>,
)
