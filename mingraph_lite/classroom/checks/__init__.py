"""What checks share: runs that are listened to, and judged.

loops             what a learner's loop did, and what is wrong
loop_checks       whether a loop is right, on models that differ
tool_checks       whether a tool is the learner's own, and of use
tallies           a run and its tally, compared with a right one
cards_by_hand     cards of one's own, played on a watched desk
errand_runs       what became of one reply's slips, with a tool that may fail
errand_checks     what is wrong with that
answer_words      whether an answer slip says what came of its errand
safe_loop_checks  what a loop does at its limit, and with a dead tool
announced         what a loop announces, compared with a right one
listeners         what a listener made of what it heard
platforms         who tells listeners, one of whom fails
written_lines     what a listener left in a file, and when
read_back         what a reader makes of files, torn ones among them
traced_runs       runs in traces, and what is found in their lines
"""
