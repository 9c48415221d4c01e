"""Whatever name a model thinks of, it reads the real ones."""

import pytest
from hypothesis import assume
from hypothesis import strategies as st

from mingraph_lite.errors import UnknownToolError
from mingraph_lite.messages import ToolCall
from tests.properties import cases
from tests.schema.adding import read, registry

pytestmark = pytest.mark.properties

texts = st.text(st.characters(exclude_categories=()))  # lone surrogates too


# A13. Right: a name that nobody has is answered with the real names.
@cases(texts)
def test_A13_any_other_name_is_answered_with_the_real_names(name: str) -> None:
    assume("read" not in name.lower())
    with pytest.raises(UnknownToolError, match=r"Registered: read\."):
        registry(read).run(ToolCall(name, {}))
