package turnwire

import kotlinx.serialization.builtins.ListSerializer
import kotlinx.serialization.json.Json
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.assertThrows
import turnwire.generated.DecodingException
import turnwire.generated.Item
import turnwire.generated.ItemStatus
import turnwire.generated.Presence
import turnwire.generated.TextPart
import turnwire.generated.ThreadUpdateParams
import turnwire.generated.TurnStartParams
import turnwire.generated.UnknownItem
import turnwire.generated.parseJson

/** What types promise that other generators break. */
class TypesTest {
    @Test
    fun `an arm that nobody knows keeps its JSON`() {
        val text = """{"type":"hologram","id":"i","depth":3}"""

        assertEquals(UnknownItem(parseJson(text) as JsonObject), Item.decode(text))
        assertEquals(text, Item.encode(Item.decode(text)))
    }

    @Test
    fun `a value that nobody knows is kept`() {
        assertEquals(ItemStatus.Unknown("paused"), ItemStatus.decode("\"paused\""))
        assertEquals(ItemStatus.Known.COMPLETED, ItemStatus.of("completed"))
    }

    @Test
    fun `absent, null and a value are three things`() {
        val texts = listOf("""{"threadId":"t"}""", """{"threadId":"t","title":null}""", """{"threadId":"t","title":"x"}""")
        val read = texts.map { ThreadUpdateParams.decode(it) }

        assertEquals(listOf(Presence.Absent, Presence.Null, Presence.of("x")), read.map { it.title })
        assertEquals(texts, read.map { ThreadUpdateParams.encode(it) })
    }

    @Test
    fun `a fault has its pointer`() {
        val fault = assertThrows<DecodingException> {
            TurnStartParams.decode("""{"threadId":"t","input":[{"type":"text","text":"a"},{"type":"text","text":1}]}""")
        }

        assertEquals("/input/1/text" to "type", fault.pointer to fault.rule)
    }

    @Test
    fun `the companion of a type is its serializer`() {
        val params = TurnStartParams(threadId = "t", input = listOf(TextPart(text = "a")))
        val text = Json.encodeToString(TurnStartParams, params)

        assertEquals("""{"threadId":"t","input":[{"type":"text","text":"a"}]}""", text)
        assertEquals(params, Json.decodeFromString(TurnStartParams, text))
        assertEquals(listOf(ItemStatus.Known.FAILED), Json.decodeFromString(ListSerializer(ItemStatus), """["failed"]"""))
        assertEquals(JsonPrimitive("failed"), Json.encodeToJsonElement(ItemStatus, ItemStatus.Known.FAILED))
    }
}
