"""What a store keeps of no single thread: lines in their order, from every process, whatever became of one of them."""

from turnwire.store.files import Files
from turnwire.store.memory import MemoryStore
from turnwire.store.notes import Notes


def test_notes_are_kept_in_their_order(opener):
    store = opener()
    for line in (b'{"one":1}', b'{"two":2}'):
        store.note(line)

    assert list(store.notes()) == [b'{"one":1}', b'{"two":2}']
    assert list(MemoryStore().notes()) == []


def test_notes_of_two_processes_are_one_list(lasting):
    one, two = lasting(), lasting()
    one.note(b"1")
    two.note(b"2")
    one.note(b"3")

    assert list(one.notes()) == list(two.notes()) == [b"1", b"2", b"3"]
    assert (lasting.directory / "notes.jsonl").stat().st_mode & 0o777 == 0o600


def test_what_a_full_disk_left_swallows_nothing(tmp_path):
    notes = Notes(Files(), tmp_path)
    notes.add(b"whole")
    with (tmp_path / "notes.jsonl").open("ab") as file:
        file.write(b"\ntor")
    notes.add(b"next")

    assert notes.lines() == [b"whole", b"tor", b"next"]
