"""Files that a rewind takes back: kept beside the user's repository, which notices nothing of it (THR-8)."""

import asyncio
import os
import subprocess

import pytest

from e2e.own import own
from e2e.stdio_server import MODELS
from turnwire.agents.builtin import builtin_agent
from turnwire.errors import RemoteError
from turnwire.server import DefaultHost, Server
from turnwire.server.git import GitFiles, git_files
from turnwire.wire import FileChange, ThreadItemsListParams, ThreadRewindParams


def git(directory, *words):
    identity = {
        "GIT_AUTHOR_NAME": "a",
        "GIT_AUTHOR_EMAIL": "a@b",
        "GIT_COMMITTER_NAME": "a",
        "GIT_COMMITTER_EMAIL": "a@b",
    }
    argv = ["git", "-C", str(directory), *words]
    return subprocess.run(argv, check=True, capture_output=True, env={**os.environ, **identity}).stdout


@pytest.fixture
def tree(tmp_path):
    """A repository with a commit, something staged, something ignored, and attributes that would change bytes."""
    root = tmp_path / "work tree"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    (root / ".gitignore").write_text("*.log\n")
    (root / ".gitattributes").write_text("* text=auto eol=crlf\n")
    (root / "a.txt").write_bytes(b"one\ntwo\r\n")
    (root / "sub").mkdir()
    (root / "sub" / "b.bin").write_bytes(bytes(range(256)))
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "first")
    (root / "staged.txt").write_text("staged")
    git(root, "add", "staged.txt")
    (root / "kept.log").write_text("ignored")
    return root


def state_of(root):
    """Everything of a repository that a user would miss: refs, index, configuration, objects."""
    own_files = (path for path in (root / ".git").rglob("*") if path.is_file())
    return {str(path.relative_to(root)): path.read_bytes() for path in own_files}


def modes_of(directory):
    return {path.stat().st_mode & 0o777 for path in [directory, *directory.iterdir()]}


def files_of(root):
    found = (path for path in root.rglob("*") if path.is_file() and ".git" not in path.relative_to(root).parts)
    return {str(path.relative_to(root)): path.read_bytes() for path in found}


def kept_in(house, directory, **members):
    """The house with a scripted agent whose files are kept."""
    files = GitFiles(directory)

    def make(store):
        return Server(DefaultHost(builtin_agent("scripted"), models=MODELS, files=files), store=store)

    house.make = make
    return house


async def _items(talk, thread_id):
    return (await talk.client.thread_items_list(ThreadItemsListParams(thread_id=thread_id))).data


def rewind(talk, thread_id, item_id):
    return talk.client.thread_rewind(ThreadRewindParams(thread_id=thread_id, item_id=item_id, files=True))


async def test_files_are_taken_back_to_the_end_of_a_turn(house, tree, tmp_path):
    talk = await kept_in(house, tmp_path / "kept").connect(approvals="accept")
    thread_id = await talk.thread(cwd=str(tree))
    before, repository = files_of(tree), state_of(tree)
    await talk.run(thread_id, "text first")
    (first, *_, last) = await _items(talk, thread_id)
    await talk.run(thread_id, "write a.txt changed\nwrite new.txt made")
    (tree / "sub" / "b.bin").unlink()
    (tree / "kept.log").write_text("ignored, and changed")
    changed = files_of(tree)

    result = await rewind(talk, thread_id, last.id)

    assert len(result.removed_turn_ids) == 1
    assert changed["a.txt"] == b"changed"
    assert files_of(tree) == {**before, "kept.log": b"ignored, and changed"}
    assert state_of(tree) == repository
    assert first.type == "userMessage"


async def test_files_are_taken_back_within_a_turn(house, tree, tmp_path):
    talk = await kept_in(house, tmp_path / "kept").connect(approvals="accept")
    thread_id = await talk.thread(cwd=str(tree))
    await talk.run(thread_id, "write x.txt 1\nwrite x.txt 2\nwrite x.txt 3")
    changes = [item for item in await _items(talk, thread_id) if item.type == "fileChange"]

    seen = []
    for item in reversed(changes):
        await rewind(talk, thread_id, item.id)
        seen.append((tree / "x.txt").read_text())
    (start, *_) = await _items(talk, thread_id)
    await rewind(talk, thread_id, start.id)

    assert seen == ["3", "2", "1"]
    assert not (tree / "x.txt").exists()


async def test_files_are_taken_back_after_a_restart(house, tree, tmp_path):
    one = await kept_in(house, tmp_path / "kept").connect(approvals="accept")
    thread_id = await one.thread(cwd=str(tree))
    before = files_of(tree)
    await one.run(thread_id, "write a.txt changed")
    (start, *_) = await _items(one, thread_id)
    await house.restart()
    two = await kept_in(house, tmp_path / "kept").connect()

    await rewind(two, thread_id, start.id)

    assert files_of(tree) == before


