/** The formats that are checked, by RFC 3339, RFC 9562 and RFC 6943, on ASCII digits only. */

package turnwire.generated

private val date = Regex("([0-9]{4})-([0-9]{2})-([0-9]{2})")
private val time = Regex("([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\\.[0-9]+)?(?:[Zz]|([+-])([0-9]{2}):([0-9]{2}))")
private val uuid = Regex("[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")
private const val BYTE_OF_IPV4 = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
private val ipv4 = Regex("$BYTE_OF_IPV4(?:\\.$BYTE_OF_IPV4){3}")
private val days = listOf(31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)

internal fun isDate(text: String): Boolean {
    val (year, month, day) = date.matchEntire(text)?.destructured?.toList()?.map(String::toInt) ?: return false
    val leap = month == 2 && year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    return month in 1..12 && day in 1..days[month - 1] + (if (leap) 1 else 0)
}

internal fun isTime(text: String): Boolean {
    val parts = time.matchEntire(text)?.groupValues ?: return false
    val (hour, minute, second) = parts.slice(1..3).map(String::toInt)
    val (awayHour, awayMinute) = parts.slice(5..6).map { it.ifEmpty { "0" }.toInt() }
    if (hour > 23 || minute > 59 || second > 60 || awayHour > 23 || awayMinute > 59) return false
    // A leap second is the last of a day, in universal time.
    val away = (awayHour * 60 + awayMinute) * (if (parts[4] == "-") -1 else 1)
    return second < 60 || Math.floorMod(hour * 60 + minute - away, 1440) == 1439
}

internal fun isDateTime(text: String): Boolean =
    text.length > 10 && (text[10] == 'T' || text[10] == 't') && isDate(text.take(10)) && isTime(text.drop(11))

internal fun isIpv4(text: String): Boolean = ipv4.matches(text)

internal fun isUuid(text: String): Boolean = uuid.matches(text)
