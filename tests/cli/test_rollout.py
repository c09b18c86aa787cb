"""`rollout` and the record that `serve` keeps: what a kill leaves, what a changed byte does, and every wrong use."""

import json
import subprocess
from pathlib import Path

import pytest

from cli.running import TURNWIRE, environment, program, run
from cli.test_serve import HELLO, line
from turnwire.cli.exits import Exit
from turnwire.store.opening import STORES, open_store
from turnwire.store.rollout import verify

FOREVER = {"threadId": "t1", "input": [{"type": "text", "text": "text First\nslow 1000 1000"}]}
LISTED = line(2, "thread/list", {})


def start(thread_id):
    return line(2, "thread/start", {"threadId": thread_id})


def served(directory, *lines, flags=()):
    """What a server over the directory answers, to its end."""
    done = program(
        "serve", "--state-dir", str(directory), *flags, stdin=b"".join([line(1, "initialize", HELLO), *lines])
    )
    assert done.code == Exit.DONE
    return [json.loads(each) for each in done.out.splitlines()], done.err


def killed_in_a_turn(directory, store):
    """Two threads, the server of which is killed while a turn runs in one of them."""
    argv = [*TURNWIRE, "serve", "--state-dir", str(directory), "--store", store]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment()) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(line(1, "initialize", HELLO) + start("t1") + start("t2") + line(3, "turn/start", FOREVER))
        process.stdin.flush()
        while b"item/agentMessage/delta" not in process.stdout.readline():
            pass
        process.kill()


def threads_of(answers):
    return {thread["id"]: thread["status"] for thread in answers[1]["result"]["data"]}


@pytest.fixture
def state(tmp_path):
    """A record of one thread."""
    served(tmp_path / "state", start("t1"))
    return tmp_path / "state"


@pytest.mark.parametrize("store", STORES)
def test_a_server_that_was_killed_is_served_again(tmp_path, store):
    killed_in_a_turn(tmp_path, store)
    answers, _ = served(tmp_path, LISTED, flags=("--store", store))
    checked = run("rollout", "verify", str(tmp_path))

    assert threads_of(answers) == {"t1": "idle", "t2": "idle"}
    assert (checked.code, [each.split(":")[0] for each in checked.out.splitlines()]) == (
        Exit.DONE,
        ["ok       t1", "ok       t2"],
    )


def test_a_changed_byte_is_named_and_the_other_thread_is_served(tmp_path):
    killed_in_a_turn(tmp_path, "jsonl")
    (path,) = (tmp_path / "threads").glob("t1-*.jsonl")
    path.write_bytes(path.read_bytes().replace(b"turn/started", b"turn/startee", 1))
    checked = run("rollout", "verify", str(tmp_path))
    answers, said = served(
        tmp_path, line(2, "thread/read", {"threadId": "t2"}), line(3, "thread/resume", {"threadId": "t1"})
    )

    assert checked.code == Exit.FINDINGS
    assert "damaged  t1: line 3, event 3: its bytes are not those that its hash was made of" in checked.out
    assert "ok       t2: 1 events to 1" in checked.out
    assert (answers[1]["result"]["thread"]["id"], answers[2]["error"]["code"]) == ("t2", -32603)
    assert "line 3, event 3" in said
    assert run("rollout", "verify", str(tmp_path), "t2").code == Exit.DONE
    assert run("rollout", "show", str(tmp_path), "t1").line.startswith("turnwire: damaged: ")


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        ((), "terminal"),
        (("--store", "sqlite"), "terminal"),
        (("--fsync", "always"), "always"),
        (("--store", "sqlite", "--fsync", "never"), "never"),
    ],
)
def test_fsync_is_said(tmp_path, flags, said):
    answers, _ = served(tmp_path / "state", flags=flags)

    assert answers[0]["result"]["limits"]["fsync"] == said


def test_memory_promises_nothing():
    done = program("serve", "--store", "memory", stdin=line(1, "initialize", HELLO))

    assert "fsync" not in json.loads(done.out)["result"]["limits"]


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["--store", "jsonl"], "the store jsonl needs a place; add --state-dir DIR"),
        (["--store", "memory", "--state-dir", "x"], "--state-dir is of no use in memory"),
        (["--fsync", "never"], "--fsync is of no use in memory"),
        (["--store", "csv"], "argument --store: invalid choice: 'csv'"),
        (["--state-dir", "x", "--fsync", "now"], "argument --fsync: invalid choice: 'now'"),
        (["--state-dir", "/dev/null"], "the state directory cannot be used: "),
        (["--state-dir", str(Path(__file__).parent)], "is no state directory and not empty"),
    ],
)
def test_wrong_use_of_serve_is_one_line(argv, said):
    done = run("serve", *argv)

    assert (done.code, done.out, said in done.line) == (Exit.USAGE, "", True)


def test_a_record_of_another_store_is_left_alone(state):
    done = run("serve", "--state-dir", str(state), "--store", "sqlite")

    assert (done.code, "holds a record of the store jsonl" in done.line) == (Exit.USAGE, True)


