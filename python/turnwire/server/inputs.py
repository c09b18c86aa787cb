"""Questions to the person (INPUT-*): what an answer may be, and what everybody may see of it."""

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

import msgspec
from msgspec import UNSET
from msgspec.structs import replace

from turnwire.errors import Issue
from turnwire.server.canonical import digest
from turnwire.server.checks import demand
from turnwire.server.ids import now_ms
from turnwire.server.thread import LiveThread
from turnwire.wire import (
    Question,
    QuestionAnswer,
    UserInput,
    UserInputAnswer,
    UserInputRequestedParams,
    UserInputRequestParams,
    UserInputResolution,
    UserInputResolvedParams,
)

__all__ = ["INPUT", "InputKind", "questions_digest"]


class InputKind:
    """See `Kind`. A question that waits in a paused turn is not resolved, so nothing is announced of that."""

    object: ClassVar[str] = "input"

    def params(self, asked: UserInput) -> UserInputRequestParams:
        return UserInputRequestParams(user_input=asked)

    def announce(self, thread: LiveThread, asked: UserInput) -> None:
        params = UserInputRequestedParams(thread_id=thread.id, turn_id=asked.turn_id, user_input=asked, seq=thread.seq)
        thread.record("userInput/requested", params)

    def can_pause(self, asked: UserInput) -> bool:
        return asked.blocking

    def read(self, asked: UserInput, answer: UserInputAnswer, pointer: str) -> tuple[str, UserInputResolution]:
        demand(_issues(asked, answer, f"{pointer}/answers"))
        return "answer", UserInputResolution(outcome="answered", answers=answer.answers, at=now_ms())

    def unanswered(self, outcome: str, *, defers: bool) -> UserInputResolution:
        del defers
        return UserInputResolution(outcome=outcome, at=now_ms())

    def shown(self, asked: UserInput, resolution: UserInputResolution) -> UserInputResolution:
        # INPUT-3: "The answer to a secret question is in no notification, no list and no record."
        if resolution.answers is UNSET:
            return resolution
        secret = {question.id for question in asked.questions if question.secret is True}
        answers = [answer for answer in resolution.answers if answer.question_id not in secret]
        return replace(resolution, answers=answers or UNSET)

    def announce_end(self, thread: LiveThread, asked: UserInput, resolution: Any, *, defers: bool) -> None:
        if defers:
            return
        params = UserInputResolvedParams(
            thread_id=thread.id,
            turn_id=asked.turn_id,
            item_id=asked.item_id,
            user_input_id=asked.user_input_id,
            resolution=self.shown(asked, resolution),
            seq=thread.seq,
        )
        thread.record("userInput/resolved", params)


INPUT = InputKind()


def questions_digest(questions: Sequence[Question]) -> str:
    """By which a turn that is resumed knows the questions that it paused for."""
    return digest(msgspec.to_builtins(list(questions)))


def _issues(asked: UserInput, answer: UserInputAnswer, pointer: str) -> Iterator[Issue]:
    questions = {question.id: question for question in asked.questions}
    for index, given in enumerate(answer.answers):
        question = questions.pop(given.question_id, None)
        if question is None:
            yield Issue(f"{pointer}/{index}/questionId", "is no question that waits for an answer of its own")
        else:
            yield from _answer_issues(question, given, f"{pointer}/{index}")


def _answer_issues(question: Question, given: QuestionAnswer, pointer: str) -> Iterator[Issue]:
    options = [] if question.options is UNSET else [option.id for option in question.options]
    chosen = [] if given.option_ids is UNSET else given.option_ids
    for index, option in enumerate(chosen):
        if option not in options:
            yield Issue(f"{pointer}/optionIds/{index}", "is not offered", ", ".join(options))
    if len(set(chosen)) < len(chosen) or (len(chosen) > 1 and question.multiple is not True):
        yield Issue(f"{pointer}/optionIds", "chooses more than may be chosen")
    # INPUT-2: "A question without `options` takes text."
    if given.text is not UNSET and options and question.free_text is not True:
        yield Issue(f"{pointer}/text", "takes no text", "one of the options")
