"""The older part is read out as a summary; nothing is lost where none comes."""

import pytest

from mingraph_lite import Agent, Interrupted, LLMResponse, ScriptedLLM
from mingraph_lite.errors import ModelError
from mingraph_lite.lab import ReadingLLM
from mingraph_lite.lab.scenarios import paris_and_tokyo
from mingraph_lite.memory import KeepAll, Summarise
from mingraph_lite.messages import (
    AssistantMessage,
    Message,
    ToolCall,
    ToolMessage,
    UserMessage,
    problems,
)
from mingraph_lite.observers import Recorder

SUMMARY = "Summary of what was said before: "
REQUEST = (
    "Summarise this conversation for whoever goes on with it. Keep names, numbers, "
    "wishes and what is still open. Answer with the summary alone.\n\n"
)


class Noting:
    """A model that numbers its summaries, and notes what it was asked."""

    def __init__(self, *fails: Exception) -> None:
        self.asked: list[tuple[list[Message], list[object]]] = []
        self.fails = [*fails]

    def generate(self, messages, menu=()):
        self.asked.append((list(messages), list(menu)))
        if self.fails:
            raise self.fails.pop(0)
        return LLMResponse(AssistantMessage(f"summary {len(self.asked)}"))


def turn(number: int) -> list[Message]:
    """Four messages: a question, a slip, its answer, a text."""
    slip = ToolCall("get_weather", {"city": "Paris"}, f"c{number}")
    return [
        UserMessage(f"question {number}"),
        AssistantMessage("", (slip,)),
        ToolMessage("18", slip.id, "get_weather"),
        AssistantMessage(f"answer {number}"),
    ]


def turns(*numbers: int) -> list[Message]:
    return [message for number in numbers for message in turn(number)]


def filled(memory: Summarise, *messages: Message) -> Summarise:
    for message in messages:
        memory.add(message)
    return memory


def test_up_to_the_threshold_everything_is_read_out_and_no_model_asked():
    llm = Noting()
    memory = filled(Summarise(llm, keep=4, over=8), *turns(1, 2))
    assert list(memory.messages()) == turns(1, 2)
    assert (llm.asked, memory.summary) == ([], "")


def test_beyond_it_the_older_part_becomes_one_user_message_that_says_so():
    memory = filled(Summarise(Noting(), keep=4, over=8), *turns(1, 2, 3))
    summary = UserMessage(f"{SUMMARY}summary 1")
    assert list(memory.messages()) == [summary, *turn(3)]
    assert (memory.summary, list(memory.folder)) == ("summary 1", turns(1, 2, 3))


def test_the_model_gets_one_plain_request_and_no_menu():
    llm = Noting()
    filled(Summarise(llm, keep=4, over=4), *turns(1, 2)).messages()
    said = (
        'user: question 1\nassistant calls get_weather(city="Paris")\n'
        "get_weather answers: 18\nassistant: answer 1"
    )
    assert llm.asked == [([UserMessage(REQUEST + said)], [])]


def test_a_later_summary_is_made_of_the_last_one_and_what_came_since():
    llm = Noting()
    memory = filled(Summarise(llm, keep=4, over=8), *turns(1, 2, 3))
    memory.messages()
    filled(memory, *turns(4, 5))
    assert list(memory.messages()) == [UserMessage(f"{SUMMARY}summary 2"), *turn(5)]
    [(_, _), ([request], _)] = llm.asked
    assert request.content.startswith(f"{REQUEST}{SUMMARY}summary 1\nuser: question 3")
    assert "question 1" not in request.content
    assert "question 5" not in request.content


def test_it_is_summarised_once_for_many_calls():
    llm = Noting()
    memory = Summarise(llm, keep=4, over=12)
    for number in range(1, 10):
        for message in turn(number):
            memory.add(message)
            memory.messages()
            memory.messages()
    # 13 messages are too many: 9 of them, or 8 with their answers, go into a summary.
    assert (len(llm.asked), len(memory.folder)) == (3, 36)


def test_the_newest_question_is_read_out_when_its_run_is_longer_than_what_is_kept():
    memory = filled(Summarise(Noting(), keep=2, over=4), UserMessage("how warm?"))
    for number in range(1, 4):
        filled(memory, *turn(number)[1:3])
    summary = UserMessage(f"{SUMMARY}summary 1")
    heard = [summary, UserMessage("how warm?"), *turn(3)[1:3]]
    assert list(memory.messages()) == heard


def test_a_call_and_its_answers_are_kept_whole_whatever_their_number():
    slips = tuple(ToolCall("now", {}, f"n{number}") for number in range(5))
    group = [
        AssistantMessage("", slips),
        *(ToolMessage("noon", slip.id, "now") for slip in slips),
    ]
    memory = filled(Summarise(Noting(), keep=2, over=3), *turn(1), *group)
    heard = list(memory.messages())
    assert heard == [
        UserMessage(f"{SUMMARY}summary 1"),
        UserMessage("question 1"),
        *group,
    ]
    assert list(memory.messages()) == heard  # nothing older is left: not asked again


BROKEN = [
    (RuntimeError("the line is dead"), "RuntimeError: the line is dead"),
    (ModelError("busy"), "ModelError: busy"),
    ("  \n", "ValueError: the model said nothing."),
    (
        ToolCall("now", {}, "c9"),
        "ValueError: the model passed slips and gave no summary.",
    ),
    (
        LLMResponse(AssistantMessage("Paris is"), finish_reason="length"),
        "ValueError: it is not whole (finish reason length).",
    ),
    (
        LLMResponse(AssistantMessage("No."), refusal="I will not."),
        "ValueError: the model refused: I will not.",
    ),
]


