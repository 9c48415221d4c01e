"""JSON that refuses change: what was said stays as said."""

import copy
import json
import pickle

import pytest

from mingraph_lite.schema.frozen import ReadOnly, ReadOnlyList, read_only


def deep() -> dict[str, object]:
    """Arguments that hold dicts in lists and lists in dicts."""
    return {"filter": {"tags": ["a", {"b": [1]}]}, "cities": ["Paris", "Tokyo"]}


@pytest.mark.parametrize(
    "change",
    [
        lambda paris: paris.__setitem__("city", "Rome"),
        lambda paris: paris.__delitem__("city"),
        lambda paris: paris.__ior__({"city": "Rome"}),
        lambda paris: paris.update(city="Rome"),
        lambda paris: paris.setdefault("country", "France"),
        lambda paris: paris.pop("city"),
        lambda paris: paris.popitem(),
        lambda paris: paris.clear(),
    ],
)
def test_a_dict_that_was_said_cannot_be_changed(change):
    paris = ReadOnly(city="Paris")
    with pytest.raises(TypeError) as raised:
        change(paris)
    assert str(raised.value) == (
        "{'city': 'Paris'} is part of the run and cannot be changed. "
        "Change a copy: copy.deepcopy(…)."
    )
    assert paris == {"city": "Paris"}


@pytest.mark.parametrize(
    "change",
    [
        lambda cities: cities.__setitem__(0, "Rome"),
        lambda cities: cities.__setitem__(slice(None), []),
        lambda cities: cities.__delitem__(0),
        lambda cities: cities.__iadd__(["Rome"]),
        lambda cities: cities.__imul__(2),
        lambda cities: cities.append("Rome"),
        lambda cities: cities.extend(["Rome"]),
        lambda cities: cities.insert(0, "Rome"),
        lambda cities: cities.pop(),
        lambda cities: cities.remove("Paris"),
        lambda cities: cities.reverse(),
        lambda cities: cities.sort(reverse=True),
        lambda cities: cities.clear(),
    ],
)
def test_a_list_that_was_said_cannot_be_changed(change):
    cities = ReadOnlyList(["Paris", "Tokyo"])
    with pytest.raises(TypeError) as raised:
        change(cities)
    assert str(raised.value) == (
        "['Paris', 'Tokyo'] is part of the run and cannot be changed. "
        "Change a copy: copy.deepcopy(…)."
    )
    assert cities == ["Paris", "Tokyo"]


@pytest.mark.parametrize(
    "change",
    [
        lambda said: said["filter"].update(tags=[]),
        lambda said: said["filter"]["tags"].append("c"),
        lambda said: said["filter"]["tags"][1].clear(),
        lambda said: said["filter"]["tags"][1]["b"].pop(),
        lambda said: said["cities"].sort(),
    ],
)
def test_what_was_said_cannot_be_changed_at_any_depth(change):
    said = read_only(deep())
    with pytest.raises(TypeError, match="is part of the run and cannot be changed"):
        change(said)
    assert said == deep()


def test_what_was_said_stays_when_what_it_was_made_of_changes():
    sent = deep()
    said = read_only(sent)
    sent["cities"].clear()
    sent["filter"]["tags"][1]["b"].append(2)
    assert said == deep()


def test_what_can_change_a_dict_or_a_list_is_refused_by_both():
    changes = {
        dict: {"pop", "clear", "update", "popitem", "setdefault"}
        | {"__setitem__", "__delitem__", "__ior__"},
        list: {"pop", "clear", "append", "extend", "insert", "remove", "reverse"}
        | {"sort", "__setitem__", "__delitem__", "__iadd__", "__imul__"},
    }
    for kind, twin in ((dict, ReadOnly), (list, ReadOnlyList)):
        # Whatever the frozen kinds can do changes nothing.
        harmless = set(dir(tuple)) | {"copy", "__reversed__", "__or__", "__ror__"}
        harmless |= {"get", "items", "keys", "values", "fromkeys"}
        assert set(dir(kind)) - harmless == changes[kind]
        assert {vars(twin)[name] for name in changes[kind]} == {vars(twin)["_refuse"]}


def test_read_only_is_the_same_value_to_compare_print_and_send():
    said = read_only(deep())
    assert said == deep()
    assert repr(said) == repr(deep())
    assert json.dumps(said, indent=1) == json.dumps(deep(), indent=1)
    assert read_only(said) == deep()
    assert [read_only(plain) for plain in ("18", 18, None, True)] == [
        "18",
        18,
        None,
        True,
    ]


@pytest.mark.parametrize(
    "copied", [copy.deepcopy, lambda d: pickle.loads(pickle.dumps(d))]
)
def test_a_deep_copy_of_what_was_said_can_be_changed_at_any_depth(copied):
    said = read_only(deep())
    mine = copied(said)
    mine["filter"]["tags"][1]["b"].append(2)
    mine["cities"].sort(reverse=True)
    assert mine == {
        "filter": {"tags": ["a", {"b": [1, 2]}]},
        "cities": ["Tokyo", "Paris"],
    }
    assert said == deep()


@pytest.mark.parametrize(
    "copied",
    [dict, copy.copy, copy.deepcopy, lambda d: pickle.loads(pickle.dumps(d))],
)
def test_a_copy_of_what_was_said_can_be_changed(copied):
    said = ReadOnly(city="Paris")
    mine = copied(said)
    mine["city"] = "Rome"
    assert (mine, said) == ({"city": "Rome"}, {"city": "Paris"})
