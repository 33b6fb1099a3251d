"""One small request to the real provider, where the environment names a key; elsewhere there is no such test.

`OPENROUTER_BASE_URL` and `OPENROUTER_MODEL` choose another provider and model. It costs far less than a cent.
"""

from __future__ import annotations

import json
import os

from t2c.ledger.llm.base import Message, Request, Shape
from t2c.ledger.llm.budget import Budget
from t2c.ledger.llm.openrouter import OpenRouter

_SCHEMA = {
    "type": "object",
    "properties": {"sum": {"type": "integer"}},
    "required": ["sum"],
    "additionalProperties": False,
}
_ASKED = Message("user", 'Answer with JSON as the schema says: what is 19 + 23? For example {"sum": 1}')

if key := os.environ.get("OPENROUTER_API_KEY"):

    def test_a_real_answer_is_read_and_metered() -> None:
        assert key is not None
        request = Request(
            os.environ.get("OPENROUTER_MODEL") or "mistralai/codestral-2508",
            (Message("system", "You do sums."), _ASKED),
            Shape("t2c_sum", json.dumps(_SCHEMA).encode()),
            max_tokens=400,
        )
        address = os.environ.get("OPENROUTER_BASE_URL") or "https://openrouter.ai/api/v1"
        with OpenRouter(address, key, timeout=60.0, budget=Budget(requests=6, tokens=20_000)) as model:
            for asked in (request, request._replace(stream=True)):
                reply = model.send(asked)
                assert reply.failure is None, reply.detail
                assert json.loads(reply.content or "") == {"sum": 42}
                assert reply.story.served and reply.story.usage.total_tokens
                assert key not in repr(reply)
