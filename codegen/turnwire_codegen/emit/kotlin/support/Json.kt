/** JSON text: read strictly by RFC 8259, with every number as it was written, and written in the one form of RFC 8785. */

package turnwire.generated

import java.math.BigDecimal
import java.math.MathContext
import kotlinx.serialization.ExperimentalSerializationApi
import kotlinx.serialization.SerializationException
import kotlinx.serialization.json.JsonArray
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonNull
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive
import kotlinx.serialization.json.JsonUnquotedLiteral

/** The text is no JSON; [position] counts UTF-16 units from 0. */
public class JsonSyntaxException(public val position: Int, reason: String) :
    SerializationException("$reason at position $position")

/** The value of a JSON text; of members with one name the last counts. Throws [JsonSyntaxException]. */
public fun parseJson(text: String): JsonElement = JsonReader(text).whole()

/** The one spelling of a value: members in the order of UTF-16 units, whole numbers exactly, others as ECMAScript does. */
public fun canonicalJson(value: JsonElement): String = buildString { appendCanonical(value) }

/** A value with its members and numbers as they are; its `toString` would make a text of every part of it first. */
internal fun jsonText(value: JsonElement): String = buildString(USUAL) { appendPlain(value) }

/** Deeper values are refused, before the stack ends. */
private const val MAX_DEPTH = 512

/** A longer number would take more than its share of time. */
internal const val MAX_NUMBER = 4300

/** So many characters have most messages. */
private const val USUAL = 512

private class JsonReader(private val text: String) {
    private var at = 0

    fun whole(): JsonElement {
        val value = value(0)
        space()
        if (at < text.length) fail("something after the value")
        return value
    }

    private fun value(depth: Int): JsonElement {
        space()
        return when (val char = peek()) {
            '{' -> members(below(depth))
            '[' -> items(below(depth))
            '"' -> JsonPrimitive(string())
            't' -> word("true", JsonPrimitive(true))
            'f' -> word("false", JsonPrimitive(false))
            'n' -> word("null", JsonNull)
            else -> if (char == '-' || char in '0'..'9') number() else fail("no value")
        }
    }

    private fun below(depth: Int): Int = if (depth < MAX_DEPTH) depth + 1 else fail("more than $MAX_DEPTH levels")

    private fun members(depth: Int): JsonObject {
        val found = LinkedHashMap<String, JsonElement>()
        at += 1
        space()
        if (peek() == '}') at += 1 else do {
            space()
            if (peek() != '"') fail("no name of a member")
            val name = string()
            space()
            expect(':')
            found[name] = value(depth)
        } while (goesOn('}'))
        return JsonObject(found)
    }

    private fun items(depth: Int): JsonArray {
        val found = ArrayList<JsonElement>()
        at += 1
        space()
        if (peek() == ']') at += 1 else do found.add(value(depth)) while (goesOn(']'))
        return JsonArray(found)
    }

    private fun goesOn(end: Char): Boolean {
        space()
        val char = peek()
        if (char != ',' && char != end) fail("neither , nor $end")
        at += 1
        return char == ','
    }

    private fun string(): String {
        val start = ++at
        var end = start
        while (end < text.length && isSimple(text[end])) end += 1
        at = end
        while (true) {
            val char = peek()
            if (char == '"') return text.substring(start, at++)
            if (char == '\\') return escapedString(start)
            plain(char)
        }
    }

    /** The rest of a string in which something is escaped. */
    private fun escapedString(start: Int): String {
        val found = StringBuilder().append(text, start, at)
        while (true) {
            val char = peek()
            when {
                char == '"' -> { at += 1; return found.toString() }
                char == '\\' -> escape(found)
                else -> { val from = at; plain(char); found.append(text, from, at) }
            }
        }
    }

    /** Steps over a character that stands for itself. */
    private fun plain(char: Char) {
        if (char < ' ') fail(if (at < text.length) "a control character" else "a string without its end")
        at += if (char.isSurrogate()) pair(char, text.getOrElse(at + 1) { ' ' }) else 1
    }

    private fun pair(high: Char, low: Char): Int =
        if (high.isHighSurrogate() && low.isLowSurrogate()) 2 else fail("half of a surrogate pair")

    private fun escape(into: StringBuilder) {
        val letter = text.getOrElse(at + 1) { ' ' }
        val place = ESCAPES.indexOf(letter)
        if (letter == 'u') {
            val unit = unit()
            into.append(unit)
            if (unit.isSurrogate()) {
                val low = if (text.startsWith("\\u", at)) unit() else ' '
                pair(unit, low)
                into.append(low)
            }
        } else {
            if (place < 0) fail("no such escape")
            into.append(MEANT[place])
            at += 2
        }
    }

    private fun unit(): Char {
        val digits = text.substring(minOf(at + 2, text.length), minOf(at + 6, text.length))
        if (digits.length < 4 || digits.any { it.digitToIntOrNull(16) == null || it > 'f' }) fail("no such escape")
        at += 6
        return digits.toInt(16).toChar()
    }

