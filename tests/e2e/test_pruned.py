"""What was pruned of a record still counts where a thread goes on from it: summaries, files, who waits in the queue."""

import subprocess

import pytest

from turnwire.agents.builtin import builtin_agent
from turnwire.server import DefaultHost, Server
from turnwire.server.git import GitFiles
from turnwire.store.chain import GENESIS, follow, read
from turnwire.store.history import History
from turnwire.store.pruning import cut_before, prune
from turnwire.wire import (
    TextPart,
    ThreadCompactParams,
    ThreadItemsListParams,
    ThreadRewindParams,
    TurnEnqueueParams,
)


@pytest.fixture
def tree(tmp_path):
    root = tmp_path / "tree"
    root.mkdir()
    subprocess.run(["git", "-C", str(root), "init", "-q"], check=True)
    (root / "a.txt").write_text("one")
    return root


async def test_a_pruned_record_tells_the_same(house, tree, tmp_path):
    files = GitFiles(tmp_path / "kept")
    house.make = lambda store: Server(DefaultHost(builtin_agent("scripted"), files=files), store=store)
    talk = await house.connect(approvals="accept")
    thread_id = await talk.thread(cwd=str(tree))
    await talk.run(thread_id, "write a.txt two")
    await talk.client.thread_compact(ThreadCompactParams(thread_id=thread_id))
    await talk.run(thread_id, "write a.txt three")
    turn = await talk.turn(thread_id, "slow 3 20\nfail no")
    house.session_of(talk).principal = "ada"
    waiting = TurnEnqueueParams(thread_id=thread_id, input=[TextPart(text="text later")], client_message_id="m")
    await talk.client.turn_enqueue(waiting)
    await talk.ended(turn)
    lines = list(house.server._state.store.lines(thread_id))
    cut = cut_before(lines, len(lines) + 1)
    pruned = [prune(lines, cut, now=1), *lines[cut.lines :]]
    whole, short = (History.load(map(read, told)) for told in (lines, pruned))

    assert len(pruned) < len(lines)
    assert list(follow(GENESIS, pruned[:1])) != []
    assert short.compacted() == whole.compacted() is not None
    assert [one.files for one in short.files] == [one.files for one in whole.files]
    assert [one.seq for one in short.files] == [one.seq for one in whole.files]
    assert (short.principals, short.queue) == (whole.principals, whole.queue)
    assert list(whole.principals.values()) == ["ada"]
    items = (await talk.client.thread_items_list(ThreadItemsListParams(thread_id=thread_id))).data
    await talk.client.thread_rewind(ThreadRewindParams(thread_id=thread_id, item_id=items[0].id, files=True))
    assert (tree / "a.txt").read_text() == "one"
