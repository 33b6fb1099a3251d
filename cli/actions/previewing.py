"""What reading records with a model would send, byte for byte. Nothing is sent or recorded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import ClassVar

from t2c.cli.actions.context import Context
from t2c.cli.actions.model import asker_of
from t2c.cli.actions.opening import open_ledger
from t2c.cli.actions.readings import Interpreter, stood
from t2c.cli.actions.stage_readers import READERS
from t2c.ledger.errors import Usage

__all__ = ["InterpretationPreview", "PreviewedRequest", "PreviewedStage", "preview"]


@dataclass(frozen=True, slots=True)
class PreviewedRequest:
    """One body; `request` is its SHA-256, by which the ledger would name it."""

    stage: str
    request: str
    body: str


@dataclass(frozen=True, slots=True)
class PreviewedStage:
    """What a stage would send: `bytes` of all bodies, records `shown` in them; `known` requests are recorded already."""

    stage: str
    model: str
    requests: int
    bytes: int
    shown: int
    known: int


@dataclass(frozen=True, slots=True)
class InterpretationPreview:
    """The first requests of each stage about what stands at event `seq`; corrections depend on what is answered."""

    schema: ClassVar[str] = "t2c.interpretation-preview/v1"
    seq: int
    stages: Sequence[PreviewedStage]
    requests: Sequence[PreviewedRequest]


def preview(context: Context, state: Path) -> InterpretationPreview:
    """The requests that `t2c scan --llm` would send of the records that stand, as `llm.mode` and the modes of stages say.

    Raises Usage where no model would be asked at all: in the modes off and replay.
    """
    llm = context.settings.llm
    if llm.mode not in ("record", "live"):
        raise Usage(
            f"--dry-run shows what would be sent, and nothing is with llm.mode = {llm.mode}",
            remedy="add --llm record",
        )
    stages: list[PreviewedStage] = []
    requests: list[PreviewedRequest] = []
    with open_ledger(context) as ledger:
        seq, now = ledger.head().seq, stood(ledger)
        interpreter = Interpreter(context, ledger, "off", now)
        with asker_of(context, ledger, state, mode="off") as asker:
            for name, reader in READERS.items():
                stage = reader(context, asker, interpreter, now, getattr(llm, name))
                stage.anew = llm.mode == "live"
                known = size = shown = 0
                first = len(requests)
                for question in stage.questions():
                    body = asker.preview(question)
                    if llm.mode == "record" and asker.is_recorded(body):
                        known += 1
                        continue
                    size += len(body)
                    shown += len(question.brief.items)
                    requests.append(PreviewedRequest(name, sha256(body).hexdigest(), body.decode()))
                stages.append(PreviewedStage(name, stage.model, len(requests) - first, size, shown, known))
    return InterpretationPreview(seq, stages, requests)
