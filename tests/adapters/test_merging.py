"""The chunks of a stream become the reply they are pieces of."""

from __future__ import annotations

from typing import Any

import pytest

from mingraph_lite.llm import Usage
from tests.adapters.models import heard
from tests.adapters.wire import chunk
from tests.lines import grows_with_its_input


def fragment(
    arguments: Any, name: Any = None, *, index: Any = None, id: Any = None
) -> dict[str, Any]:
    """A piece of a tool call in a stream; what is None is not there."""
    function = {"name": name, "arguments": arguments}
    made = {"index": index, "id": id, "function": function}
    return {key: value for key, value in made.items() if value is not None}


SAVED_AND_LOADED = (("save", {"f": "a"}), ("load", {"f": "b"}))
SAVED_TWICE = (("save", {"f": "a"}), ("save", {"f": "b"}))
SAVED = (("save", {"f": "a"}),)


# A19: a stream gives the very calls of the reply in one piece.
@pytest.mark.parametrize(
    ("chunks", "want"),
    [
        pytest.param(
            [
                [fragment('{"f": "a"}', "save", index=0, id="c1")],
                [fragment('{"f": "b"}', "save", index=0, id="c2")],
            ],
            SAVED_TWICE,
            id="A19a-all calls have index 0",
        ),
        pytest.param(
            [
                [
                    fragment("", "save", index=0, id="c1"),
                    fragment('{"f":', index=0),
                ],
                [fragment('"a"}', index=0)],
            ],
            SAVED,
            id="A19b-two entries of one index in the first chunk",
        ),
        pytest.param(
            [
                [fragment('{"f":', "save", index=0, id="c1")],
                [fragment('{"f":', "load", index=1, id="c2")],
                [fragment('"a"}', index=0)],
                [fragment('"b"}', index=1)],
            ],
            SAVED_AND_LOADED,
            id="A19c-interleaved",
        ),
        pytest.param(
            [
                [fragment("", "ping", index=0, id="c1")],
                [fragment("", "ping", index=0, id="c2")],
            ],
            (("ping", {}), ("ping", {})),
            id="A19a-all calls have index 0 and no arguments",
        ),
        pytest.param(
            [
                [fragment('{"f":', "save", id="c1")],
                [fragment('{"f":', "load", id="c2")],
                [fragment('"a"}', id="c1")],
                [fragment('"b"}', id="c2")],
            ],
            SAVED_AND_LOADED,
            id="A19c-interleaved by id alone",
        ),
        pytest.param(
            [[fragment({"f": "a"}, "save", index=0, id="c1")]],
            SAVED,
            id="A19d-whole and as an object",
        ),
        pytest.param(
            [
                [fragment('{"f": "a"}', "save", id="c1")],
                [fragment('{"f": "b"}', "save", id="c2")],
            ],
            SAVED_TWICE,
            id="A19e-no index",
        ),
        pytest.param(
            [
                [fragment('{"f":', "save", id="c1")],
                [fragment('"a"', "save", id="c1")],
                [fragment("}", id="c1")],
            ],
            SAVED,
            id="A19e-no index, id and name on each fragment",
        ),
        pytest.param(
            [
                [fragment('{"f":', "save", index=0)],
                [fragment('"a"}', index=0, id="c1")],
            ],
            SAVED,
            id="A19-the id comes late",
        ),
        pytest.param(
            [
                [fragment('{"f": "a"}', "save", index=0)],
                [fragment('{"f": "b"}', "save", index=0)],
            ],
            SAVED_TWICE,
            id="A19-no ids and all index 0",
        ),
        pytest.param(
            [[fragment('{"f": "a"}', "save"), fragment('{"f": "b"}', "load")]],
            SAVED_AND_LOADED,
            id="A19-neither index nor id",
        ),
        pytest.param(
            [[fragment('{"f":', "save"), fragment('"a"}')]],
            SAVED,
            id="A19-neither index nor id, in pieces",
        ),
        pytest.param(
            [
                [fragment('{"f": "a"}', "save", index=0, id="x")],
                [fragment('{"f": "b"}', "load", index=1, id="x")],
            ],
            SAVED_AND_LOADED,
            id="A19-one id for two calls",
        ),
        pytest.param(
            [
                [fragment('{"f":', "save", index=0, id="")],
                [fragment('"a"}', "", index=0, id="")],
            ],
            SAVED,
            id="A19-empty ids and names",
        ),
    ],
)
def test_A19_fragments_become_the_calls_they_are_pieces_of(
    chunks: Any, want: Any
) -> None:
    streamed, _ = heard(
        *(chunk({"tool_calls": fragments}) for fragments in chunks),
        chunk({}, "tool_calls"),
    )
    calls = streamed.message.tool_calls
    assert tuple((call.name, call.arguments) for call in calls) == want
    assert {call.problem for call in calls} == {None}
    assert len({call.id for call in calls}) == len(calls)


@pytest.mark.parametrize(
    "label",
    [
        lambda n: {"index": n},
        lambda n: {"id": f"c{n}"},
        lambda n: {"index": 0, "id": f"c{n}"},
        lambda n: {"index": n, "id": "c"},
        lambda n: {},
    ],
)
def test_H24_twice_as_many_calls_in_a_stream_are_twice_the_work(label: Any) -> None:
    def job(calls: int) -> Any:
        chunks = [
            chunk({"tool_calls": [fragment("{}", "save", **label(n))]})
            for n in range(calls)
        ]
        return lambda: heard(*chunks, chunk({}, "tool_calls"))

    assert grows_with_its_input(job)


# A19: what comes late belongs to the call that it does not contradict.
def test_A19_an_index_and_an_id_that_come_late_are_those_of_their_call() -> None:
    streamed, _ = heard(
        chunk({"tool_calls": [fragment('{"f":', "save")]}),
        chunk({"tool_calls": [fragment('"a', index=0)]}),
        chunk({"tool_calls": [fragment('"', id="c1")]}),
        chunk({"tool_calls": [fragment('{"f":', "load", index=1, id="c2")]}),
        chunk({"tool_calls": [fragment("}", index=0)]}),
        chunk({"tool_calls": [fragment('"b"}', id="c2")]}),
        chunk({}, "tool_calls"),
    )
    calls = streamed.message.tool_calls
    assert [(c.id, c.name, c.arguments) for c in calls] == [
        ("c1", "save", {"f": "a"}),
        ("c2", "load", {"f": "b"}),
    ]


# A16: an unknown count is None and not 0; counts sent twice count once.
def test_A16_counts_that_come_twice_in_a_stream_are_not_added() -> None:
    counts = {"prompt_tokens": 10, "completion_tokens": 5}
    response, text = heard(
        chunk({"content": "Oslo"}),
        chunk({}, "stop", usage=counts),
        {"choices": [], "usage": counts},
    )
    assert (response.usage, text) == (Usage(10, 5), "Oslo")
