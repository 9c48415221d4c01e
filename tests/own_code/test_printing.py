"""What code prints, kept for whoever shows it."""

import pytest

from mingraph_lite.own_code.printing import Printed


def test_what_was_printed_is_taken_once() -> None:
    printed = Printed()
    print("one", 2, file=printed)
    assert (printed.take(), printed.take()) == ("one 2\n", "")


def test_what_is_beyond_the_limit_is_counted_and_not_kept() -> None:
    printed = Printed(most=5)
    assert printed.write("abcd") + printed.write("efgh") == 8
    left = "… 3 more characters were printed, not kept."
    assert printed.take() == f"abcde\n{left}"
    printed.write("again")
    assert printed.take() == "again"


def test_half_a_character_does_no_harm() -> None:
    printed = Printed()
    printed.write("\ud83d")
    assert printed.take() == "\ufffd"


def test_only_text_can_be_written() -> None:
    with pytest.raises(TypeError, match="takes a text, not bytes"):
        Printed().write(b"no")  # type: ignore[arg-type]
