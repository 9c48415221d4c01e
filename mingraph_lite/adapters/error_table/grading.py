"""What an error means: one table that decides on retry and advice.

First the rows that know an error by its codes or words, then the bare statuses. The
first row that fits counts, and the last one always fits.
"""

from __future__ import annotations

from typing import Final

from mingraph_lite.adapters.error_table.rows import (
    IN_VAIN,
    KEY,
    MAY_PASS,
    NAMED_ROWS,
    NAMES,
    ErrorRow,
    at,
)

__all__: Final = ["ROWS", "STATUS_ROWS", "may_succeed_later", "row_for"]

_PASSING: Final = ErrorRow(
    "what may pass",
    "openai/openai-agents-python#3226",
    retry=True,
    statuses=MAY_PASS,
)
_NO_STATUS: Final = ErrorRow(
    "no status", "openclaw/openclaw#84697", advice=NAMES, statuses=at({0})
)

STATUS_ROWS: Final = (
    ErrorRow("401", "RFC 9110, section 15.5", advice=KEY, statuses=at({401, 403})),
    ErrorRow(
        "402",
        "DeepSeek documentation, Error codes",
        advice="The account behind the key has no credit left: see the provider's "
        "billing page.",
        statuses=at({402}),
    ),
    ErrorRow(
        "404",
        "RFC 9110, section 15.5",
        advice=f"{NAMES}{{path}}",
        statuses=at({404}),
    ),
    ErrorRow(
        "405",
        "RFC 9110, section 15.5",
        advice=f"{NAMES}{{path}}",
        statuses=at({405}),
    ),
    ErrorRow(
        "407",
        "RFC 9110, section 15.5",
        advice="The proxy on the way wants a name and a password: put them into "
        "HTTPS_PROXY, as in http://name:password@host:port.",
        statuses=at({407}),
    ),
    ErrorRow(
        "413",
        "RFC 9110, section 15.5",
        statuses=at({413}),
        becomes="overflow",
    ),
    ErrorRow(
        "451",
        "RFC 7725",
        advice="The provider may not serve the place that the request came from: "
        "choose another.",
        statuses=at({451}),
    ),
    ErrorRow(
        "511",
        "RFC 6585, section 6",
        advice="Log in to the network in a browser first.",
        statuses=at({511}),
    ),
    _PASSING,
    _NO_STATUS,
    ErrorRow("another status", "RFC 9110, section 15.5", advice=IN_VAIN),
)

ROWS: Final = (*NAMED_ROWS, *STATUS_ROWS)
"""In this order."""


def row_for(
    status: int | None, codes: str, words: str, *, begun: bool = False
) -> ErrorRow:
    """The row that an error falls under.

    What breaks a reply that has `begun`, and says no more, is the server's trouble: it
    has found the address and the model right.
    """
    row = next(row for row in ROWS if row.fits(status, codes, words))
    return _PASSING if begun and row is _NO_STATUS else row


def may_succeed_later(status: int) -> bool:
    """Whether a status alone means "not now": a timeout, a conflict, too much."""
    return row_for(status, "", "").retry
