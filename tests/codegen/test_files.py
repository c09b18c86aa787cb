"""The only writer: what it writes, what it knows by manifest, what it leaves alone."""

import json

import pytest

from turnwire_codegen.files import MANIFEST, Difference, OutputError, diff_all, manifested, orphans, write_all


def sealed(folder, output, *, keep_orphans=True):
    return manifested(folder, output, keep_orphans=keep_orphans, facts={"digest": "d"})


def tree(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def test_writes_and_knows(tmp_path):
    output = sealed(tmp_path / "out", {"a.txt": b"a", "deep/b.txt": b"b"})
    write_all(tmp_path / "out", output)

    assert output == tree(tmp_path / "out")
    assert [] == diff_all(tmp_path / "out", output)
    assert {"a.txt", "deep/b.txt"} == set(json.loads(output[MANIFEST])["files"])


def test_every_difference(tmp_path):
    write_all(tmp_path, sealed(tmp_path, {"a": b"a", "b": b"b", "gone": b"g"}))
    (tmp_path / "a").write_bytes(b"other")
    (tmp_path / "b").unlink()
    (tmp_path / "mine").write_bytes(b"not generated")
    output = sealed(tmp_path, {"a": b"a", "b": b"b"})

    expected = {"a": "stale", "b": "missing", "gone": "orphan", MANIFEST: "stale"}

    assert expected == {difference.path: difference.state for difference in diff_all(tmp_path, output)}
    assert ["gone"] == orphans(tmp_path, {"a": b"a", "b": b"b"})


def test_orphans_stay_known_until_they_are_removed(tmp_path):
    write_all(tmp_path, sealed(tmp_path, {"a": b"a", "gone": b"g"}))
    write_all(tmp_path, sealed(tmp_path, {"a": b"a"}))

    assert [Difference("gone", "orphan")] == diff_all(tmp_path, sealed(tmp_path, {"a": b"a"}))
    write_all(tmp_path, sealed(tmp_path, {"a": b"a"}, keep_orphans=False), remove=["gone"])

    assert {"a", MANIFEST} == set(tree(tmp_path))
    assert [] == diff_all(tmp_path, sealed(tmp_path, {"a": b"a"}))


def test_what_differs_not_is_not_touched(tmp_path):
    output = sealed(tmp_path, {"a": b"a", "b": b"b"})
    write_all(tmp_path, output)
    (tmp_path / "b").write_bytes(b"other")
    before = (tmp_path / "a").stat()
    write_all(tmp_path, output)

    assert before.st_mtime_ns == (tmp_path / "a").stat().st_mtime_ns
    assert b"b" == (tmp_path / "b").read_bytes()


def test_a_manifest_names_nothing_outside_its_folder(tmp_path):
    (tmp_path / "secret").write_text("s")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / MANIFEST).write_text(json.dumps({"files": {"../secret": "x", "/etc/hostname": "x"}}))

    assert [] == orphans(tmp_path / "out", {})


def test_nothing_takes_its_place_before_all_is_complete(tmp_path):
    (tmp_path / "a").write_bytes(b"old")
    (tmp_path / "b").mkdir()
    with pytest.raises(OutputError):
        write_all(tmp_path, {"a": b"new", "b": b"a folder stands here"})

    assert {"a": b"old"} == tree(tmp_path)


@pytest.mark.parametrize("text", ["{", "[]", '{"files": 3}', "{}"])
def test_a_damaged_manifest(tmp_path, text):
    (tmp_path / MANIFEST).write_text(text)
    with pytest.raises(OutputError, match="is damaged; delete it and generate again"):
        orphans(tmp_path, {})


def test_a_file_where_the_folder_should_be(tmp_path):
    (tmp_path / "out").write_text("mine")
    with pytest.raises(OutputError, match="is a file; name a folder"):
        diff_all(tmp_path / "out", {MANIFEST: b""})
