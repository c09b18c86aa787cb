/** Objects: their members as codecs read and write them, and the arms of unions. */

package turnwire.generated

import kotlinx.serialization.json.JsonArray
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonNull
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive

/** An object that is read. Throws [DecodingException] where the value is none. */
internal class MembersIn(json: JsonElement) {
    private val all = json as? JsonObject ?: fault("type")

    fun <T> need(name: String, codec: JsonCodec<T>): T {
        val member = all[name] ?: fault("required")
        return under(name) { codec.read(member) }
    }

    fun <T : Any> find(name: String, codec: JsonCodec<T>): T? = all[name]?.let { under(name) { codec.read(it) } }

    fun <T : Any> presence(name: String, codec: JsonCodec<T>): Presence<T> = when (val member = all[name]) {
        null -> Presence.Absent
        is JsonNull -> Presence.Null
        else -> Presence.Present(under(name) { codec.read(member) })
    }

    /** The members that are not [declared]. */
    fun <T> others(declared: Set<String>, codec: JsonCodec<T>): Map<String, T> =
        all.filterKeys { it !in declared }.mapValues { (name, one) -> under(name) { codec.read(one) } }

    /** Refuses members that are not [declared]. */
    fun close(declared: Set<String>) {
        all.keys.filter { it !in declared }.minWithOrNull(byCodePoint)?.let { under(it) { fault("members") } }
    }
}

/** An object that is written, member by member. */
internal class MembersOut {
    private val all = LinkedHashMap<String, JsonElement>()

    fun <T> put(name: String, value: T, codec: JsonCodec<T>): MembersOut {
        all[name] = codec.write(value)
        return this
    }

    fun <T : Any> putPresent(name: String, value: T?, codec: JsonCodec<T>): MembersOut {
        if (value != null) all[name] = codec.write(value)
        return this
    }

    fun <T : Any> putPresent(name: String, value: Presence<T>, codec: JsonCodec<T>): MembersOut {
        when (value) {
            is Presence.Absent -> {}
            is Presence.Null -> all[name] = JsonNull
            is Presence.Present -> all[name] = codec.write(value.value)
        }
        return this
    }

    fun <T> putAll(values: Map<String, T>, codec: JsonCodec<T>): MembersOut {
        for ((name, value) in values) all[name] = codec.write(value)
        return this
    }

    fun toJson(): JsonObject = JsonObject(all)
}

/** The tag of an object, which must be a string. */
internal fun textTag(json: JsonElement, name: String): String {
    val member = (json as? JsonObject)?.get(name) ?: fault("tag")
    return under(name) { (member as? JsonPrimitive)?.takeIf { it.isString }?.content ?: fault("tag") }
}

/** The tag of an object, which must be an integer. */
internal fun wholeTag(json: JsonElement, name: String): Long {
    val member = (json as? JsonObject)?.get(name) ?: fault("tag")
    return under(name) { LongCodec.read(member) }
}

/** No arm has the tag. */
internal fun noArm(name: String): Nothing = under(name) { fault("tag") }

/** The arm that reads a value: of those that fit, the first that drops the fewest members. */
internal fun <T : JsonWritable> choose(json: JsonElement, vararg arms: (JsonElement) -> T): T {
    var best: T? = null
    var fewest = Int.MAX_VALUE
    for (arm in arms) {
        val found = try {
            arm(json)
        } catch (_: DecodingException) {
            continue
        }
        val dropped = dropped(json, found)
        if (dropped < fewest) {
            best = found
            fewest = dropped
        }
        if (dropped == 0) break
    }
    return best ?: fault("choice")
}

/** How many members, however deep, the type has no property for. */
private fun dropped(json: JsonElement, found: JsonWritable): Int =
    missing(json, found.toJson()) + if (found is KeepsUndeclared) found.undeclared.size else 0

private fun missing(json: JsonElement, written: JsonElement): Int = when {
    json is JsonObject && written is JsonObject ->
        json.entries.sumOf { (name, member) -> written[name]?.let { missing(member, it) } ?: 1 }
    json is JsonArray && written is JsonArray -> json.zip(written).sumOf { (one, other) -> missing(one, other) }
    else -> 0
}
