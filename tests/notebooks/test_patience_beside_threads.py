"""A kernel has threads of its own, and a page has none to try this with."""

import threading

from mingraph_lite.classroom.patience import patience


def test_other_threads_are_not_stopped():
    done = threading.Event()

    def work():
        for _ in range(5_000):
            pass
        done.set()

    with patience(1_000):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    assert done.is_set()
