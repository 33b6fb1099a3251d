"""`t2c change`: plans of code changes, from the drawing to the close."""

from __future__ import annotations

from t2c.cli.commands.table import Branch, Entry

__all__ = ["GROUP"]

GROUP = Branch(
    "Plans of code changes: drawn, reviewed, applied under an approval, and held against what is there.",
    (
        Entry(
            "evaluate", "t2c.cli.commands.change_evaluate:evaluate", "Hold a plan against what was scanned."
        ),
        Entry("close", "t2c.cli.commands.change_evaluate:close", "Close plans that are all accepted."),
    ),
)