@pytest.mark.parametrize(("reply", "why"), BROKEN)
def test_where_no_summary_comes_everything_is_read_out_and_the_log_says_so(
    reply, why, caplog
):
    llm = ScriptedLLM([reply, "good"])
    memory = filled(Summarise(llm, keep=4, over=4), *turns(1, 2))
    assert list(memory.messages()) == turns(1, 2)
    assert (memory.summary, list(memory.folder)) == ("", turns(1, 2))
    assert caplog.messages == [
        f"No new summary ({why}). What it would have left out is read out."
    ]


def test_the_last_good_summary_is_read_out_until_there_is_a_new_one(caplog):
    llm = ScriptedLLM(["first", "", "third"])
    memory = filled(Summarise(llm, keep=4, over=4), *turns(1, 2))
    assert list(memory.messages()) == [UserMessage(f"{SUMMARY}first"), *turn(2)]
    filled(memory, *turn(3))
    assert list(memory.messages()) == [UserMessage(f"{SUMMARY}first"), *turns(2, 3)]
    filled(memory, *turn(4))
    assert list(memory.messages()) == [UserMessage(f"{SUMMARY}third"), *turn(4)]
    assert len(caplog.messages) == 1


def test_after_a_failure_it_is_tried_again_once_there_is_more_to_say(caplog):
    llm = Noting(ModelError("busy"))
    memory = filled(Summarise(llm, keep=4, over=8), *turns(1, 2, 3))
    asked = []
    for message in [*turn(4), *turn(5)]:
        memory.messages()
        memory.messages()
        asked.append(len(llm.asked))
        memory.add(message)
    assert asked == [1, 1, 1, 1, 2, 2, 2, 2]
    assert len(caplog.messages) == 1


def test_whoever_stops_the_run_stops_it():
    memory = Summarise(ScriptedLLM([Interrupted("stop")]), keep=1, over=1)
    with pytest.raises(Interrupted):
        filled(memory, *turn(1)).messages()


def test_a_folder_without_a_question_is_summarised_too():
    greetings = [AssistantMessage(f"hello {number}") for number in range(4)]
    memory = filled(Summarise(Noting(), keep=1, over=2), *greetings)
    assert list(memory.messages()) == [
        UserMessage(f"{SUMMARY}summary 1"),
        greetings[-1],
    ]


def test_what_was_read_out_stays_as_it_was():
    memory = filled(Summarise(Noting(), keep=4, over=4), *turns(1, 2))
    heard = memory.messages()
    before = list(heard)
    filled(memory, *turns(3, 4)).messages()
    assert list(heard) == before


def test_an_agent_goes_on_with_a_summary_and_keeps_its_folder_whole():
    recorder = Recorder()
    memory = Summarise(ScriptedLLM(["Paris, Tokyo; in Fahrenheit."]), keep=2, over=8)
    agent = paris_and_tokyo.agent(ReadingLLM(), memory=memory, observers=[recorder])
    agent.run(paris_and_tokyo.question)
    # The unit was wished for in the first question, which only the summary tells now.
    assert agent.run("And in Paris alone?") == {"answer": "Paris: 18 = 64°F"}
    heard = [
        event.payload["messages"]
        for event in recorder.events
        if event.name == "model_call"
    ]
    assert [type(messages[1]) for messages in heard] == [UserMessage] * len(heard)
    assert heard[-1][1] == UserMessage(f"{SUMMARY}Paris, Tokyo; in Fahrenheit.")
    assert [problems(messages) for messages in heard] == [[]] * len(heard)
    assert problems(agent.memory.folder) == []
    assert "Summary" not in "".join(str(m.content) for m in agent.memory.folder)


def test_a_saved_folder_goes_on_in_a_new_memory():
    agent = Agent(ReadingLLM(), [], "", memory=Summarise(Noting(), turns(1, 2, 3)))
    again = Summarise(Noting(), agent.memory.folder, keep=4, over=8)
    assert list(again.folder) == turns(1, 2, 3)
    assert list(again.messages()) == [UserMessage(f"{SUMMARY}summary 1"), *turn(3)]


def test_two_of_them_share_nothing():
    first, second = Summarise(Noting()), Summarise(Noting())
    filled(first, *turn(1))
    assert (list(first.folder), list(second.folder)) == (turn(1), [])


def test_it_says_how_much_is_in_the_summary():
    memory = filled(Summarise(Noting(), keep=4, over=4), *turns(1, 2))
    memory.messages()
    assert repr(memory) == "Summarise(4 of 8 messages)"


@pytest.mark.parametrize(("keep", "over"), [(0, 5), (6, 5), (-1, 20)])
def test_numbers_that_make_no_sense_are_refused(keep, over):
    with pytest.raises(ValueError, match="Summarise") as raised:
        Summarise(Noting(), keep=keep, over=over)
    assert str(raised.value) == (
        f"Summarise got keep={keep} and over={over}. keep is at least 1, and over at "
        "least keep: Summarise(llm, keep=6, over=20)."
    )


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (
            lambda: Summarise([]),  # type: ignore[arg-type]
            "The llm of Summarise is an empty list, which has no generate. Hand in the "
            "model first, then the messages: Summarise(llm, messages).",
        ),
        (
            lambda: Summarise(Noting(), keep=True),
            "keep of Summarise is True. It is a number of messages.",
        ),
        (
            lambda: Summarise(Noting(), KeepAll()),  # type: ignore[arg-type]
            "Summarise takes a list of messages and got KeepAll(0 messages). Hand in "
            "what a memory holds: memory.folder.",
        ),
    ],
    ids=["llm", "keep", "messages"],
)
def test_a_thing_of_another_kind_is_refused(make, sentence):
    with pytest.raises(TypeError) as raised:
        make()
    assert str(raised.value) == sentence
