"""One streamed call in odd pieces: put together beyond doubt, or answered."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from random import Random
from typing import Any

import pytest

from mingraph_lite import Agent, ToolRegistry
from mingraph_lite.adapters.merging import merge_chunks
from mingraph_lite.adapters.streams import DeltaRelay
from mingraph_lite.adapters.tool_calls import read_tool_calls
from mingraph_lite.memory import KeepAll
from mingraph_lite.messages import ToolMessage
from tests.adapters.models import openai
from tests.adapters.test_merging import fragment
from tests.adapters.wire import chunk, completion, events, streaming
from tests.lines import grows_with_its_input

type Runs = list[tuple[str, dict[str, Any]]]


def run_of(*chunks: Any) -> tuple[Runs, list[str]]:
    """What an agent runs of a streamed reply, and how each slip is answered."""
    ran: Runs = []
    tools = ToolRegistry()

    @tools.add
    def purge(scope: str = "all") -> str:
        ran.append(("purge", {"scope": scope}))
        return "purged"

    @tools.add
    def save(f: str) -> str:
        ran.append(("save", {"f": f}))
        return "saved"

    @tools.add
    def ping() -> str:
        ran.append(("ping", {}))
        return "pong"

    replies = iter([streaming(*chunks), streaming(chunk({"content": "done"}, "stop"))])
    memory = KeepAll()
    model = openai(lambda request: next(replies)(request))
    agent = Agent(model, tools, "", memory=memory, on_text_delta=lambda _: None)
    assert agent.run("go") == {"answer": "done"}
    answers = [m.content for m in memory.folder if isinstance(m, ToolMessage)]
    return ran, answers


def deltas(*fragments: Any, end: str = "tool_calls") -> list[Any]:
    """A chunk for each fragment, and the end."""
    return [*(chunk({"tool_calls": [f]}) for f in fragments), chunk({}, end)]


TMP = '{"scope": "tmp"}'
BEGUN, REST = '{"scope":', ' "tmp"}'

ONE_CALL = {
    "H04-a new id and the name on every piece": [
        fragment("", "purge", index=0, id="a"),
        fragment(BEGUN, "purge", index=0, id="b"),
        fragment(REST, "purge", index=0, id="c"),
    ],
    "H04-a new id and the name on every piece, no index": [
        fragment(BEGUN, "purge", id="a"),
        fragment(REST, "purge", id="b"),
    ],
    "H04-a new id on every piece": [
        fragment("", "purge", index=0, id="a"),
        fragment(BEGUN, index=0, id="b"),
        fragment(REST, index=0, id="c"),
    ],
    "H04-a new id on every piece, no index": [
        fragment("", "purge", id="a"),
        fragment(BEGUN, id="b"),
        fragment(REST, id="c"),
    ],
    "H04-a new id and an empty name on every piece": [
        fragment("", "purge", index=0, id="a"),
        fragment(BEGUN, "", index=0, id="b"),
        fragment(REST, "", index=0, id="c"),
    ],
    "H04-an id on the first two pieces only": [
        fragment(BEGUN, "purge", index=0, id="a"),
        fragment("", index=0, id="b"),
        fragment(REST, index=0),
    ],
    "H04-a name in two halves": [
        fragment("", "pur", index=0, id="a"),
        fragment("", "ge", index=0),
        fragment(TMP, index=0),
    ],
    "H04-a name in two halves, with one id": [
        fragment("", "pur", index=0, id="a"),
        fragment(TMP, "ge", index=0, id="a"),
    ],
    "H04-a name in two halves, with two ids": [
        fragment("", "pur", index=0, id="a"),
        fragment(TMP, "ge", index=0, id="b"),
    ],
    "H04-a name in two halves, no index": [
        fragment("", "pur", id="a"),
        fragment(TMP, "ge", id="a"),
    ],
    "H04-a name in three pieces": [
        fragment("", "p", index=0, id="a"),
        fragment("", "ur", index=0),
        fragment("", "ge", index=0),
        fragment(TMP, index=0),
    ],
    "H04-a name that grows": [
        fragment("", "pur", index=0, id="a"),
        fragment("", "purge", index=0, id="a"),
        fragment(TMP, index=0),
    ],
    "H04-the whole name again with its id": [
        fragment("", "purge", index=0, id="a"),
        fragment(BEGUN, "purge", index=0, id="a"),
        fragment(REST, "purge", index=0, id="a"),
    ],
    "H04-arguments that grow": [
        fragment('{"scope"', "purge", index=0, id="a"),
        fragment(TMP, index=0),
    ],
    "H04-arguments that grow from nothing, with name and id": [
        fragment("", "purge", index=0, id="a"),
        fragment('{"scope"', "purge", index=0, id="a"),
        fragment('{"scope": "t', "purge", index=0, id="a"),
        fragment(TMP, "purge", index=0, id="a"),
    ],
    "H04-arguments in full twice": [
        fragment(TMP, "purge", index=0, id="a"),
        fragment(TMP, index=0, id="a"),
    ],
    "H04-arguments in full twice, otherwise spaced": [
        fragment('{"scope":"tmp"}', "purge", index=0, id="a"),
        fragment(TMP, index=0, id="b"),
    ],
    "H04-arguments in pieces and then in full": [
        fragment(BEGUN, "purge", index=0, id="a"),
        fragment(REST, index=0),
        fragment(TMP, index=0),
    ],
    "H04-arguments in full three times": [
        fragment(TMP, "purge", index=0, id="a"),
        fragment(TMP, index=0),
        fragment(TMP, index=0),
    ],
    "H04-objects in full twice": [
        fragment({"scope": "tmp"}, "purge", index=0, id="a"),
        fragment({"scope": "tmp"}, index=0, id="a"),
    ],
    "H04-objects that grow": [
        fragment({}, "purge", index=0, id="a"),
        fragment({"scope": "tmp"}, index=0, id="a"),
    ],
    "H04-an empty object in front of the pieces": [
        fragment({}, "purge", index=0, id="a"),
        fragment(BEGUN, index=0),
        fragment(REST, index=0),
    ],
    "H04-an index that counts the pieces": [
        fragment("", "purge", index=0, id="a"),
        fragment(BEGUN, index=1),
        fragment(REST, index=2),
    ],
    "H04-the name comes last": [
        fragment(BEGUN, index=0, id="a"),
        fragment(REST, "purge", index=0),
    ],
    "H04-an empty piece at the end": [
        fragment(TMP, "purge", index=0, id="a"),
        {"index": 1, "function": {"arguments": ""}},
    ],
    "H04-an index as text": [
        fragment(BEGUN, "purge", index="0", id="a"),
        fragment(REST, index="0", id="b"),
    ],
}


# H04: one call, with the arguments that were sent, and never on its defaults.
@pytest.mark.parametrize("name", ONE_CALL)
def test_H04_one_call_in_odd_pieces_is_one_call(name: str) -> None:
    ran, answers = run_of(*deltas(*ONE_CALL[name]))
    assert (ran, answers) == ([("purge", {"scope": "tmp"})], ["purged"])


IN_DOUBT = {
    "H04-two objects that differ": [
        fragment(TMP, "purge", index=0, id="a"),
        fragment('{"scope": "all"}', index=0, id="b"),
    ],
    "H04-the name again under a new id, without arguments first": [
        fragment("", "purge", index=0, id="a"),
        fragment(BEGUN, "purge", index=0, id="b"),
    ],
    "H04-objects whose values differ": [
        fragment({"scope": "t"}, "purge", index=0, id="a"),
        fragment({"scope": "tmp", "deep": True}, index=0, id="a"),
    ],
    "H04-arguments that lost their beginning": [
        fragment("", "purge", index=0, id="a"),
        fragment(REST, index=0),
    ],
    "H04-an index that counts the pieces, cut": [
        fragment("", "purge", index=0, id="a"),
        fragment(BEGUN, index=1),
    ],
    "H04-a whole name and a strange tail": [
        fragment("", "purge", index=0, id="a"),
        fragment(TMP, "rge", index=0, id="b"),
    ],
    "H04-arguments before two names": [
        fragment("", "purge", index=0, id="a"),
        fragment("", "purge", index=1, id="b"),
        fragment(TMP, index=2, id="c"),
    ],
    "H04-halves that make no name": [
        fragment("", "pur", index=0, id="a"),
        fragment(TMP, "get", index=0, id="a"),
    ],
    "H04-arguments that grow, cut": [
        fragment('{"scope"', "purge", index=0, id="a"),
        fragment('{"scope": "tm', index=0),
    ],
    "H04-an empty object behind the arguments": [
        fragment(TMP, "purge", index=0, id="a"),
        fragment("{}", index=0),
    ],
}


# H04: what cannot be put together beyond doubt is answered, and nothing runs.
@pytest.mark.parametrize("name", IN_DOUBT)
def test_H04_pieces_in_doubt_are_answered_and_not_run(name: str) -> None:
    ran, answers = run_of(*deltas(*IN_DOUBT[name]))
    assert ran == []
    assert answers
    assert all(answer.startswith("Error: ") for answer in answers)


def test_H04_the_answer_shows_the_pieces_that_found_no_call() -> None:
    _, answers = run_of(
        *deltas(
            fragment("", "purge", index=0, id="a"),
            fragment("", "purge", index=1, id="b"),
            fragment(TMP, index=2, id="c"),
        )
    )
    assert [TMP in answer for answer in answers[:2]] == [True, True]


SEVERAL = {
    "A19a-one without parameters, all index 0": (
        [
            fragment("", "ping", index=0, id="a"),
            fragment('{"f": "x"}', "save", index=0, id="b"),
        ],
        [("ping", {}), ("save", {"f": "x"})],
    ),
    "A19a-the same tool, all index 0, new ids on every piece": (
        [
            fragment("", "save", index=0, id="a"),
            fragment('{"f": "x"}', index=0, id="b"),
            fragment("", "save", index=0, id="c"),
            fragment('{"f": "y"}', index=0, id="d"),
        ],
        [("save", {"f": "x"}), ("save", {"f": "y"})],
    ),
    "A19c-interleaved by id, all index 0": (
        [
            fragment('{"f":', "save", index=0, id="a"),
            fragment('{"scope":', "purge", index=0, id="b"),
            fragment(' "x"}', index=0, id="a"),
            fragment(' "tmp"}', index=0, id="b"),
        ],
        [("save", {"f": "x"}), ("purge", {"scope": "tmp"})],
    ),
    "H04-two calls, each with new ids on every piece": (
        [
            fragment("", "save", index=0, id="a"),
            fragment("", "purge", index=1, id="b"),
            fragment('{"f":', index=0, id="c"),
            fragment(BEGUN, index=1, id="d"),
            fragment(' "x"}', index=0, id="e"),
            fragment(REST, index=1, id="f"),
        ],
        [("save", {"f": "x"}), ("purge", {"scope": "tmp"})],
    ),
    "H04-two tools, each name in halves": (
        [
            fragment("", "sa", index=0, id="a"),
            fragment("", "ve", index=0),
            fragment('{"f": "x"}', index=0),
            fragment("", "pi", index=1, id="b"),
            fragment("", "ng", index=1),
        ],
        [("save", {"f": "x"}), ("ping", {})],
    ),
}


# A19, H04: several calls stay several.
@pytest.mark.parametrize("name", SEVERAL)
def test_A19_several_calls_stay_several(name: str) -> None:
    fragments, want = SEVERAL[name]
    ran, answers = run_of(*deltas(*fragments))
    assert ran == want
    assert not [answer for answer in answers if answer.startswith("Error")]


# H04, A03: a name on its own runs on defaults only where nothing else was sent.
def test_H04_a_call_to_which_nothing_was_sent_runs() -> None:
    assert run_of(*deltas(fragment("", "purge", index=0, id="a")))[0] == [
        ("purge", {"scope": "all"})
    ]


OBJECTS = ["", "{}", '{"f": "a"}', '{"f": "}\\"{", "g": {"x": [1, {}]}}', '{"f": "{}"}']


def cut_anywhere(chance: Random, text: str) -> list[str]:
    """A text in up to four pieces, some of them empty."""
    cuts = sorted(chance.choices(range(len(text) + 1), k=chance.randint(0, 3)))
    return [text[start:end] for start, end in pairwise([0, *cuts, len(text)])]


# A19: whatever the cuts and the order, a stream gives the calls of the whole reply.
@pytest.mark.parametrize("seed", range(200))
def test_A19_calls_cut_anywhere_are_those_of_the_whole_reply(seed: int) -> None:
    chance = Random(seed)
    names = ["save", "save_all", "ping", "sav"]
    calls = [
        (chance.choice(names), chance.choice(OBJECTS)) for _ in range(seed % 4 + 1)
    ]
    with_ids, interleaved = chance.random() < 0.5, chance.random() < 0.5
    heads, rest = [], []
    for index, (name, arguments) in enumerate(calls):
        first, *more = cut_anywhere(chance, arguments)
        id = f"c{index}" if with_ids else None
        heads.append(fragment(first, name, index=index, id=id))
        rest.append([fragment(piece, index=index) for piece in more])
    if interleaved:
        order = [index for index, own in enumerate(rest) for _ in own]
        chance.shuffle(order)
        sent = [*heads, *(rest[index].pop(0) for index in order)]
    else:
        sent = [f for head, own in zip(heads, rest, strict=True) for f in (head, *own)]
    chunks = [chunk({"tool_calls": [f]}) for f in sent]
    streamed, _ = read_tool_calls(merged(*chunks, names=names)["message"]["tool_calls"])
    whole, _ = read_tool_calls(
        [
            {
                "id": f"c{n}" if with_ids else None,
                "function": dict(zip(KEYS, call, strict=True)),
            }
            for n, call in enumerate(calls)
        ]
    )
    assert streamed == whole


KEYS = ("name", "arguments")


def merged(*chunks: Any, names: Sequence[str] = ()) -> Any:
    """The choice that these chunks make."""
    (choice,) = merge_chunks([*chunks, None], DeltaRelay(None), names)["choices"]
    return choice


SIGNED = {"google": {"thought_signature": "abc"}}


# H05: what a server wants back survives the merging.
def test_H05_what_stands_beside_a_call_and_a_message_is_kept() -> None:
    first = {**fragment("", "save", index=0, id="a"), "extra_content": SIGNED}
    message = merged(
        chunk({"reasoning_details": [{"text": "a"}], "tool_calls": [first]}),
        chunk({"reasoning_details": [{"text": "b"}, {"signature": "s"}]}),
        chunk({"tool_calls": [fragment('{"f": "x"}', index=0)]}, "tool_calls"),
    )["message"]
    assert message["reasoning_details"] == [
        *({"text": "a"}, {"text": "b"}, {"signature": "s"})
    ]
    assert message["tool_calls"] == [
        {
            "id": "a",
            "extra_content": SIGNED,
            "function": {"name": "save", "arguments": '{"f": "x"}'},
        }
    ]


# H01: the legacy key comes in pieces too.
def test_H01_a_legacy_call_is_merged() -> None:
    message = merged(
        chunk({"function_call": {"name": "save", "arguments": ""}}),
        chunk({"function_call": {"arguments": '{"f":'}}),
        chunk({"function_call": {"arguments": ' "x"}'}}, "function_call"),
    )["message"]
    assert message["function_call"] == {"name": "save", "arguments": '{"f": "x"}'}


def test_H01_a_legacy_name_may_come_in_halves() -> None:
    message = merged(
        chunk({"function_call": {"name": "sa"}}),
        chunk({"function_call": {"name": "ve", "arguments": "{}"}}),
        names=("save",),
    )["message"]
    assert message["function_call"] == {"name": "save", "arguments": "{}"}


WHOLE = {"role": "assistant", "content": "Oslo"}
WITH_CALL = {"content": "Oslo", "tool_calls": [fragment("{}", "ping", id="a")]}


def said(*messages: Any) -> list[Any]:
    """Chunks that have a message where a delta should be."""
    return [
        {"choices": [{"index": 0, "delta": {}, "message": m, "finish_reason": None}]}
        for m in messages
    ]


# A19, H04: a message in a stream is a piece, or all of it once more; never doubled.
@pytest.mark.parametrize(
    "chunks",
    [
        said(WHOLE),
        said({"content": "Os"}, {"content": "lo"}),
        said({"content": "Os"}, {"content": "lo"}, WHOLE),
        [chunk({"content": "Os"}), chunk({"content": "lo"}), *said(WHOLE)],
        [chunk({"content": None}), chunk({"content": "Oslo"}), chunk({})],
        [{"choices": [{"text": "Os"}]}, {"choices": [{"text": "lo"}]}],
        [
            chunk({"content": "Oslo"}),
            {"choices": [{"index": 1, "delta": {"content": "Rome"}}]},
        ],
        [
            {
                "choices": [
                    {"index": 1, "delta": {"content": "Rome"}},
                    {"index": 0, "delta": {"content": "Oslo"}},
                ]
            }
        ],
    ],
)
def test_A19_a_stream_says_its_text_once(chunks: Any) -> None:
    heard: list[str] = []
    relay = DeltaRelay(heard.append)
    (choice,) = merge_chunks([*chunks, None], relay)["choices"]
    assert (choice["message"]["content"], "".join(heard)) == ("Oslo", "Oslo")


@pytest.mark.parametrize(
    "chunks",
    [
        [*deltas(fragment("{}", "ping", index=0, id="a")), *said(WITH_CALL)],
        [chunk({"content": "Oslo"}), *said(WITH_CALL)],
        said(WITH_CALL),
    ],
)
def test_A19_calls_in_a_last_message_are_not_doubled(chunks: Any) -> None:
    message = merged(*chunks)["message"]
    assert [c["function"]["name"] for c in message["tool_calls"]] == ["ping"]
    assert message["content"] == "Oslo"


def test_A19_the_end_of_another_choice_ends_nothing() -> None:
    other = {"index": 1, "delta": {}, "finish_reason": "stop"}
    body = events(chunk({"content": "Os"}), {"choices": [other]}, done=False)
    assert b"stop" in body
    chunks = [chunk({"content": "Os"}), {"choices": [other]}, None]
    (choice,) = merge_chunks(chunks, DeltaRelay(None))["choices"]
    assert choice["finish_reason"] is None


def test_the_first_choice_of_a_whole_reply_is_the_one_with_index_0() -> None:
    reply = completion({"content": "Oslo"})
    other = {"index": 1, "message": {"content": "Rome"}, "finish_reason": "stop"}
    reply["choices"].insert(0, other)
    assert openai().parse(reply).message.content == "Oslo"


@pytest.mark.parametrize(
    "pieces",
    [
        lambda n: (
            [fragment("", "purge", index=0, id="a")]
            + [fragment("x", index=0, id=f"i{at}") for at in range(n)]
        ),
        lambda n: (
            [fragment("", "purge", index=0, id="a")]
            + [fragment("{", index=at + 1) for at in range(n)]
        ),
        lambda n: [fragment("", "q", index=0, id="a") for _ in range(n)],
        lambda n: [fragment(TMP, "purge", index=0, id="a") for _ in range(n)],
        lambda n: [fragment({"a": at % 2}, "purge", index=0) for at in range(n)],
        lambda n: [fragment({"a": at % 2}, index=0, id=f"i{at}") for at in range(n)],
        lambda n: [fragment("", "pur", index=0, id=f"i{at}") for at in range(n)],
    ],
)
def test_H24_twice_as_many_pieces_are_twice_the_work(pieces: Any) -> None:
    def job(n: int) -> Any:
        chunks = [chunk({"tool_calls": [f]}) for f in pieces(n)]
        return lambda: merge_chunks([*chunks, None], DeltaRelay(None), ("purge",))

    assert grows_with_its_input(job)