@pytest.mark.parametrize(
    "form", ["verify", "show t1", "prune t1 --before 9", "migrate OTHER --store sqlite", "export t1"]
)
def test_a_directory_without_a_record_is_one_line(tmp_path, form):
    command, *rest = form.replace("OTHER", str(tmp_path / "other")).split()
    done = run("rollout", command, str(tmp_path / "none"), *rest)

    assert (done.code, done.out, "is no directory" in done.line) == (Exit.USAGE, "", True)


@pytest.mark.parametrize("form", ["verify t9", "show t9", "prune t9 --before 9", "export t9"])
def test_a_thread_that_is_not_there_is_one_line(state, form):
    command, *rest = form.split()
    done = run("rollout", command, str(state), *rest)

    assert (done.code, done.out, done.line) == (Exit.USAGE, "", f"turnwire: {state} holds no thread t9")


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["rollout"], "`turnwire rollout` wants one of: verify | show | prune | migrate | export"),
        (["rollout", "verify"], "the following arguments are required: DIR"),
        (["rollout", "show", "x"], "the following arguments are required: THREAD"),
        (["rollout", "prune", "x", "t1"], "the following arguments are required: --before"),
        (["rollout", "prune", "x", "t1", "--before", "-1"], "argument --before: '-1' is no whole number"),
        (["rollout", "show", "x", "t1", "--limit", "many"], "argument --limit: 'many' is no whole number"),
        (["rollout", "migrate", "x", "y"], "the following arguments are required: --store"),
        (["rollout", "export", "x", "t1", "--form", "csv"], "argument --form: invalid choice: 'csv'"),
    ],
)
def test_wrong_words_are_one_line(argv, said):
    done = run(*argv)

    assert (done.code, done.out, said in done.line) == (Exit.USAGE, "", True)


def test_a_thread_that_a_server_writes_is_not_pruned(state):
    store = open_store("jsonl", state)
    store.claim("t1")
    done = run("rollout", "prune", str(state), "t1", "--before", "9")
    store.close()

    assert (done.code, "another process writes the thread t1" in done.line) == (Exit.USAGE, True)


def test_events_are_shown_and_exported_as_they_are_stored(state):
    (path,) = (state / "threads").glob("t1-*.jsonl")
    shown = run("rollout", "show", str(state), "t1", "--json")
    exported = run("rollout", "export", str(state), "t1")
    history = json.loads(run("rollout", "export", str(state), "t1", "--form", "history").out)

    assert [json.loads(each)["type"] for each in shown.out.splitlines()] == ["thread/started"]
    assert "thread/started" in run("rollout", "show", str(state), "t1").out
    assert run("rollout", "show", str(state), "t1", "--after", "1").out == ""
    assert exported.out == path.read_text()
    assert (history["thread"]["id"], history["turns"]) == ("t1", [])


def test_old_events_are_pruned_and_the_rest_verifies(tmp_path):
    killed_in_a_turn(tmp_path, "jsonl")
    served(tmp_path, LISTED)
    events = next(verify(tmp_path, "t1")).events
    pruned = run("rollout", "prune", str(tmp_path), "t1", "--before", "1000")
    again = run("rollout", "prune", str(tmp_path), "t1", "--before", "1000")

    assert pruned.out == f"t1: one event stands for {events}, to event {events}\n"
    assert again.out == "t1: nothing to prune before event 1000\n"
    assert run("rollout", "verify", str(tmp_path)).code == Exit.DONE


def test_a_record_is_copied_to_another_store_once(state, tmp_path):
    other = str(tmp_path / "other")
    (state / "notes.jsonl").write_bytes(b'\n{"one":1}\n')
    dry = run("rollout", "migrate", str(state), other, "--store", "sqlite", "--dry-run")
    written = (tmp_path / "other").exists()
    said = [run("rollout", "migrate", str(state), other, "--store", "sqlite").out for _ in range(2)]
    answers, _ = served(other, LISTED, flags=("--store", "sqlite"))

    assert (tmp_path / "other" / "notes.jsonl").read_bytes().split() == [b'{"one":1}']
    assert (dry.out, written) == ("ok        t1: 1 events to copy\n", False)
    assert said == ["ok        t1: 1 events copied\n", "ok        t1: 0 events copied, 1 were there\n"]
    assert threads_of(answers) == {"t1": "idle"}


