package turnwire

import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.api.assertThrows
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.CsvSource
import org.junit.jupiter.params.provider.ValueSource
import turnwire.generated.Item
import turnwire.generated.JsonSyntaxException
import turnwire.generated.canonicalJson
import turnwire.generated.parseJson

/** JSON text in and out: RFC 8259 on the way in, RFC 8785 on the way out, with whole numbers exactly. */
class JsonTest {
    @ParameterizedTest
    @CsvSource(
        delimiter = '|',
        value = [
            """ { "b" : 1 , "a" : [ true , null ] } | {"a":[true,null],"b":1}""",
            """{"a":1,"a":2}|{"a":2}""",
            """"A\/\u000a\u20ac\ud83d\ude00"|"A/\n€😀"""",
            """"\u0001\u001f"|"\u0001\u001f"""",
            "18446744073709551617|18446744073709551617",
            "1234567890123456789012345|1234567890123456789012345",
            "9007199254740993.0|9007199254740992",
            "9223372036854775807.0|9223372036854776000",
            "-0|0",
            "-0.0|0",
            "1e-400|0",
            "1.0|1",
            "1e2|100",
            "1.5e300|1.5e+300",
            "0.1|0.1",
            "1E-7|1e-7",
            "0.000001|0.000001",
            "1e21|1e+21",
            "123456789012345680000.5|123456789012345680000",
            "5e-324|5e-324",
            "2e-3|0.002",
        ],
    )
    fun canonical(text: String, expected: String) {
        assertEquals(expected, canonicalJson(parseJson(text)))
    }

    @ParameterizedTest
    @ValueSource(
        strings = [
            "{}", "[]", "[[],{}]", """{"":{"b":[],"a":{}}}""", "[1.50,-0,1E2,18446744073709551617]", "[true,false,null]",
            """"a/\"\\\b\f\n\r\t\u0001\u001f"""", "\"é€😀\u2028\"", "[\"a,\"]", "\",\"",
        ],
    )
    fun `what nobody knows is written as it came`(text: String) {
        val given = """{"type":"hologram","value":$text}"""

        assertEquals(given, Item.encode(Item.decode(given)))
    }

    @ParameterizedTest
    @ValueSource(
        strings = [
            "", "nul", "01", "1.", ".5", "+1", "1e", "-", "[1,]", "[1", "{\"a\"}", "{\"a\":}", "{a:1}", "{\"a\":1,}", "1 2",
            "\"a", "\"\\x\"", "\"\\u12\"", "\"\\ud800\"", "\"\\ud800\\u0041\"", "\"\\udc00\"", "\"\t\"", "NaN", "\uFEFF1", "1e400", "-1e309",
        ],
    )
    fun refused(text: String) {
        assertThrows<JsonSyntaxException> { parseJson(text) }
    }

    @ParameterizedTest
    @CsvSource("4300, true", "4301, false", "1000000, false")
    fun `long numbers are refused before they take time`(digits: Int, isRead: Boolean) {
        assertEquals(isRead, runCatching { parseJson("9".repeat(digits)) }.fold({ true }, { it !is JsonSyntaxException }))
    }

    @ParameterizedTest
    @CsvSource("512, true", "513, false", "100000, false")
    fun `deep values are refused before the stack ends`(depth: Int, isRead: Boolean) {
        val text = "[".repeat(depth) + "]".repeat(depth)

        assertEquals(isRead, runCatching { parseJson(text) }.fold({ true }, { it !is JsonSyntaxException }))
    }
}