async def test_many_threads_work_in_one_tree_at_once(house, tree, tmp_path):
    kept = tmp_path / "kept"
    talk = await kept_in(house, kept).connect(approvals="accept")
    threads = [await talk.thread(cwd=str(tree)) for _ in range(4)]
    for thread_id in threads:
        await talk.turn(thread_id, f"write {thread_id}.txt x")
    ended = [(await talk.heard("turn/completed")).turn.status for _ in threads]
    for thread_id in threads:
        (start, *_) = await _items(talk, thread_id)
        assert (await rewind(talk, thread_id, start.id)).removed_turn_ids == []

    assert ended == ["completed"] * 4
    assert len(list(kept.iterdir())) == 1


def test_what_only_the_process_was_to_know_goes_with_it(tree, tmp_path):
    with git_files(tmp_path) as files:
        asyncio.run(files.keep(str(tree)))
        (store,) = (tmp_path / "files").iterdir()
        known = {path.name.partition(".")[0] for path in store.iterdir()}

    assert "index" in known
    assert {path.name.partition(".")[0] for path in store.iterdir()} == known - {"index"}


async def test_only_the_directory_of_the_thread_is_taken_back(house, tree, tmp_path):
    talk = await kept_in(house, tmp_path / "kept").connect(approvals="accept")
    thread_id = await talk.thread(cwd=str(tree / "sub"))
    await talk.run(thread_id, "write b.bin changed")
    (tree / "a.txt").write_text("somebody else's")
    (start, *_) = await _items(talk, thread_id)

    await rewind(talk, thread_id, start.id)

    assert (tree / "sub" / "b.bin").read_bytes() == bytes(range(256))
    assert (tree / "a.txt").read_text() == "somebody else's"


async def test_a_turn_tells_what_it_changed(house, tree, tmp_path):
    talk = await kept_in(house, tmp_path / "kept").connect(approvals="accept")
    thread_id = await talk.thread(cwd=str(tree))
    await talk.run(thread_id, "text nothing")
    turn = await talk.run(thread_id, "write new.txt made")

    (told,) = talk.said("turn/diff/updated")
    assert (told["turnId"], "+++ b/new.txt" in told["diff"], "+made" in told["diff"]) == (turn.id, True, True)


async def _nowhere(talk, _tmp_path):
    return await talk.thread()


async def _no_repository(talk, tmp_path):
    (tmp_path / "plain").mkdir()
    return await talk.thread(cwd=str(tmp_path / "plain"))


async def _gone(talk, tmp_path):
    return await talk.thread(cwd=str(tmp_path / "gone"))


REFUSED = [(_nowhere, "noDirectory"), (_no_repository, "notARepository"), (_gone, "notARepository")]


@pytest.mark.parametrize(("begin", "code"), REFUSED)
async def test_what_is_no_repository_is_refused_and_nothing_is_taken_back(house, tmp_path, begin, code):
    talk = await kept_in(house, tmp_path / "kept").connect()
    thread_id = await begin(talk, tmp_path)
    turn = await talk.run(thread_id, "text works all the same\ntext twice")
    (start, *_) = await _items(talk, thread_id)

    with pytest.raises(RemoteError, match="hostError") as refused:
        await rewind(talk, thread_id, start.id)

    assert (turn.status, refused.value.data["hostCode"]) == ("completed", code)
    assert talk.said("thread/rewound") == []
    assert (await talk.run(thread_id, "text on")).status == "completed"


async def test_what_was_not_kept_is_not_made_up(house, tree, tmp_path):
    async def work(turn):
        for word in ("one", "two"):
            operation = turn.file_change([FileChange(path="x.txt", kind="add")])
            (tree / "x.txt").write_text(word)
            operation.complete()

    files = GitFiles(tmp_path / "kept")
    talk = await own(house, work, files=files).connect()
    thread_id = await talk.thread(cwd=str(tree))
    await talk.run(thread_id, "x")
    one, two = [item for item in await _items(talk, thread_id) if item.type == "fileChange"]

    with pytest.raises(RemoteError, match="hostError") as refused:
        await rewind(talk, thread_id, one.id)
    await rewind(talk, thread_id, two.id)

    assert refused.value.data["hostCode"] == "filesNotKept"
    assert (tree / "x.txt").read_text() == "two"


async def test_files_are_offered_where_they_are_kept(house, tmp_path):
    talk = await kept_in(house, tmp_path / "kept").connect(initialize=False)
    capability = (await talk.initialize()).capabilities.rewind

    assert capability.files is True


async def test_nothing_of_the_environment_leads_to_the_repository_of_somebody_else(house, tree, tmp_path, monkeypatch):
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    untouched = state_of(other)
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / ".git" / "index"))
    talk = await kept_in(house, tmp_path / "kept").connect(approvals="accept")
    thread_id = await talk.thread(cwd=str(tree))
    await talk.run(thread_id, "write a.txt changed")
    (start, *_) = await _items(talk, thread_id)
    await rewind(talk, thread_id, start.id)

    assert state_of(other) == untouched
    assert (tree / "a.txt").read_bytes() == b"one\ntwo\r\n"
    assert modes_of(tmp_path / "kept") == {0o700}
