import pytest

from mingraph_lite.classroom.definitions import CannotKeep
from mingraph_lite.classroom.pages import names_in, with_pieces, written_as
from mingraph_lite.classroom.sources import Piece

HEAD = '"""My agent."""\n'
LOOP = Piece("loop", "def loop():\n    return 1")
AGAIN = Piece("loop", "def loop():\n    return 2")
HELPER = Piece("helper", "class helper:\n    x = 1")
LIMIT = Piece("LIMIT", "LIMIT = 10")


def test_what_is_new_comes_at_the_end_with_a_gap():
    assert with_pieces(HEAD, [LOOP, LIMIT, HELPER]) == (
        '"""My agent."""\n\n\ndef loop():\n    return 1\n\nLIMIT = 10\n\n\n'
        "class helper:\n    x = 1\n"
    )


def test_what_is_kept_anew_takes_the_place_of_what_had_its_name():
    text = with_pieces(HEAD, [LOOP, HELPER])
    assert with_pieces(text, [AGAIN]) == text.replace("return 1", "return 2")


def test_the_same_once_more_changes_nothing():
    alias = Piece("loop", "def mine():\n    return 1\n\n\nloop = mine")
    for pieces in ([LOOP, LIMIT, HELPER], [alias], [HELPER, alias]):
        once = with_pieces(HEAD, pieces)
        assert with_pieces(once, pieces) == once


def test_what_is_needed_comes_before_who_needs_it_even_if_it_comes_later():
    base = Piece("base", "class base:\n    pass")
    child = Piece("child", "class child(base):\n    pass")
    text = with_pieces(with_pieces(HEAD, [Piece("child", "child = 1"), LOOP]), [])
    assert names_in(with_pieces(text, [base, child])) == ["base", "child", "loop"]


def test_comments_and_functions_of_ones_own_stay():
    text = (
        '"""My agent."""\n# My first one.\ndef loop():\n    return 0\n\n'
        "def own():  # keep me\n    return loop()\n\nif own():\n    print('no')\n"
    )
    assert with_pieces(text, [LOOP]) == text.replace("return 0", "return 1")


def test_decorators_belong_to_what_they_decorate():
    text = "import functools\n\n\n@functools.cache\ndef loop():\n    return 0\n"
    assert (
        with_pieces(text, [LOOP]) == "import functools\n\n\ndef loop():\n    return 1\n"
    )


def test_two_definitions_of_a_name_become_one():
    text = "def loop():\n    return 0\n\n\ndef loop():\n    return 9\n\n\nx = 1\n"
    assert with_pieces(text, [LOOP]) == "def loop():\n    return 1\n\n\nx = 1\n"


def test_an_import_is_added_once_below_the_others():
    line = "from math import pi"
    first = with_pieces(HEAD, [Piece("loop", LOOP.source, (line, "import re"))])
    assert first == (
        '"""My agent."""\n\nfrom math import pi\nimport re\n\n\n'
        "def loop():\n    return 1\n"
    )
    assert with_pieces(first, [Piece("loop", LOOP.source, (line,))]) == first


def test_an_import_that_gives_more_is_enough():
    text = "from math import cos, pi\n\n\ndef loop():\n    return 1\n"
    assert with_pieces(
        text, [Piece("loop", LOOP.source, ("from math import pi",))]
    ) == (text)


def test_an_import_far_below_is_not_where_ours_are_put():
    text = "def own():\n    return 1\n\n\nimport re\n"
    found = with_pieces(text, [Piece("loop", LOOP.source, ("from math import pi",))])
    assert found.startswith("from math import pi\ndef own():")


def test_a_file_with_a_slip_is_told_with_its_line():
    with pytest.raises(CannotKeep) as caught:
        with_pieces("x = 1\ndef loop(:\n", [LOOP])
    assert str(caught.value) == (
        "my_agent.py cannot be read: line 2, invalid syntax. Mend that line, or rename "
        "the file and begin with ours: take_ours()."
    )


def test_how_a_name_is_written_is_found_or_not():
    text = "x = 1\n\n\n@str\ndef loop():\n    return 1\n"
    assert written_as(text, "loop") == "@str\ndef loop():\n    return 1"
    assert written_as(text, "y") is None
    assert written_as("def (", "loop") is None