    @OptIn(ExperimentalSerializationApi::class)
    private fun number(): JsonElement {
        val start = at
        if (peek() == '-') at += 1
        if (peek() == '0') at += 1 else digits()
        val whole = at
        if (peek() == '.') { at += 1; digits() }
        if (peek() == 'e' || peek() == 'E') {
            at += 1
            if (peek() == '+' || peek() == '-') at += 1
            digits()
        }
        if (at - start > MAX_NUMBER) fail("a number of more than $MAX_NUMBER characters")
        val number = text.substring(start, at)
        if (at > whole && !number.toDouble().isFinite()) fail("a number beyond every double")
        return JsonUnquotedLiteral(number)
    }

    private fun digits() {
        if (peek() !in '0'..'9') fail("no digit")
        while (peek() in '0'..'9') at += 1
    }

    private fun word(word: String, value: JsonElement): JsonElement {
        if (!text.startsWith(word, at)) fail("no value")
        at += word.length
        return value
    }

    private fun space() {
        while (true) {
            val char = peek()
            if (char != ' ' && char != '\n' && char != '\r' && char != '\t') return
            at += 1
        }
    }

    private fun expect(char: Char) {
        if (peek() != char) fail("no $char")
        at += 1
    }

    /** The next character, or one that stands nowhere in JSON. */
    private fun peek(): Char = if (at < text.length) text[at] else '\u0000'

    private fun fail(reason: String): Nothing = throw JsonSyntaxException(at, reason)
}

/** Stands for itself, and is no half of a pair. */
private fun isSimple(char: Char): Boolean = char in ' '..'~' && char != '"' && char != '\\'

private const val ESCAPES = "\"\\/bfnrt"
private const val MEANT = "\"\\/\b\u000c\n\r\t"

private fun StringBuilder.appendCanonical(value: JsonElement) {
    when (value) {
        is JsonObject -> value.keys.sorted().joinTo(this, ",", "{", "}") { name ->
            appendQuoted(name)
            append(':')
            appendCanonical(value.getValue(name))
            ""
        }
        is JsonArray -> value.joinTo(this, ",", "[", "]") { appendCanonical(it); "" }
        is JsonPrimitive -> if (value.isString) appendQuoted(value.content) else append(canonicalScalar(value))
    }
}

private fun StringBuilder.appendPlain(value: JsonElement) {
    when (value) {
        is JsonObject -> {
            append('{')
            for ((name, member) in value) {
                appendQuoted(name)
                append(':')
                appendPlain(member)
                append(',')
            }
            close('}')
        }
        is JsonArray -> {
            append('[')
            for (item in value) {
                appendPlain(item)
                append(',')
            }
            close(']')
        }
        is JsonPrimitive -> if (value.isString) appendQuoted(value.content) else append(value.content)
    }
}

/** Writes the end of an array or an object, in the place of a comma that is too many. */
private fun StringBuilder.close(end: Char) {
    if (last() == ',') setCharAt(length - 1, end) else append(end)
}

private fun StringBuilder.appendQuoted(text: String) {
    append('"')
    var written = 0
    for (at in text.indices) {
        val char = text[at]
        if (char >= ' ' && char != '"' && char != '\\') continue
        append(text, written, at)
        written = at + 1
        val place = MEANT.indexOf(char)
        if (place >= 0) append('\\').append(ESCAPES[place])
        else append("\\u").append(char.code.toString(16).padStart(4, '0'))
    }
    // A text as a whole is copied at once, a part of one character by character.
    if (written == 0) append(text) else append(text, written, text.length)
    append('"')
}

private fun canonicalScalar(value: JsonPrimitive): String {
    if (value is JsonNull || value.content == "true" || value.content == "false") return value.content
    val number = decimal(value.content)
    return if (isPlain(value.content)) number.toBigInteger().toString() else canonicalDouble(number.toDouble())
}

/** A double as ECMAScript's Number::toString writes it: the fewest digits that give the same double. */
private fun canonicalDouble(value: Double): String {
    if (value == 0.0) return "0"
    val exact = BigDecimal(value)
    val short = (1..17).map { exact.round(MathContext(it)) }.first { it.toDouble() == value }.stripTrailingZeros()
    val digits = short.unscaledValue().abs().toString()
    val sign = if (value < 0) "-" else ""
    // The place of the point, counted from the first digit.
    val point = digits.length - short.scale()
    return sign + when (point) {
        in digits.length..21 -> digits.padEnd(point, '0')
        in 1..21 -> digits.take(point) + "." + digits.drop(point)
        in -5..0 -> "0." + "0".repeat(-point) + digits
        else -> digits.take(1) + (if (digits.length > 1) "." + digits.drop(1) else "") +
            "e" + (if (point > 0) "+" else "-") + Math.abs(point - 1)
    }
}