@pytest.mark.parametrize(
    ("form", "code", "said"),
    [
        ("migrate STATE STATE --store jsonl", Exit.USAGE, "is the directory to copy from; name another one to copy to"),
        ("migrate STATE STATE/. --store sqlite", Exit.USAGE, "is the directory to copy from; name another one"),
        ("migrate STATE FILE --store jsonl", Exit.USAGE, "the record cannot be used: FILE: Not a directory"),
        ("migrate STATE /proc/x --store jsonl", Exit.USAGE, "/proc/x: No such file or directory"),
        ("verify FILE", Exit.USAGE, "FILE is no directory; name the state directory of a server"),
        ("verify OTHER", Exit.USAGE, "the record cannot be used: OTHER/record.sqlite: file is not a database"),
        ("show OTHER t1", Exit.USAGE, "the record cannot be used: OTHER/record.sqlite: file is not a database"),
        ("migrate OTHER NEW --store jsonl", Exit.USAGE, "OTHER/record.sqlite: file is not a database"),
        ("verify EMPTY", Exit.DONE, "EMPTY holds no thread"),
        ("show STATE ID", Exit.USAGE, "STATE holds no thread without an id"),
        ("show STATE ../../etc/passwd", Exit.USAGE, "STATE holds no thread ../../etc/passwd"),
        ("export STATE a/b", Exit.USAGE, "STATE holds no thread a/b"),
        ("verify STATE/threads", Exit.USAGE, "STATE/threads holds no record; name the state directory of a server"),
    ],
)
def test_what_is_no_record_is_one_line(state, tmp_path, form, code, said):
    places = {name: str(tmp_path / name.lower()) for name in ("FILE", "OTHER", "NEW", "EMPTY")} | {"STATE": str(state)}
    Path(places["FILE"]).write_text("a file")
    Path(places["OTHER"]).mkdir()
    (Path(places["OTHER"]) / "record.sqlite").write_text("no database")
    (Path(places["EMPTY"]) / "threads").mkdir(parents=True)
    argv = [places.get(word, word.replace("STATE", places["STATE"])) for word in form.split()]
    done = run("rollout", *("" if word == "ID" else word for word in argv))
    for name, place in places.items():
        said = said.replace(name, place)

    assert (done.code, done.out.count("\n") + done.err.count("\n")) == (code, 1)
    assert said in done.out + done.err


@pytest.mark.parametrize("command", ["verify", "show", "export", "prune", "migrate"])
def test_a_page_of_a_database_that_is_broken_is_one_line_a_thread(tmp_path, command):
    state = tmp_path / "state"
    served(state, start("t1"), start("t2"), flags=("--store", "sqlite"))
    (state / "record.sqlite").write_bytes(zeroed(state / "record.sqlite"))
    words = {"prune": ["t1", "--before", "9"], "migrate": [str(tmp_path / "new"), "--store", "jsonl"], "verify": []}
    done = run("rollout", command, str(state), *words.get(command, ["t1"]))

    assert done.code in (Exit.FINDINGS, Exit.USAGE)
    assert done.err.count("\n") + done.out.count("\n") in (1, 2)
    assert "Traceback" not in done.err
    assert "malformed" in done.out + done.err or "damaged" in done.out + done.err


def zeroed(path):
    """The file without its page of events."""
    data = bytearray(path.read_bytes())
    size = int.from_bytes(data[16:18], "big")
    page = data.index(b'{"seq":1,') // size
    data[page * size : (page + 1) * size] = bytes(size)
    return bytes(data)


@pytest.mark.parametrize(
    ("form", "code", "said"),
    [
        (
            "verify STATE",
            Exit.FINDINGS,
            "damaged  t1: it cannot be read: Is a directory (FILE)\nok       t2: 1 events to 1\n",
        ),
        ("show STATE t1", Exit.USAGE, "turnwire: the record cannot be used: FILE: Is a directory\n"),
        ("export STATE t1", Exit.USAGE, "turnwire: the record cannot be used: FILE: Is a directory\n"),
        ("prune STATE t1 --before 9", Exit.USAGE, "turnwire: the record cannot be used: FILE: Is a directory\n"),
        (
            "migrate STATE NEW --store sqlite",
            Exit.FINDINGS,
            "left out  t1: FILE: Is a directory\nok        t2: 1 events copied\n",
        ),
        (
            "migrate STATE NEW --store sqlite --dry-run",
            Exit.FINDINGS,
            "left out  t1: FILE: Is a directory\nok        t2: 1 events to copy\n",
        ),
    ],
)
def test_a_file_that_cannot_be_read_is_named_and_hurts_no_other(tmp_path, form, code, said):
    state = tmp_path / "state"
    served(state, start("t1"), start("t2"))
    (file,) = (state / "threads").glob("t1-*")
    file.unlink()
    file.mkdir()
    places = {"STATE": str(state), "NEW": str(tmp_path / "new")}
    done = run("rollout", *(places.get(word, word) for word in form.split()))

    assert (done.code, done.out + done.err) == (code, said.replace("FILE", str(file)))


def test_a_torn_tail_that_is_cut_is_said_in_the_name_of_the_program(tmp_path):
    state = tmp_path / "state"
    served(state, start("t1"))
    (file,) = (state / "threads").iterdir()
    file.write_bytes(file.read_bytes() + b'{"seq":2')
    done = run("rollout", "prune", str(state), "t1", "--before", "9")

    assert done.err == f"turnwire: {file}: a torn tail of 8 bytes after event 1 was cut\n"
