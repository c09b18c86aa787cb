/** Validators: rules about JSON values, each of which finds its first fault; a plan is rules in their order. */

package turnwire.generated

import java.lang.StackOverflowError
import java.lang.Thread
import java.math.BigDecimal
import kotlin.Comparable
import kotlin.IllegalArgumentException
import kotlin.Pair
import kotlin.ranges.LongRange
import kotlinx.serialization.json.JsonArray
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonNull
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive

/** Where a value first breaks its schema (a JSON pointer, empty at the value itself), and which rule it breaks. */
public data class Fault(public val pointer: String, public val rule: String) {
    internal fun under(step: String): Fault = Fault(pointerStep(step) + pointer, rule)
}

/** Finds what is wrong with a value. */
public fun interface Validator {
    /** The first fault of a value; null when it is valid. */
    public fun check(value: JsonElement): Fault?
}

internal fun Validator.fits(value: JsonElement): Boolean = check(value) == null

/** Nothing fits. What may not be there at all breaks a rule of its owner, not one of its own. */
internal object Never : Validator {
    override fun check(value: JsonElement): Fault = Fault("", "type")
}

internal class Plan(private vararg val rules: Validator) : Validator {
    override fun check(value: JsonElement): Fault? {
        for (rule in rules) rule.check(value)?.let { return it }
        return null
    }
}

/** A rule about the value itself. */
internal abstract class Scalar(private val rule: String) : Validator {
    abstract fun holds(value: JsonElement): Boolean
    final override fun check(value: JsonElement): Fault? = if (holds(value)) null else Fault("", rule)
}

internal class Type(private vararg val kinds: String) : Scalar("type") {
    override fun holds(value: JsonElement): Boolean = kinds.any { isKind(it, value) }
}

/** One of these texts. */
internal class Texts(vararg texts: String) : Scalar("const") {
    private val texts = texts.toSet()

    override fun holds(value: JsonElement): Boolean = textOf(value) in texts
}

/** One of the values of a JSON array. */
internal class Const(values: String) : Scalar("const") {
    private val values = parseJson(values) as JsonArray

    override fun holds(value: JsonElement): Boolean = values.any { same(it, value) }
}

internal class Bound(min: String? = null, max: String? = null, above: String? = null, below: String? = null) :
    Scalar("bound") {
    private val min = min?.let(::Numeric)
    private val max = max?.let(::Numeric)
    private val above = above?.let(::Numeric)
    private val below = below?.let(::Numeric)
    private val whole = if (above == null && below == null) wholeRange(min, max) else null

    override fun holds(value: JsonElement): Boolean {
        if (!isNumber(value)) return true
        val text = (value as JsonPrimitive).content
        val plain = if (whole == null) null else text.toLongOrNull()
        if (whole != null && plain != null) return plain in whole
        val number = Numeric(text)
        return (min == null || number >= min) && (max == null || number <= max) &&
            (above == null || number > above) && (below == null || number < below)
    }
}

/** The range of whole numbers that most bounds are, and that needs no exact arithmetic; null where it is another. */
private fun wholeRange(min: String?, max: String?): LongRange? {
    val least = if (min == null) Long.MIN_VALUE else min.toLongOrNull() ?: return null
    val most = if (max == null) Long.MAX_VALUE else max.toLongOrNull() ?: return null
    return least..most
}

internal class Multiple(of: String) : Scalar("multiple") {
    private val of = Numeric(of)

    override fun holds(value: JsonElement): Boolean =
        !isNumber(value) || Numeric((value as JsonPrimitive).content).isMultipleOf(of)
}

internal class Length(private val min: Int = 0, private val max: Int = Int.MAX_VALUE) : Scalar("length") {
    override fun holds(value: JsonElement): Boolean {
        val text = textOf(value) ?: return true
        return text.codePointCount(0, text.length) in min..max
    }
}

internal class Matching(pattern: String) : Scalar("pattern") {
    private val pattern = Regex(pattern)

    override fun holds(value: JsonElement): Boolean = textOf(value)?.let(pattern::finds) ?: true
}

internal class Format(private val test: (String) -> Boolean) : Scalar("format") {
    override fun holds(value: JsonElement): Boolean = textOf(value)?.let(test) ?: true
}

internal class ItemCount(private val min: Int = 0, private val max: Int = Int.MAX_VALUE) : Scalar("count") {
    override fun holds(value: JsonElement): Boolean = value !is JsonArray || value.size in min..max
}

