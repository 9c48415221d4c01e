"""What a server wants: what it refuses, what must come back.

wants      the table: what is refused, how it is said, and what is done then
learning   what is learned from a refusal, for the requests that follow
rewriting  a request changed as a server wants it: the same said otherwise
beside     what came beside a call or a message goes back to its server alone
wire_ids   the ids of calls as a server takes them
options    the options of a model, checked for their kind
"""
