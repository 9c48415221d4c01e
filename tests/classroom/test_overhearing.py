"""What the package logs is read below the cell, once."""

import logging

import pytest

from mingraph_lite.classroom import show_log

LOG = logging.getLogger("mingraph_lite")


@pytest.fixture(autouse=True)
def as_it_was():
    before = list(LOG.handlers)
    yield
    LOG.handlers = before


def test_a_warning_is_a_line_however_often_it_was_asked_for(capsys):
    show_log()
    show_log()
    try:
        raise ValueError("I have tripped")
    except ValueError as error:
        logging.getLogger("mingraph_lite.observers").warning("%s", "a", exc_info=error)
    shown = capsys.readouterr()
    assert (shown.out, shown.err) == ("log: a\n", "")


def test_who_else_reads_the_log_goes_on_reading_it():
    mine = logging.NullHandler()
    LOG.handlers = [mine]
    show_log()
    assert LOG.handlers[0] is mine
    assert len(LOG.handlers) == 2
