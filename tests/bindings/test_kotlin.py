"""Kotlin: the package's own tests, the example, the page, names and texts that could hurt."""

import os
import re
import subprocess
import zipfile
from xml.etree import ElementTree as ET

import pytest

from architecture.tree import environment
from bindings.kotlin_builds import ROOT, SERVER, installed, maven, package
from turnwire_codegen.cases.kotlin_toolchain import build
from turnwire_codegen.emit.kotlin.names import case_names, member_names, package_name, type_name
from turnwire_codegen.emit.kotlin.text import comment, quoted

pytestmark = pytest.mark.timeout(1500)


@pytest.fixture(scope="module")
def tools():
    return installed()


@pytest.fixture(scope="module")
def built(tools):
    return package()


def test_its_own_tests_pass(tools, built):
    done = maven(built, "surefire:test")
    suites = [ET.parse(path).getroot() for path in (built / "target" / "surefire-reports").glob("*.xml")]
    counts = {name: sum(int(suite.get(name, 0)) for suite in suites) for name in ("failures", "errors", "skipped")}

    assert 0 == done.returncode, done.stdout
    assert {"failures": 0, "errors": 0, "skipped": 0} == counts
    assert {"ClientTest", "ConversationTest", "JsonTest", "RulesTest", "TypesTest"} == {
        suite.get("name", "").rpartition(".")[2] for suite in suites
    }


def test_the_sources_are_packed(tools, built):
    (jar,) = (built / "target").glob("*-sources.jar")
    names = set(zipfile.ZipFile(jar).namelist())
    kept = {
        path.relative_to(ROOT / "kotlin/src/main/kotlin").as_posix() for path in ROOT.glob("kotlin/src/main/**/*.kt")
    }

    assert kept <= names


@pytest.fixture(scope="module")
def programs(tools, built, tmp_path_factory):
    """The example, and the blocks of the page, each as a file of a package of its own."""
    blocks = re.findall(r"(?s)```kotlin\n(.*?)```", (ROOT / "kotlin" / "README.md").read_text())
    sources = {"Chat.kt": (ROOT / "examples" / "kotlin" / "Chat.kt").read_text()}
    for number, block in enumerate(blocks):
        body = block if "fun " in block else f"import turnwire.generated.*\n\nfun block() {{\n{block}}}\n"
        sources[f"block{number}.kt"] = f"package block{number}\n\n{body}"
    above = tools._replace(libraries=f"{built / 'target' / 'classes'}{os.pathsep}{tools.libraries}")
    made = build(above, sources, tmp_path_factory.mktemp("programs"))
    assert {} == made.faults
    return above, made.classes


@pytest.mark.parametrize(
    ("answer", "expected"),
    [("y\n", 'deploy completed: {"echo":{"to":"staging"}}'), ("n\n", "deploy declined: no result")],
)
def test_the_example_runs(programs, answer, expected):
    above, classes = programs
    script = 'approve deploy {"to": "staging"}\ntext Done'
    done = subprocess.run(
        [*above.command(classes, "ChatKt"), script, *SERVER],
        input=answer,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )

    assert (0, "") == (done.returncode, done.stderr)
    assert ["may it run deploy? [y/N] " + expected, "Done", "[completed]"] == done.stdout.splitlines()


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Item", "Item"),
        ("String", "String_"),
        ("Any", "Any_"),
        ("Presence", "Presence_"),
        ("Companion", "Companion_"),
        ("in", "in_"),
        ("thread/start", "ThreadStart"),
        ("2fast", "T2Fast"),
        ("_", "T"),
        ("", "T"),
    ],
)
def test_no_type_hides_another(name, expected):
    assert expected == type_name(name)


@pytest.mark.parametrize(
    ("wires", "expected"),
    [
        (("threadId", "thread_id"), {"threadId": "threadId", "thread_id": "threadId_"}),
        (("class", "in"), {"class": "class_", "in": "in"}),
        (("uRL", "URL"), {"uRL": "uRl", "URL": "url"}),
        (("", "1st", "é"), {"": "empty", "1st": "n1St", "é": "empty_"}),
        (("extra",), {"extra": "extra_"}),
    ],
)
def test_members_keep_apart(wires, expected):
    assert expected == member_names(dict.fromkeys(wires, ""), ("extra",))


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (("inProgress", "in_progress"), {"inProgress": "IN_PROGRESS", "in_progress": "IN_PROGRESS_"}),
        (("", "1", "-"), {"": "EMPTY", "1": "V1", "-": "EMPTY_"}),
        (("A-B", "A_B"), {"A-B": "A_B_", "A_B": "A_B"}),
    ],
)
def test_cases_keep_apart(values, expected):
    assert expected == case_names({value: value for value in values})


@pytest.mark.parametrize(
    ("title", "expected"),
    [("Agent Client Protocol", "agentclientprotocol"), ("in", "in_"), ("2 parts", "v2parts"), ("", "schema")],
)
def test_package_of_a_title(title, expected):
    assert expected == package_name(title)


@pytest.mark.parametrize(
    ("value", "expected"),
    [('a"b', '"a\\"b"'), ("$x", '"\\$x"'), ("\f\n\u2028é", '"\\u000c\\n\\u2028\\u00e9"')],
)
def test_text_cannot_end_or_begin_code(value, expected):
    assert expected == quoted(value)


def test_a_comment_holds_no_comment():
    assert ("/** a *&#47; b /&#42;* c */",) == comment("a */ b /** c", indent=0)
