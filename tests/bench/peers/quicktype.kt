/**
 * Lines {"type": NAME, "value": JSON} in, through the types that quicktype made; for each a line out, the JSON that comes
 * back, or `!` where the value is refused. With `rate ROUNDS` there is one line out, how many values a second that is.
 */

package quick

import kotlin.system.measureNanoTime
import kotlinx.serialization.KSerializer
import kotlinx.serialization.SerializationException
import kotlinx.serialization.json.Json
import kotlinx.serialization.json.jsonObject
import kotlinx.serialization.json.jsonPrimitive

// As the head of what quicktype writes has it.
private val json = Json { allowStructuredMapKeys = true }

fun main(words: Array<String>) {
    val given = System.`in`.bufferedReader().readLines().map { line ->
        val row = Json.parseToJsonElement(line).jsonObject
        row.getValue("type").jsonPrimitive.content to row.getValue("value").toString()
    }
    if (words.firstOrNull() == "rate") {
        val times = List(words[1].toInt()) { measureNanoTime { for ((type, text) in given) back(type, text) } }
        println("{\"quicktype\":${(given.size * 1e9 / times.sorted()[times.size / 10]).toLong()}}")
    } else {
        for ((type, text) in given) {
            println(try { back(type, text) } catch (_: IllegalArgumentException) { "!" })
        }
    }
}

private fun back(type: String, text: String): String =
    if (type == "ClientRequest") through(ClientRequest.serializer(), text) else through(ServerNotification.serializer(), text)

private fun <T> through(of: KSerializer<T>, text: String): String = json.encodeToString(of, json.decodeFromString(of, text))
