package turnwire

import kotlinx.serialization.json.JsonPrimitive
import org.junit.jupiter.api.Assertions.assertEquals
import org.junit.jupiter.params.ParameterizedTest
import org.junit.jupiter.params.provider.CsvSource
import turnwire.generated.Fault
import turnwire.generated.Matching
import turnwire.generated.Validators
import turnwire.generated.byCodePoint
import turnwire.generated.parseJson

/** What validators promise beyond the vectors. */
class RulesTest {
    @ParameterizedTest
    @CsvSource("a,", "c, pattern")
    fun `a pattern is matched whatever the length of the text`(last: String, rule: String?) {
        val fault = Matching("^(?:a|b)*\\z").check(JsonPrimitive("ab".repeat(200_000) + last))

        assertEquals(rule?.let { Fault("", it) }, fault)
    }

    @ParameterizedTest
    @CsvSource("a, b, -1", "b, a, 1", "a, a, 0", "a, ab, -1", "\uFF5E, \uD83D\uDE00, -1", "\uD83D\uDE00, \uD83D\uDE01, -1")
    fun `names are in the order of code points`(left: String, right: String, expected: Int) {
        assertEquals(expected, Integer.signum(byCodePoint.compare(left, right)))
    }

    @ParameterizedTest
    @CsvSource("Identifier, '\"\"', '', length", "ThreadStartParams, '{\"title\":1}', /title, type")
    fun `a validator is found by the name of the type`(type: String, text: String, pointer: String, rule: String) {
        assertEquals(Fault(pointer, rule), Validators[type]?.check(parseJson(text)))
    }
}
