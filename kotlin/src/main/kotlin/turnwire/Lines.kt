/**
 * Chunks of a byte stream to lines, one JSON value a line.
 *
 * Only `\n` ends a line, so U+2028 is text; `\r\n` and blank lines are accepted. The bound is kept while reading: an
 * over-long line is never held, it is skipped to its end and told of once.
 */

package turnwire

import java.io.ByteArrayOutputStream
import java.nio.ByteBuffer
import java.nio.charset.CharacterCodingException
import java.nio.charset.CodingErrorAction

/** Joins what belongs to a line and cuts what does not; any split of a stream gives the same lines. */
internal class LineReader(private val limit: Int) {
    private var held = ByteArrayOutputStream()
    private var isSkipping = false

    /** What the first [count] bytes of a chunk complete. */
    fun feed(chunk: ByteArray, count: Int): List<Incoming> = buildList {
        var start = 0
        for (end in 0 until count) {
            if (chunk[end] == LINE_END) {
                hold(chunk, start, end, this)
                complete(this)
                start = end + 1
            }
        }
        hold(chunk, start, count, this)
    }

    /** STDIO-9: "A last line without `\n` before the end of input is processed." */
    fun finish(): List<Incoming> = buildList { complete(this) }

    private fun hold(chunk: ByteArray, start: Int, end: Int, into: MutableList<Incoming>) {
        if (isSkipping || start == end) return
        // A `\r` in last place may belong to the line end, which does not count.
        val counted = held.size() + (end - start) - (if (chunk[end - 1] == CARRIAGE_RETURN) 1 else 0)
        if (counted > limit) {
            into.add(Incoming.Unreadable("a line has more than $limit bytes", ""))
            held = ByteArrayOutputStream()
            isSkipping = true
        } else {
            held.write(chunk, start, end - start)
        }
    }

    private fun complete(into: MutableList<Incoming>) {
        if (held.size() > 0) into.add(message(held.toByteArray()))
        held = ByteArrayOutputStream()
        isSkipping = false
    }
}

/** Strict, because what is no UTF-8 is no message; a byte order mark stays, so that JSON refuses it. */
private fun message(line: ByteArray): Incoming {
    val decoder = Charsets.UTF_8.newDecoder()
        .onMalformedInput(CodingErrorAction.REPORT)
        .onUnmappableCharacter(CodingErrorAction.REPORT)
    return try {
        Incoming.Message(decoder.decode(ByteBuffer.wrap(line)).toString())
    } catch (_: CharacterCodingException) {
        Incoming.Unreadable("a line is not UTF-8", String(line, 0, minOf(line.size, EXCERPT_BYTES), Charsets.UTF_8))
    }
}

private const val LINE_END = '\n'.code.toByte()
private const val CARRIAGE_RETURN = '\r'.code.toByte()

// Enough of an unreadable line to recognise it: a banner, a log line, the head of a page of HTML.
private const val EXCERPT_BYTES = 160
