"""`t2c change`: plans of code changes, from the drawing to the close."""

from __future__ import annotations

from t2c.cli.commands.table import Branch, Entry

__all__ = ["GROUP"]

GROUP = Branch(
    "Plans of code changes: drawn, reviewed, applied under an approval, and held against what is there.",
    (
        Entry("plan", "t2c.cli.commands.change_plans:plan", "Draw plans of what is wanted and not there."),
        Entry("list", "t2c.cli.commands.change_plans:listed", "List the plans and where each stands."),
        Entry("show", "t2c.cli.commands.change_plans:show", "Show a plan and what became of it."),
        Entry("review", "t2c.cli.commands.change_plans:review", "Render the brief that people approve."),
        Entry("patch", "t2c.cli.commands.change_patch:patch", "Make the patch of a plan, to be approved."),
        Entry("try", "t2c.cli.commands.change_try:tried", "Try a patch beside your tree."),
        Entry("apply", "t2c.cli.commands.change_apply:apply", "Write an approved patch into your tree."),
        Entry("revert", "t2c.cli.commands.change_apply:revert", "Take back what was applied."),
        Entry("recover", "t2c.cli.commands.change_apply:recover", "Settle applies that were interrupted."),
        Entry(
            "evaluate", "t2c.cli.commands.change_evaluate:evaluate", "Hold a plan against what was scanned."
        ),
        Entry("close", "t2c.cli.commands.change_evaluate:close", "Close plans that are all accepted."),
    ),
)
