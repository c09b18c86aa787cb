/** What came and nobody handled, in order, for whoever asks next. */

package turnwire

import kotlinx.coroutines.CancellationException
import kotlinx.coroutines.CompletableDeferred

/** A queue that can be asked for some messages and keeps the rest where it was. */
internal class Backlog<T : Any> {
    private class Waiter<T>(val wants: (T) -> Boolean) {
        val answer = CompletableDeferred<T?>()
        var given: T? = null

        fun give(message: T) {
            given = message
            answer.complete(message)
        }
    }

    private val messages = ArrayDeque<T>()
    private val waiters = ArrayList<Waiter<T>>()
    private var end: Result<Nothing?>? = null

    /** Gives a message to who waits for it, or keeps it; beyond 10,000 the oldest is forgotten. */
    @Synchronized
    fun put(message: T) {
        val waiter = waiters.firstOrNull { it.wants(message) }
        if (waiter != null) {
            waiters.remove(waiter)
            waiter.give(message)
            return
        }
        messages.addLast(message)
        if (messages.size > CAPACITY) messages.removeFirst()
    }

    /** No more comes: because of an error, or because this side wanted the end. What is kept can still be taken. */
    @Synchronized
    fun end(error: Throwable?) {
        val reason = end ?: if (error == null) Result.success(null) else Result.failure(error)
        end = reason
        for (waiter in waiters) waiter.answer.finish(reason)
        waiters.clear()
    }

    /** The next message that is wanted, those kept first; null after a wanted end, and what ended it is thrown. */
    suspend fun take(wants: (T) -> Boolean): T? {
        val waiter = Waiter(wants)
        serve(waiter)
        try {
            return waiter.answer.await()
        } catch (cancelled: CancellationException) {
            giveBack(waiter)
            throw cancelled
        }
    }

    @Synchronized
    private fun serve(waiter: Waiter<T>) {
        val index = messages.indexOfFirst(waiter.wants)
        val reason = end
        when {
            index >= 0 -> waiter.give(messages.removeAt(index))
            reason != null -> waiter.answer.finish(reason)
            else -> waiters.add(waiter)
        }
    }

    /** A message that came while its taker was cancelled is kept for the next. */
    @Synchronized
    private fun giveBack(waiter: Waiter<T>) {
        waiters.remove(waiter)
        waiter.given?.let(messages::addFirst)
    }

    private fun CompletableDeferred<T?>.finish(reason: Result<Nothing?>) {
        reason.fold({ complete(null) }, ::completeExceptionally)
    }
}

// Far more than a conversation holds; a program that never looks must not grow without end.
private const val CAPACITY = 10_000