internal class MemberCount(private val min: Int = 0, private val max: Int = Int.MAX_VALUE) : Scalar("count") {
    override fun holds(value: JsonElement): Boolean = value !is JsonObject || value.size in min..max
}

internal class Required(private vararg val names: String) : Scalar("required") {
    override fun holds(value: JsonElement): Boolean = value !is JsonObject || names.all { it in value }
}

internal class Unique : Scalar("unique") {
    override fun holds(value: JsonElement): Boolean =
        value !is JsonArray || value.indices.all { at -> (0 until at).none { same(value[it], value[at]) } }
}

internal class Contains(private val plan: Validator, private val min: Int = 1, private val max: Int = Int.MAX_VALUE) :
    Scalar("contains") {
    override fun holds(value: JsonElement): Boolean = value !is JsonArray || value.count(plan::fits) in min..max
}

internal class AnyOf(private vararg val arms: Validator) : Scalar("choice") {
    override fun holds(value: JsonElement): Boolean = arms.any { it.fits(value) }
}

internal class OneOf(private vararg val arms: Validator) : Scalar("choice") {
    override fun holds(value: JsonElement): Boolean = arms.count { it.fits(value) } == 1
}

internal class Not(private val plan: Validator) : Scalar("not") {
    override fun holds(value: JsonElement): Boolean = !plan.fits(value)
}

/** The arm whose tag an object has, or [others] when no arm has it. */
internal class Tagged(private val tag: String, private val others: Validator?, vararg arms: Pair<String, Validator>) :
    Validator {
    private val arms = mapOf(*arms)

    override fun check(value: JsonElement): Fault? {
        val member = (value as? JsonObject)?.get(tag) ?: return Fault("", "tag")
        val arm = textOf(member)?.let { arms[it] ?: others } ?: return Fault(pointerStep(tag), "tag")
        return arm.check(value)
    }
}

internal class If(private val cond: Validator, private val then: Validator?, private val other: Validator?) :
    Validator {
    override fun check(value: JsonElement): Fault? = (if (cond.fits(value)) then else other)?.check(value)
}

/** The fault of a member or an item; [closed] is the rule that is broken where nothing may stand. */
internal fun below(plan: Validator, value: JsonElement, step: Any, closed: String): Fault? =
    if (plan === Never) Fault(pointerStep("$step"), closed) else plan.check(value)?.under("$step")

internal class Fields(private vararg val plans: Pair<String, Validator>) : Validator {
    override fun check(value: JsonElement): Fault? {
        if (value !is JsonObject) return null
        for ((name, plan) in plans) value[name]?.let { below(plan, it, name, "type") }?.let { return it }
        return null
    }
}

internal class Items(private val prefix: List<List<Validator>>, private vararg val rest: Validator) : Validator {
    override fun check(value: JsonElement): Fault? {
        if (value !is JsonArray) return null
        for ((at, item) in value.withIndex()) {
            val declared = prefix.getOrNull(at)
            for (plan in declared ?: rest.asList()) {
                below(plan, item, at, if (declared == null) "members" else "type")?.let { return it }
            }
        }
        return null
    }
}

internal class Members(
    private val keys: Validator?,
    private val extra: Validator?,
    but: Set<String>,
    vararg patterns: Pair<String, Validator>,
) : Validator {
    private val declared = but
    private val patterns = patterns.map { (pattern, plan) -> Regex(pattern) to plan }

    override fun check(value: JsonElement): Fault? {
        if (value !is JsonObject) return null
        for (name in value.keys.sortedWith(byCodePoint)) member(name, value.getValue(name))?.let { return it }
        return null
    }

    private fun member(name: String, value: JsonElement): Fault? {
        if (keys != null && !keys.fits(JsonPrimitive(name))) return Fault(pointerStep(name), "key")
        val matching = patterns.filter { (pattern, _) -> pattern.finds(name) }
        for ((_, plan) in matching) below(plan, value, name, "type")?.let { return it }
        if (extra == null || matching.isNotEmpty() || name in declared) return null
        return below(extra, value, name, "members")
    }
}

/** Where every guard is right, other rules spoke of these members, or of the first items, or of everything. */
internal class Evaluated(
    private val guards: List<Pair<Validator, Boolean>>,
    private val names: Set<String>,
    patterns: List<String>,
    private val first: Int,
    private val everything: Boolean,
) {
    private val patterns = patterns.map(::Regex)

    fun applies(value: JsonElement): Boolean = guards.all { (plan, holds) -> plan.fits(value) == holds }
    fun spokeOf(name: String): Boolean = everything || name in names || patterns.any { it.finds(name) }
    fun spokeOf(index: Int): Boolean = everything || index < first
}

