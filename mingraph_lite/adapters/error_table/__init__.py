"""What an error says: whether to ask again, when, and what helps.

shapes   an error read, in whichever shape it comes
pages    … a page of a proxy, a tunnel or a firewall where JSON should be
rows     the table: errors known by their status, codes and words
grading  the row that an error falls under
sizes    a prompt beyond the window: how long it was, and how much fits
waits    how long a server asks to wait
words    the exception that tells it
"""
