"""Who makes a turn take a known course: the server by its declared script, a model of the judge's, or the user's words.

A prompt is only worth something where somebody obeys it, so a contract is judged with those that will be obeyed.
"""

import contextlib
from collections.abc import Iterator, Mapping, Sequence

import msgspec

from turnwire.conformance.endpoint import hosted
from turnwire.conformance.profiles import Profile

__all__ = ["COURSES", "staged", "with_model"]

# In the command or the environment of a server it stands for the base URL of the judge's model.
PLACEHOLDER = "{model}"
COURSES = ("text", "slow", "brief", "large", "failure", "approval", "output")


@contextlib.contextmanager
def with_model(argv: Sequence[str], env: Mapping[str, str]) -> Iterator[tuple[tuple[str, ...], dict[str, str], bool]]:
    """The command and the environment of a server, pointed at a model that lasts as long; and whether they are."""
    if not any(PLACEHOLDER in word for word in (*argv, *env.values())):
        yield tuple(argv), dict(env), False
        return
    with hosted() as url:
        yield (
            tuple(word.replace(PLACEHOLDER, url) for word in argv),
            {name: word.replace(PLACEHOLDER, url) for name, word in env.items()},
            True,
        )


def staged(profile: Profile, prompts: Mapping[str, str], *, has_model: bool) -> Profile:
    """The contract with the prompts that will be obeyed.

    What the user gives counts before all; that no server promises, so it needs no capability.
    """
    script = profile.script
    if prompts:
        script = msgspec.structs.replace(script, prompts=dict(prompts), capability="")
    elif script.source == "model" and not has_model:
        script = msgspec.structs.replace(script, prompts={})
    return msgspec.structs.replace(profile, script=script)
