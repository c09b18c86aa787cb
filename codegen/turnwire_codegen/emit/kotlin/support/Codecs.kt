/** Codecs: between JSON and the types of this package, member by member, with a pointer to what does not fit. */

package turnwire.generated

import java.math.BigDecimal
import java.math.BigInteger
import kotlinx.serialization.KSerializer
import kotlinx.serialization.SerializationException
import kotlinx.serialization.descriptors.SerialDescriptor
import kotlinx.serialization.encoding.Decoder
import kotlinx.serialization.encoding.Encoder
import kotlinx.serialization.json.JsonArray
import kotlinx.serialization.json.JsonDecoder
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonEncoder
import kotlinx.serialization.json.JsonNull
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive

/** A value is not of the type: [pointer] is the JSON pointer of the first fault, [rule] says what it breaks. */
public class DecodingException(public val pointer: String, public val rule: String) :
    SerializationException("$rule at ${pointer.ifEmpty { "the root" }}") {
    /** The same fault seen from one step up. */
    internal fun under(step: String): DecodingException = DecodingException(pointerStep(step) + pointer, rule)

    /** A pointer tells more than the stack, and arms of unions are tried by failing. */
    override fun fillInStackTrace(): Throwable = this
}

/** Reads and writes one type; the companion of every type of this package is one. */
public abstract class JsonCodec<T> : KSerializer<T> {
    /** The value as its type. Throws [DecodingException]. */
    public abstract fun read(json: JsonElement): T

    /** The value as JSON. */
    public abstract fun write(value: T): JsonElement

    /** [read] of a text. Throws [JsonSyntaxException] and [DecodingException]. */
    public fun decode(text: String): T = read(parseJson(text))

    /** [write] as a text. */
    public fun encode(value: T): String = jsonText(write(value))

    final override val descriptor: SerialDescriptor get() = JsonElement.serializer().descriptor

    /** [read] of what a [JsonDecoder] reads. Throws [DecodingException], and [SerializationException] for other formats. */
    final override fun deserialize(decoder: Decoder): T =
        read((decoder as? JsonDecoder ?: noJson("read", decoder)).decodeJsonElement())

    /** [write] to a [JsonEncoder]. Throws [SerializationException] for other formats. */
    final override fun serialize(encoder: Encoder, value: T): Unit =
        (encoder as? JsonEncoder ?: noJson("written", encoder)).encodeJsonElement(write(value))
}

private fun noJson(done: String, format: Any): Nothing = throw SerializationException(
    "values of a JSON schema can be $done as JSON only, not by ${format.javaClass.name}: " +
        "use kotlinx.serialization.json.Json, or put JSON text into the other format",
)

/** A value that knows its JSON. */
public interface JsonWritable {
    /** The value as JSON. */
    public fun toJson(): JsonElement
}

/** An object that keeps the members that its schema does not declare. */
public interface KeepsUndeclared {
    /** Those members, by name. */
    public val undeclared: Map<String, JsonElement>
}

/** A member that may be absent, null, or there: three things, none of which stands for another. */
public sealed interface Presence<out T : Any> {
    /** The member is not written. */
    public data object Absent : Presence<Nothing>

    /** The member is null. */
    public data object Null : Presence<Nothing>

    /** The member has a value. */
    public data class Present<out T : Any>(public val value: T) : Presence<T>

    /** The value, or null where there is none. */
    public fun orNull(): T? = (this as? Present)?.value

    public companion object {
        /** A value that is there, or an explicit null. */
        public fun <T : Any> of(value: T?): Presence<T> = if (value == null) Null else Present(value)
    }
}

/** One step of a JSON pointer. */
internal fun pointerStep(name: String): String = "/" + name.replace("~", "~0").replace("/", "~1")

internal fun fault(rule: String): Nothing = throw DecodingException("", rule)

/** The fault of what is read in [body], told from above [step]: the name of a member, or the place of an item. */
internal inline fun <T> under(step: Any, body: () -> T): T =
    try {
        body()
    } catch (inner: DecodingException) {
        throw inner.under("$step")
    }

internal fun primitive(json: JsonElement): JsonPrimitive = json as? JsonPrimitive ?: fault("type")

internal fun isNumber(json: JsonElement): Boolean =
    json is JsonPrimitive && !json.isString && json.content.first().let { it == '-' || it in '0'..'9' }

/**
 * The value of a number's text as every language of this protocol has it: whole numbers that are written as such exactly,
 * others as the double that they mean.
 */
internal fun decimal(text: String): BigDecimal {
    if (!isPlain(text)) return BigDecimal(text.toDoubleOrNull()?.takeIf { it.isFinite() } ?: fault("type"))
    // To read a number of a million digits would take more than its share of time.
    return text.takeIf { it.length <= MAX_NUMBER }?.toBigDecimalOrNull() ?: fault("type")
}

/** Whether a number is written without a fraction and an exponent. */
internal fun isPlain(number: String): Boolean = number.all { it == '-' || it in '0'..'9' }

