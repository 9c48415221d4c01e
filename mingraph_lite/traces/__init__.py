"""A trace, read: listed, shown, compared, searched for its fault.

    command_line  the command: python -m mingraph_lite.trace
    question_list the other: python -m mingraph_lite.transcripts
    retold        what the lines of a run say, without references
    in_words      a run, or a list of runs, as text that fits a terminal
    wrong_line    the four cases of a wrong run, each with its evidence
    rules         what a program finds wrong with a line, for page and trace alike
    asking        what only a person can tell of a run
    findings      what was found, and what it stands on
    comparing     what differs between two runs
    many_runs     how often, over the runs of one question
    numbers       the numbers of a text, however they are written
    terminal      a text written out, or one sentence about why not
    layout        text broken and cut to a width

Each is handed a run of `read_trace`, and prints as text.
"""
