"""Reading records with a model, stage by stage, once they are recorded: layers over them, and nothing else.

What was read without a model stays whatever comes of it: a stage that fails leaves its records as they were found.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Final

from t2c.cli.actions.context import Context
from t2c.cli.actions.readings import Interpreter, run_of, stood
from t2c.cli.actions.stage_readers import READERS
from t2c.cli.actions.stages import StageAudit
from t2c.cli.sections import StageMode
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Model, T2cError
from t2c.ledger.kernel.ids import RunId
from t2c.ledger.llm.ask import Asker

__all__ = ["STAGES", "StageAudit", "interpret", "run_of"]

STAGES: Final = tuple(READERS)
"""The stages by name, in the order in which they are done."""


def interpret(
    context: Context,
    ledger: Ledger,
    asker: Asker,
    modes: Mapping[str, StageMode],
    run: RunId | None = None,
    last: Callable[[Interpreter], StageAudit] | None = None,
    within: bool = False,
) -> list[StageAudit]:
    """Read the records that stand, stage by stage; a stage that `modes` does not name is done without a model.

    `run` is the run that the asker records under, if it was given one (`run_of`). It begins with the first thing that
    is recorded; `within` says that it has begun already and goes on afterwards, and then each stage that is done is
    recorded. `last` is done after all stages, in the same run.

    The stages are natural_language, markdown, documents and communication. Records that have a reading of what they say
    now are not asked about again, and what is recorded already is not recorded again. Raises Model (exit 7) if a stage
    that needs a model had none; its details hold the failed audit, and all `audits` up to it (decisions D10). What was
    recorded stays. Raises Model, too, for a request that a replay does not know.
    """
    context.progress("interpret", 0, len(READERS))
    now = stood(ledger)
    interpreter = Interpreter(context, ledger, asker.mode, now, run, within=within)
    asker.begins = interpreter.start
    audits: list[StageAudit] = []
    try:
        for number, (name, reader) in enumerate(READERS.items()):
            mode = modes.get(name, "deterministic")
            audits.append(reader(context, asker, interpreter, now, mode).run())
            interpreter.passed(name, audits[-1].status, audits[-1].reason)
            context.progress("interpret", number + 1, len(READERS))
            if audits[-1].status == "failed":
                raise _failed(audits)
        if last is not None:
            audits.append(last(interpreter))
    except T2cError as error:
        interpreter.finish("failed", error.what)
        raise
    interpreter.finish("partial" if any(audit.degraded for audit in audits) else "succeeded")
    return audits


def _failed(audits: Sequence[StageAudit]) -> Model:
    audit = audits[-1]
    reason = audit.reason or {}
    return Model(
        f"{audit.stage} needs a model and had no answer ({reason.get('code')}): {reason.get('message')}",
        safe="what was read without a model is recorded, and so is everything that was asked",
        remedy=f'run the scan again, or set llm.{audit.stage} = "prefer-llm" to go on without',
        audit={"schema": audit.schema, **asdict(audit)},
        audits=list(audits),
    )
