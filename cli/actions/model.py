"""The model of a context: what the settings say about it, put together into the one that asks."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from decimal import ROUND_UP, Decimal
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from t2c.cli.actions.context import WORKSPACE, Context
from t2c.cli.actions.opening import funnel_of
from t2c.cli.sections import LlmMode
from t2c.ledger.engine import JOURNAL, Ledger
from t2c.ledger.errors import Refused, Usage

if TYPE_CHECKING:
    from t2c.ledger.llm.ask import Asker
    from t2c.ledger.llm.budget import Budget, Price
    from t2c.ledger.llm.openrouter import OpenRouter

__all__ = ["Purpose", "asker_of", "check_recordings", "model_name"]

Purpose = str
"""Which work a model is for: a stage, `summary`, `task` or `answer`."""

_MICROS: Final = 1_000_000
_OF_THE_REPOSITORY: Final = ("t2c.toml", "pyproject.toml")
_MOST_OF_A_REPOSITORY: Final = 8
"""Requests at once that a repository may have its reader make."""


def model_name(context: Context, purpose: Purpose) -> str:
    """The model that is asked for a purpose, as the settings name it."""
    llm = context.settings.llm
    return getattr(llm, f"{purpose}_model", "") or llm.model


@contextmanager
def asker_of(
    context: Context,
    ledger: Ledger,
    state: Path,
    *,
    mode: LlmMode | None = None,
    run: str | None = None,
) -> Iterator[Asker]:
    """What asks for this context; its connections are closed at the end.

    `mode` stands in for `llm.mode`; `state` is the user's state folder, where sealed tests lie that no implementer may
    see. Raises Refused where the repository itself names an address that the user's key would go to, Usage for
    recordings that are no ledgers.
    """
    from t2c.ledger.answers.leaks import leak_guard
    from t2c.ledger.answers.sealed_store import SealedStore
    from t2c.ledger.llm.ask import Asker

    llm = context.settings.llm
    chosen = llm.mode if mode is None else mode
    with ExitStack() as stack:
        asks = chosen in ("record", "live")
        client = _client(context) if asks else None
        if client is not None:
            stack.enter_context(client)
        store = SealedStore(state, ledger.id(), ledger.workspace)
        yield Asker(
            ledger,
            client,
            mode=chosen,
            run=run,
            progress=context.progress,
            recordings=[stack.enter_context(_recording(context, given)) for given in llm.recordings],
            guards=(leak_guard(ledger, store),),
            most_at_once=_MOST_OF_A_REPOSITORY if _is_named_here(context, "llm.concurrency") else None,
            form=llm.schema,
            temperature=llm.temperature,
            require_parameters=llm.require_parameters,
            stream=llm.stream,
        )


def _client(context: Context) -> OpenRouter | None:
    """A client for the provider; None where one needs a key and there is none."""
    from t2c.ledger.llm.openrouter import OpenRouter

    settings = context.settings
    llm, key = settings.llm, settings.api_key
    near = _is_near(llm.base_url)
    origin = settings.origins.get("llm.base_url", "default")
    named_here = _is_named_here(context, "llm.base_url")
    if key is None and not near:
        return None
    if named_here and not near and key is not None:
        raise Refused(
            f"{origin} of the repository names the provider {llm.base_url}; your key is not sent to an address that a "
            "repository chose",
            where=origin,
            safe="nothing was sent",
            remedy=f"if you trust it, say so yourself: T2C_LLM_BASE_URL={llm.base_url}",
        )
    return OpenRouter(
        llm.base_url,
        None if key is None or (named_here and near) else key.value,
        title=llm.app_name,
        referer=llm.site_url,
        timeout=llm.timeout_ms / 1000,
        attempts=llm.attempts,
        longest_wait=llm.max_wait_ms / 1000,
        budget=_budget(context),
        funnel=funnel_of(context),
        clock=context.clock,
    )


def _is_named_here(context: Context, name: str) -> bool:
    """True where a file of the repository says it, which may be anybody's."""
    return context.settings.origins.get(name, "default") in _OF_THE_REPOSITORY


def _is_near(address: str) -> bool:
    """True for a server of this machine, which may need no key."""
    host = urlsplit(address).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _budget(context: Context) -> Budget:
    from t2c.ledger.llm.budget import Budget

    llm = context.settings.llm
    return Budget(
        requests=llm.budget_requests or None,
        tokens=llm.budget_tokens or None,
        micros=None if not llm.budget_cost else _micros(llm.budget_cost),
        seconds=llm.budget_seconds or None,
        price=_price(context),
    )


def _price(context: Context) -> Price | None:
    """The prices, where they are the user's. Those of a repository could make anything seem free under a limit of
    money: they count only for a limit of its own, and never as nothing.
    """
    from t2c.ledger.llm.budget import Price

    llm = context.settings.llm
    prices = {"llm.price_prompt": llm.price_prompt, "llm.price_completion": llm.price_completion}
    missing = [name for name, price in prices.items() if not price]
    if len(missing) == len(prices):
        return None
    if missing:
        raise Usage(
            f"{missing[0]} is not set, and of half a price nothing can be reckoned",
            where=missing[0],
            safe="nothing was sent",
            remedy="set both prices, or none",
        )
    price = Price(_micros(llm.price_prompt), _micros(llm.price_completion))
    if any(_is_named_here(context, name) for name in prices) and not (
        _is_named_here(context, "llm.budget_cost") and all(price)
    ):
        return None
    return price


def _micros(numeral: str) -> int:
    return int((Decimal(numeral) * _MICROS).to_integral_value(ROUND_UP))


def check_recordings(context: Context) -> None:
    """Raise Usage for a recording that is no ledger, so that a command may say so before it does anything."""
    for given in context.settings.llm.recordings:
        _recording(context, given).close()


def _recording(context: Context, given: str) -> Ledger:
    """Another ledger whose answers may be used: its folder, its workspace or its journal, below the root."""
    path = context.path(context.root / given)
    for workspace in (path.parent if path.name == JOURNAL else path, path / WORKSPACE):
        if (workspace / JOURNAL).is_file():
            return Ledger(workspace, clock=context.clock, allow_network=True)
    raise Usage(
        f"{given} holds no ledger",
        where="llm.recordings",
        safe="nothing was sent or recorded",
        remedy="name a journal.ndjson, or a folder with .t2c in it, below the root",
    )