internal fun isWhole(number: BigDecimal): Boolean = number.signum() == 0 || number.stripTrailingZeros().scale() <= 0

internal object StringCodec : JsonCodec<String>() {
    override fun read(json: JsonElement): String {
        val value = primitive(json)
        return if (value.isString) value.content else fault("type")
    }
    override fun write(value: String): JsonElement = JsonPrimitive(value)
}

internal object BooleanCodec : JsonCodec<Boolean>() {
    override fun read(json: JsonElement): Boolean {
        val value = primitive(json)
        if (value.isString) fault("type")
        return value.content.toBooleanStrictOrNull() ?: fault("type")
    }
    override fun write(value: Boolean): JsonElement = JsonPrimitive(value)
}

internal object BigIntegerCodec : JsonCodec<BigInteger>() {
    override fun read(json: JsonElement): BigInteger {
        if (!isNumber(json)) fault("type")
        // To JSON Schema 1.0 is an integer too.
        return decimal(primitive(json).content).let { if (isWhole(it)) it.toBigInteger() else fault("type") }
    }
    override fun write(value: BigInteger): JsonElement = JsonPrimitive(value)
}

internal object LongCodec : JsonCodec<Long>() {
    override fun read(json: JsonElement): Long {
        val plain = if (isNumber(json)) primitive(json).content.toLongOrNull() else null
        if (plain != null) return plain
        val whole = BigIntegerCodec.read(json)
        return if (whole.bitLength() < Long.SIZE_BITS) whole.toLong() else fault("type")
    }
    override fun write(value: Long): JsonElement = JsonPrimitive(value)
}

internal object ULongCodec : JsonCodec<ULong>() {
    override fun read(json: JsonElement): ULong {
        val whole = BigIntegerCodec.read(json)
        if (whole.signum() < 0 || whole.bitLength() > ULong.SIZE_BITS) fault("type")
        return whole.toLong().toULong()
    }
    override fun write(value: ULong): JsonElement = JsonPrimitive(BigInteger(value.toString()))
}

internal object DoubleCodec : JsonCodec<Double>() {
    override fun read(json: JsonElement): Double {
        if (!isNumber(json)) fault("type")
        return primitive(json).content.toDouble().let { if (it.isFinite()) it else fault("type") }
    }
    override fun write(value: Double): JsonElement {
        require(value.isFinite()) { "JSON has no $value" }
        return JsonPrimitive(value)
    }
}

internal object NullCodec : JsonCodec<JsonNull>() {
    override fun read(json: JsonElement): JsonNull = json as? JsonNull ?: fault("type")
    override fun write(value: JsonNull): JsonElement = value
}

internal object AnyCodec : JsonCodec<JsonElement>() {
    override fun read(json: JsonElement): JsonElement = json
    override fun write(value: JsonElement): JsonElement = value
}

internal class NullableCodec<T : Any>(private val inner: JsonCodec<T>) : JsonCodec<T?>() {
    override fun read(json: JsonElement): T? = if (json is JsonNull) null else inner.read(json)
    override fun write(value: T?): JsonElement = if (value == null) JsonNull else inner.write(value)
}

internal class ListCodec<T>(private val item: JsonCodec<T>) : JsonCodec<List<T>>() {
    override fun read(json: JsonElement): List<T> =
        (json as? JsonArray ?: fault("type")).mapIndexed { at, one -> under(at) { item.read(one) } }
    override fun write(value: List<T>): JsonElement = JsonArray(value.map(item::write))
}

internal class MapCodec<T>(private val member: JsonCodec<T>) : JsonCodec<Map<String, T>>() {
    override fun read(json: JsonElement): Map<String, T> =
        (json as? JsonObject ?: fault("type")).mapValues { (name, one) -> under(name) { member.read(one) } }
    override fun write(value: Map<String, T>): JsonElement = JsonObject(value.mapValues { member.write(it.value) })
}

/** What [inner] reads, where it breaks none of [rules]. */
internal class HeldCodec<T>(private val inner: JsonCodec<T>, private vararg val rules: Validator) : JsonCodec<T>() {
    override fun read(json: JsonElement): T {
        val value = inner.read(json)
        for (rule in rules) rule.check(json)?.let { throw DecodingException(it.pointer, it.rule) }
        return value
    }
    override fun write(value: T): JsonElement = inner.write(value)
}

/** Exactly this value, as [inner] reads it. */
internal class ConstCodec<T>(private val inner: JsonCodec<T>, private val value: T) : JsonCodec<T>() {
    override fun read(json: JsonElement): T = inner.read(json).let { if (it == value) it else fault("const") }
    override fun write(value: T): JsonElement = inner.write(value)
}

/** A scalar as the entries of an enum know it: 2.0 is 2. */
internal fun scalar(json: JsonElement): JsonPrimitive {
    val value = json as? JsonPrimitive ?: fault("const")
    if (!isNumber(value)) return value
    val number = decimal(value.content)
    return if (isWhole(number)) JsonPrimitive(number.toBigInteger()) else value
}
