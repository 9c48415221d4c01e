"""What a reply's text may hide: thoughts, calls and control tokens.

notations       the table: how each begins and ends, and who writes it; its rows stand
                in thought_notations and call_notations, made of notation
read_text       a text taken apart: what is said, thought and called
thoughts        … what a model thought before it spoke
tagged_calls    … a call under an explicit tag
bare_calls      … a text that is a call as a whole
control_tokens  … a token that should have stayed inside the model
call_texts      the readers of what stands inside a call
model_calls     … that one family of models writes
call_names      the name in a call that cannot be read
stripped_harmony  a text whose tokens a server dropped
quotations      where a text only speaks of a tag
text_gate       what of a stream may be heard already
"""
