import pytest

from mingraph_lite.classroom import scratch


def test_a_name_gives_a_path_where_nothing_stands_yet_each_time():
    path = scratch("a.jsonl")
    assert (path.name, path.exists()) == ("a.jsonl", False)
    path.write_text("once\n")
    assert scratch("a.jsonl") == path
    assert not path.exists()


def test_another_file_stays_where_it_is():
    kept = scratch("kept.jsonl")
    kept.write_text("kept\n")
    other = scratch("other.jsonl")
    assert (kept.read_text(), other.parent) == ("kept\n", kept.parent)


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "/a"])
def test_what_is_no_name_of_a_file_is_refused(name):
    with pytest.raises(ValueError, match="is no name of a file"):
        scratch(name)
