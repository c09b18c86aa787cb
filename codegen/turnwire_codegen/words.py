"""The only splitter of names: a wire name becomes lower-case words once, each language joins them in its own case."""

import re

__all__ = ["camel", "pascal", "snake", "upper_snake", "words"]

# An acronym ends before the capital that opens the next word (`HTTPServer`), digits stay with the word they follow.
_WORD = re.compile(r"[A-Z]+(?![a-z])[0-9]*|[A-Z]?[a-z]+[0-9]*|[0-9]+|[^\W\d_a-zA-Z]+")


def words(name: str) -> tuple[str, ...]:
    """Split `name` into lower-case words; what is neither letter nor digit only separates."""
    return tuple(match.lower() for match in _WORD.findall(name))


def snake(name: str) -> str:
    """`threadId` and `thread/id` become `thread_id`."""
    return "_".join(words(name))


def upper_snake(name: str) -> str:
    """`threadId` becomes `THREAD_ID`."""
    return snake(name).upper()


def pascal(name: str) -> str:
    """`thread/turns/list` becomes `ThreadTurnsList`."""
    return "".join(word[:1].upper() + word[1:] for word in words(name))


def camel(name: str) -> str:
    """`thread/turns/list` becomes `threadTurnsList`."""
    joined = pascal(name)
    return joined[:1].lower() + joined[1:]
