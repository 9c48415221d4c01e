"""Names as models write them, row by row of what clings to them."""

from __future__ import annotations

import pytest

from mingraph_lite.schema.tool_names import (
    CONTROL_TOKENS,
    PREFIXES,
    Mark,
    bare_name,
    plain_name,
)


@pytest.mark.parametrize("mark", PREFIXES, ids=lambda mark: mark.text)
def test_H13_each_prefix_of_the_table_is_dropped(mark: Mark) -> None:
    assert mark.source
    assert bare_name(f"{mark.text}get_weather") == ("get_weather", "")
    assert plain_name(f"{mark.text}Get_Weather") == "get_weather"
    # A name that only begins alike is left as it is.
    assert bare_name(f"{mark.text[:-1]}_get") == (f"{mark.text[:-1]}_get", "")


@pytest.mark.parametrize("mark", CONTROL_TOKENS, ids=lambda mark: repr(mark.text))
def test_H13_a_name_ends_at_each_control_token(mark: Mark) -> None:
    assert mark.source
    assert bare_name(f"get_weather{mark.text}") == ("get_weather", mark.text)
