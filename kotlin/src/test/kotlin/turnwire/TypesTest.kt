package turnwire

import kotlinx.serialization.ExperimentalSerializationApi
import kotlinx.serialization.SerializationException
import kotlinx.serialization.builtins.ListSerializer
import kotlinx.serialization.descriptors.SerialDescriptor
import kotlinx.serialization.encoding.AbstractDecoder
import kotlinx.serialization.encoding.AbstractEncoder
import kotlinx.serialization.encoding.CompositeDecoder
import kotlinx.serialization.json.Json
import kotlinx.serialization.json.JsonObject
import kotlinx.serialization.json.JsonPrimitive
import kotlinx.serialization.modules.EmptySerializersModule
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

    @OptIn(ExperimentalSerializationApi::class)
    private object OtherDecoder : AbstractDecoder() {
        override val serializersModule = EmptySerializersModule()

        override fun decodeElementIndex(descriptor: SerialDescriptor) = CompositeDecoder.DECODE_DONE
    }

    @OptIn(ExperimentalSerializationApi::class)
    private object OtherEncoder : AbstractEncoder() {
        override val serializersModule = EmptySerializersModule()
    }

    @Test
    fun `another format than JSON is told what to do`() {
        val faults = listOf(
            assertThrows<SerializationException> { TextPart.deserialize(OtherDecoder) },
            assertThrows<SerializationException> { TextPart.serialize(OtherEncoder, TextPart(text = "a")) },
        )

        assertEquals(
            listOf("read as JSON only, not by ${OtherDecoder.javaClass.name}", "written as JSON only, not by ${OtherEncoder.javaClass.name}"),
            faults.map { it.message?.substringAfter("can be ")?.substringBefore(": use kotlinx.serialization.json.Json") },
        )
    }
}
