/**
 * Values through the types: a line `{"type": NAME, "value": JSON}` in, a line out, `{"value": JSON}` in canonical form as
 * the type gives it back, or `{"pointer": POINTER, "rule": RULE}` of the first fault.
 */

package turnwire

import kotlinx.serialization.json.JsonElement
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive
import turnwire.generated.DecodingException
import turnwire.generated.JsonCodec
import turnwire.generated.Types
import turnwire.generated.Validators
import turnwire.generated.canonicalJson
import turnwire.generated.parseJson

fun main() {
    val out = System.out.bufferedWriter()
    System.`in`.bufferedReader().forEachLine { line ->
        val row = parseJson(line) as JsonObject
        out.append(canonicalJson(answer((row.getValue("type") as JsonPrimitive).content, row.getValue("value"))))
        out.append('\n')
    }
    out.flush()
}

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
