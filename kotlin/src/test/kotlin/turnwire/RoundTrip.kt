/**
 * Values through the types: a line `{"type": NAME, "value": JSON}` in, a line out, `{"value": JSON}` in canonical form as
 * the type gives it back, or `{"pointer": POINTER, "rule": RULE}` of the first fault; what is no JSON has the rule
 * "syntax". With the words `rate ROUNDS` it tells how fast that goes.
 */

package turnwire

import kotlin.system.measureNanoTime
import kotlinx.serialization.json.Json
import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive
import turnwire.generated.DecodingException
import turnwire.generated.JsonCodec
import turnwire.generated.JsonSyntaxException
import turnwire.generated.Types
import turnwire.generated.Validators
import turnwire.generated.canonicalJson
import turnwire.generated.parseJson

fun main(words: Array<String>) {
    if (words.firstOrNull() == "rate") println(rates(words[1].toInt())) else answers()
}

private fun answers() {
    val out = System.out.bufferedWriter()
    System.`in`.bufferedReader().forEachLine { line ->
        out.append(canonicalJson(answer(line))).append('\n')
    }
    out.flush()
}

private fun answer(line: String): JsonObject {
    val row = try {
        parseJson(line) as JsonObject
    } catch (_: JsonSyntaxException) {
        return refusal("", "syntax")
    }
    return answer((row.getValue("type") as JsonPrimitive).content, row.getValue("value"))
}

/** How many values a second go from text to text: through their types, and through the library's own untyped tree. */
private fun rates(rounds: Int): JsonObject {
    val given = System.`in`.bufferedReader().readLines().map { line ->
        val row = parseJson(line) as JsonObject
        requireNotNull(Types[(row.getValue("type") as JsonPrimitive).content]) to row.getValue("value").toString()
    }
    val ours = { for ((codec, text) in given) again(codec, text) }
    val untyped = { for ((_, text) in given) Json.parseToJsonElement(text).toString() }
    // Rounds take turns, so that what else the machine does meets both; the fastest tenth was compiled and left alone.
    val times = List(rounds) { listOf(ours, untyped).map { measureNanoTime(it) } }
    val (typed, plain) = List(2) { at -> given.size * 1e9 / times.map { it[at] }.sorted()[times.size / 10] }
    return JsonObject(mapOf("ours" to JsonPrimitive(typed.toLong()), "untyped" to JsonPrimitive(plain.toLong())))
}

private fun <T> again(codec: JsonCodec<T>, text: String): String = codec.encode(codec.decode(text))

private fun answer(type: String, value: JsonElement): JsonObject {
    val codec = requireNotNull(Types[type]) { "no type $type" }
    val fault = requireNotNull(Validators[type]) { "no validator of $type" }.check(value)
    if (fault != null) return refusal(fault.pointer, fault.rule)
    return try {
        JsonObject(mapOf("value" to through(codec, value)))
    } catch (refused: DecodingException) {
        refusal(refused.pointer, refused.rule)
    }
}

private fun <T> through(codec: JsonCodec<T>, value: JsonElement): JsonElement = codec.write(codec.read(value))

private fun refusal(pointer: String, rule: String): JsonObject =
    JsonObject(mapOf("pointer" to JsonPrimitive(pointer), "rule" to JsonPrimitive(rule)))
