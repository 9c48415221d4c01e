"""How a reply ended, whoever the model is: the table, row by row."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from mingraph_lite import (
    Agent,
    ConsoleLogger,
    LLMResponse,
    ModelError,
    ModelRefused,
    Recorder,
    ReplyCutOff,
    ScriptedLLM,
    ToolCall,
)
from mingraph_lite.adapters import OpenAIChat
from mingraph_lite.endings import (
    CUT_NOTE,
    CUT_SLIP,
    ENDINGS,
    WINDOW_NOTE,
    ending_of,
    given_reason,
)
from mingraph_lite.llm import Usage
from mingraph_lite.messages import AssistantMessage, ToolMessage, problems
from mingraph_lite.recovery import Retries
from mingraph_lite.views.frames import frames

HALF = "The capital of Norw"
ROWS = [pytest.param(row, id=row.word) for row in ENDINGS]


def asked(reply, *later):
    """An agent with a scripted model, what was announced, and which tools ran."""
    ran = []

    def clear_cache(scope: str = "everything") -> str:
        ran.append(scope)
        return "done"

    recorder = Recorder()
    llm = ScriptedLLM([reply, *later])
    agent = Agent(
        llm, [clear_cache], "", observers=[recorder], retries=Retries(base=0.0)
    )
    return agent, recorder, ran


def ended(word, text=HALF, *calls):
    return LLMResponse(AssistantMessage(text, calls), finish_reason=word)


def reasons_of_end(recorder):
    return recorder.events[-1].payload["reason"]


# H12. Right: a word outside the table is read by its parts; a strange one is an end.
@pytest.mark.parametrize(
    ("word", "ending"),
    [
        ("max_new_tokens", "cut"),
        ("maxLengthReached", "cut"),
        ("length_limit", "cut"),
        ("truncated", "cut"),
        ("incomplete", "cut"),
        ("moderation", "refusal"),
        ("blocked", "refusal"),
        ("policy-violation", "refusal"),
        ("output_filter_error", "refusal"),
        ("aborted", "error"),
        ("GENERATION_FAILED", "error"),
        ("upstream_error", "error"),
        ("stopped", "end"),
        ("done", "end"),
        ("a_word_of_tomorrow", "end"),
    ],
)
def test_H12_a_word_outside_the_table_is_read_by_its_parts(word, ending):
    assert word.lower() not in {row.word for row in ENDINGS}
    assert ending_of(word) == ending


# H12. Right: each row leads to its outcome, for any model, in any case of its letters.
@pytest.mark.parametrize("row", ROWS)
@pytest.mark.parametrize("write", [str.lower, str.upper], ids=["lower", "upper"])
def test_H12_the_text_of_each_row_comes_to_its_end(row, write):
    assert row.sent_by
    assert row.source
    reply = ended(write(row.word))
    agent, recorder, _ = asked(reply, "Oslo")
    tries = recorder.names
    match row.ending:
        case "end" | "slips":
            assert agent.run("?") == {"answer": HALF}
            assert reasons_of_end(recorder) == "answered"
        case "cut":
            with pytest.raises(ReplyCutOff) as cut:
                agent.run("?")
            assert (cut.value.half, cut.value.tries) == (HALF, 1)
            assert (tries().count("retry"), reasons_of_end(recorder)) == (0, "failed")
        case "refusal":
            with pytest.raises(ModelRefused) as refused:
                agent.run("?")
            assert refused.value.half == HALF
            assert (tries().count("retry"), reasons_of_end(recorder)) == (0, "refused")
        case "error":
            assert agent.run("?") == {"answer": "Oslo"}
            assert (tries().count("retry"), reasons_of_end(recorder)) == (1, "answered")
    assert problems(agent.memory.folder) == []


CLEAR = ToolCall("clear_cache", {"scope": "thumbnails"}, id="c1")


# A10, A08, H12. Right: slips decide over an ordinary end; of the others none is run.
@pytest.mark.parametrize("row", ROWS)
def test_A10_the_slips_of_each_row_come_to_their_end(row):
    agent, recorder, ran = asked(ended(row.word, "", CLEAR), "Oslo")
    if row.ending == "refusal":
        with pytest.raises(ModelRefused):
            agent.run("?")
    else:
        assert agent.run("?") == {"answer": "Oslo"}
    assert ran == (["thumbnails"] if row.ending in {"end", "slips"} else [])
    answers = [m.content for m in agent.memory.folder if isinstance(m, ToolMessage)]
    if row.ending == "cut":
        assert [CUT_SLIP in answer for answer in answers] == [True]
    assert recorder.names().count("retry") == (row.ending == "error")
    assert problems(agent.memory.folder) == []


def test_no_word_stands_in_the_table_twice():
    words = [row.word for row in ENDINGS]
    assert sorted(set(words)) == sorted(words)
    assert {row.ending for row in ENDINGS} == {
        *("end", "slips", "cut", "refusal", "error")
    }


@pytest.mark.parametrize(
    ("sent", "given", "ending"),
    [
        (None, None, "end"),
        ("", None, "end"),
        (" NULL ", None, "end"),
        ("None", None, "end"),
        ("FINISH_REASON_UNSPECIFIED", None, "end"),
        ({"type": None}, None, "end"),
        (7, None, "end"),
        (True, None, "end"),
        ({"type": "length", "length": 9}, "length", "cut"),
        ("FinishReason.MAX_TOKENS", "FinishReason.MAX_TOKENS", "cut"),
        ("REASON_MAX_LEN", "REASON_MAX_LEN", "cut"),
        ("maxTokens", "maxTokens", "cut"),
        ("content-filter", "content-filter", "refusal"),
        ("content_filter: RECITATION", "content_filter: RECITATION", "refusal"),
        (
            "function_call_filter: MALFORMED_FUNCTION_CALL",
            "function_call_filter: MALFORMED_FUNCTION_CALL",
            "error",
        ),
        ("quite_new", "quite_new", "end"),
    ],
)
def test_A08_a_reason_is_kept_as_sent_and_read_in_any_spelling(sent, given, ending):
    assert (given_reason(sent), ending_of(given_reason(sent))) == (given, ending)


# H12. Right: the error says what came, and which limit to raise.
@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (
            ended("length"),
            "The reply was cut off (finish reason: length). It is no answer, and ends "
            "so: 'The capital of Norw'. Allow longer replies: max_tokens= of "
            "OpenAIChat, num_predict in the options of OllamaChat. Where the window is "
            "what is full, give a larger window (num_ctx in the options of OllamaChat, "
            "or the server's own setting).",
        ),
        (
            LLMResponse(AssistantMessage(""), "Hm.", finish_reason="length"),
            "The reply was cut off (finish reason: length). All there was went into "
            "the reasoning, and none was left for an answer. Ask for less reasoning, "
            "or allow longer replies: max_tokens= of OpenAIChat, num_predict in the "
            "options of OllamaChat. Where the window is what is full, give a larger "
            "window (num_ctx in the options of OllamaChat, or the server's own "
            "setting).",
        ),
        (
            ended("model_length", ""),
            "The reply was cut off (finish reason: model_length). Not a word of it "
            "came. The model's window is full: read out fewer messages, or give a "
            "larger window (num_ctx in the options of OllamaChat, or the server's own "
            "setting).",
        ),
        (
            ended("pause_turn", "Wait."),
            "The reply was cut off (finish reason: pause_turn). It is no answer, and "
            "ends so: 'Wait.'. The server paused in the middle: ask again.",
        ),
        (
            ended("time_limit", "Wait."),
            "The reply was cut off (finish reason: time_limit). It is no answer, and "
            "ends so: 'Wait.'. The server's time was up: ask for less, or raise its "
            "time limit.",
        ),
        (
            ended("content_filter"),
            "The reply was withheld by the server or its filter (finish reason: "
            "content_filter). What came before that: 'The capital of Norw'. "
            "Ask in other words.",
        ),
        (
            ended("safety", ""),
            "The reply was withheld by the server or its filter (finish reason: "
            "safety). Ask in other words.",
        ),
    ],
)
def test_H12_the_error_says_what_came_and_which_limit_to_raise(reply, words):
    agent, _, _ = asked(reply)
    with pytest.raises((ModelError, ModelRefused)) as caught:
        agent.run("?")
    assert str(caught.value) == words


def test_H12_a_long_half_is_kept_whole_and_quoted_in_short():
    long = "word " * 10_000
    agent, _, _ = asked(ended("length", long))
    with pytest.raises(ReplyCutOff) as caught:
        agent.run("?")
    assert caught.value.half == long
    assert len(str(caught.value)) < 700


# A18. Right: the words of the model count, where there are any.
def test_A18_a_refusal_in_words_is_kept_whatever_the_finish_reason():
    words = "I can't help with that."
    for reason in ("content_filter", "length", "stop"):
        reply = LLMResponse(AssistantMessage(words), refusal=words)
        agent, _, _ = asked(
            LLMResponse(reply.message, refusal=words, finish_reason=reason)
        )
        with pytest.raises(ModelRefused) as caught:
            agent.run("?")
        assert (str(caught.value), caught.value.half) == (words, "")


# H12. Right: the folder is as it was before the call, and the next question is asked.
def test_H12_after_a_cut_reply_the_next_question_is_asked():
    agent, _, _ = asked([CLEAR], ended("length"), "Oslo")
    with pytest.raises(ReplyCutOff):
        agent.run("?")
    assert agent.run("And now?") == {"answer": "Oslo"}
    assert HALF not in [m.content for m in agent.memory.folder]
    assert problems(agent.memory.folder) == []


# H12. Right: the note beside a cut reply names the limit that its error names.
@pytest.mark.parametrize(
    ("reason", "note"),
    [
        ("length", CUT_NOTE),
        ("MAX_TOKENS", CUT_NOTE),
        ("model_length", WINDOW_NOTE),
        ("model_context_window_exceeded", WINDOW_NOTE),
        ("ERROR_LIMIT", WINDOW_NOTE),
    ],
)
@pytest.mark.parametrize("tools_as", ["native", "json"])
def test_H12_the_note_on_a_cut_reply_names_the_limit(reason, note, tools_as):
    body = {
        "choices": [
            {
                "message": {"role": "assistant", "content": '{"answer": "Par'},
                "finish_reason": reason,
            }
        ]
    }
    model = OpenAIChat("m", "http://127.0.0.1:1/v1", tools_as=tools_as)
    assert note in model.parse(body).notes
    agent, recorder, _ = asked(ended(reason, HALF))
    with pytest.raises(ReplyCutOff):
        agent.run("?")
    (seen,) = [e.payload for e in recorder.events if e.name == "model_reply"]
    assert seen["response"].notes == (note,)


# H12, A10. Right: those who listen see the half that was paid for, and why it ended.
def test_H12_a_cut_reply_is_announced_once_and_told_in_the_log():
    reply = LLMResponse(AssistantMessage(HALF), None, Usage(10, 5), "length")
    agent, recorder, _ = asked(reply)
    log: list[str] = []
    agent.observers = (*agent.observers, ConsoleLogger(log.append))
    with pytest.raises(ReplyCutOff):
        agent.run("?")
    (seen,) = [e.payload for e in recorder.events if e.name == "model_reply"]
    assert seen == {"response": replace(reply, notes=(CUT_NOTE,))}
    assert log == [
        "[step 1]",
        f"  reply: {HALF!r}   tokens in=10 out=5 reasoning=?",
        f"  note: {CUT_NOTE}",
        "[finish: failed]",
    ]
    assert (agent.last_run.tokens, agent.last_run.answer) == (15, None)
    *_, last = frames(asked(reply)[0], {"question": "?"})
    assert (last.get("card"), HALF in json.dumps(last)) == (None, True)
