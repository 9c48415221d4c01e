"""A learner's file, run where it can be stopped and pointed at.

The page runs a learner's `tools.py` in here; nothing of it knows the page.

    tools_file    which functions a file of tools has, and what its lines are
    pointing      where in that file something went wrong
    watching      which line it is at just now
    sleeping      a sleep that can be seen and stopped
    printing      what it prints, up to a limit
    guarding      Python around it: nothing asks, ends or stays broken
    unbroken      whether it has changed what the page stands on
"""
