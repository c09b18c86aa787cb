"""Who makes a turn take a course: the server, the judge's model, or the words of the user."""

import io
import urllib.request

import pytest

from turnwire.cli import main
from turnwire.conformance.courses import staged, with_model
from turnwire.conformance.profiles import load_profile


@pytest.mark.parametrize(
    ("name", "prompts", "has_model", "text", "capability"),
    [
        ("turnwire", {}, False, "text Grüße", "/conformance/script"),
        ("turnwire", {"text": "hello"}, False, "hello", ""),
        ("codex", {}, False, None, ""),
        ("codex", {}, True, "text Grüße", ""),
        ("codex", {"text": "hello"}, False, "hello", ""),
    ],
)
def test_prompts_are_those_that_somebody_obeys(name, prompts, has_model, text, capability):
    script = staged(load_profile(name), prompts, has_model=has_model).script

    found = script.prompts.get("text")
    assert (text is None, capability) == (found is None, script.capability)
    assert found is None or found.startswith(text)


def test_a_server_is_pointed_at_the_model_by_its_words_or_its_environment():
    with with_model(("x", "--url={model}"), {"BASE": "{model}/"}) as (argv, env, has_model):
        url = argv[1].removeprefix("--url=")

        assert (True, f"{url}/") == (has_model, env["BASE"])
        assert 200 == urllib.request.urlopen(f"{url}/models", timeout=60).status


def test_who_does_not_ask_for_a_model_gets_none():
    with with_model(("x",), {"A": "b"}) as found:
        assert (("x",), {"A": "b"}, False) == found


def test_the_words_of_the_user_are_what_a_turn_is_started_with(judge, fixture_argv, tmp_path):
    judged = judge(
        fixture_argv(),
        select=("turn.failure-surfaces",),
        prompts={"failure": "fail as the user said", "text": "text x"},
        transcripts=tmp_path,
    )

    assert {"turn.failure-surfaces": "pass"} == judged.verdicts
    assert any("fail as the user said" in path.read_text(encoding="utf-8") for path in tmp_path.iterdir())


def test_a_course_without_words_is_not_verified(judge, fixture_argv):
    judged = judge(fixture_argv(), select=("turn.failure-surfaces",), prompts={"text": "text x"})

    assert {"turn.failure-surfaces": "not-verified"} == judged.verdicts
    assert 4 == judged.exit_code


@pytest.mark.parametrize("words", ["text", "text=", "nonsense=x"])
def test_words_without_a_course_are_refused(words):
    stderr = io.StringIO()

    code = main(["check", "server", "--prompt", words, "--", "cat"], io.StringIO(), io.StringIO(), stderr)

    assert (2, True) == (code, "is not COURSE=TEXT (text, slow, " in stderr.getvalue())