internal class UnevaluatedMembers(private val plan: Validator, private vararg val entries: Evaluated) : Validator {
    override fun check(value: JsonElement): Fault? {
        if (value !is JsonObject) return null
        val spoken = entries.filter { it.applies(value) }
        return value.keys.sortedWith(byCodePoint).filter { name -> spoken.none { it.spokeOf(name) } }
            .firstNotNullOfOrNull { below(plan, value.getValue(it), it, "unevaluated") }
    }
}

internal class UnevaluatedItems(private val plan: Validator, private vararg val entries: Evaluated) : Validator {
    override fun check(value: JsonElement): Fault? {
        if (value !is JsonArray) return null
        val spoken = entries.filter { it.applies(value) }
        return value.indices.filter { at -> spoken.none { it.spokeOf(at) } }
            .firstNotNullOfOrNull { below(plan, value[it], it, "unevaluated") }
    }
}

/** A number as every language of this protocol sees it: whole ones that are written as such exactly, others as doubles. */
internal class Numeric(text: String) : Comparable<Numeric> {
    private val double = text.toDouble()
    private val exact: BigDecimal? = when {
        isPlain(text) -> BigDecimal(text)
        double.isFinite() -> BigDecimal(double)
        else -> null
    }

    val isWhole: Boolean get() = exact != null && isWhole(exact)

    override fun compareTo(other: Numeric): Int =
        if (exact == null || other.exact == null) double.compareTo(other.double) else exact.compareTo(other.exact)

    fun isMultipleOf(of: Numeric): Boolean {
        if (isWhole && of.isWhole) return exact!!.remainder(of.exact).signum() == 0
        val quotient = double / of.double
        if (quotient.isFinite()) return quotient == Math.rint(quotient)
        // Beyond the largest double there are whole numbers only; before it the rest of a division is exact.
        return !double.isFinite() || double % of.double == 0.0
    }
}

internal fun textOf(value: JsonElement): String? = if (value is JsonPrimitive && value.isString) value.content else null

internal fun isKind(kind: String, value: JsonElement): Boolean = when (kind) {
    "array" -> value is JsonArray
    "object" -> value is JsonObject
    "string" -> value is JsonPrimitive && value.isString
    "null" -> value is JsonNull
    "number" -> isNumber(value)
    "integer" -> isNumber(value) && isWholeText((value as JsonPrimitive).content)
    "boolean" -> value is JsonPrimitive && !value.isString && (value.content == "true" || value.content == "false")
    else -> throw IllegalArgumentException("no kind of JSON: $kind")
}

private fun isWholeText(text: String): Boolean = isPlain(text) || Numeric(text).isWhole

/** Whether the text holds a match. The JVM matches some loops by recursion, so a long text may need a deep stack. */
internal fun Regex.finds(text: String): Boolean =
    try {
        containsMatchIn(text)
    } catch (_: StackOverflowError) {
        var found = false
        Thread(null, { found = containsMatchIn(text) }, "pattern", DEEP_STACK_BYTES).apply { start() }.join()
        found
    }

// Reserved, not used: the stack grows with the text, by some hundred bytes a character.
private const val DEEP_STACK_BYTES = 4L shl 30

/** Whether two values are equal: 1 equals 1.0, true equals only true. */
internal fun same(left: JsonElement, right: JsonElement): Boolean = when {
    left is JsonArray && right is JsonArray -> left.size == right.size && left.indices.all { same(left[it], right[it]) }
    left is JsonObject && right is JsonObject ->
        left.keys == right.keys && left.all { (name, value) -> same(value, right.getValue(name)) }
    isNumber(left) && isNumber(right) ->
        Numeric((left as JsonPrimitive).content).compareTo(Numeric((right as JsonPrimitive).content)) == 0
    else -> left == right
}

/** By code points; Kotlin itself compares UTF-16 units. */
internal val byCodePoint: Comparator<String> = Comparator { left, right ->
    val at = left.zip(right).indexOfFirst { (a, b) -> a != b }
    if (at < 0) left.length - right.length else codePointAround(left, at) - codePointAround(right, at)
}

/** The code point that the unit at a place is a part of. */
private fun codePointAround(text: String, at: Int): Int =
    text.codePointAt(if (text[at].isLowSurrogate() && at > 0 && text[at - 1].isHighSurrogate()) at - 1 else at)
