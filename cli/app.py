"""The entry of `t2c`: the table of commands and no logic.

To add a command, write a function in a module of `cli/commands` and give it one row here.
"""

from __future__ import annotations

import gc
import sys
from itertools import takewhile

from t2c.cli.commands.table import Branch, Entry

__all__ = ["TREE", "main"]

TREE = Branch(
    "An append-only evidence ledger: what was asked, what was claimed, what is really there, who said so.\n\n"
    "Global options may stand before or after the name of a command.",
    (
        Entry("init", "t2c.cli.commands.init:init", "Make a ledger."),
        Entry("scan", "t2c.cli.commands.scan:scan", "Read the repository and record what changed."),
        Entry("run", "t2c.cli.commands.run:run", "Do every stage, and write the folder of the run."),
        Entry("runs", "t2c.cli.commands.runs:GROUP", "Show what runs did, and make their folders again."),
        Entry(
            "extract", "t2c.cli.commands.extract:extract", "Print what a source holds, and record nothing."
        ),
        Entry(
            "import", "t2c.cli.commands.import_run:import_facts", "Take in facts that another system wrote."
        ),
        Entry(
            "ledger", "t2c.cli.commands.ledger:GROUP", "Append to the journal, read it, prove it, make views."
        ),
        Entry("diagnose", "t2c.cli.commands.diagnose:diagnose", "Show what does not fit together."),
        Entry(
            "summarize", "t2c.cli.commands.summarize:summarize", "Tell what is asked, there and different."
        ),
        Entry("graph", "t2c.cli.commands.graph:graph", "Show what relates to what, as sentences."),
        Entry("reality", "t2c.cli.commands.reality:reality", "Show what is wanted beside what is there."),
        Entry(
            "communication",
            "t2c.cli.commands.communication:communication",
            "Show what people and agents said that does not fit.",
        ),
        Entry("timeline", "t2c.cli.commands.timeline:timeline", "Show what happened when, and who said so."),
        Entry("truth", "t2c.cli.commands.reality:truth", "Show what stands behind what is said."),
        Entry("compare", "t2c.cli.commands.compare:compare", "Show the workspace beside its base."),
        Entry("diff", "t2c.cli.commands.differences:GROUP", "Show what differs: graphs, files, Git."),
        Entry("suppress", "t2c.cli.commands.suppress:suppress", "Decide not to be told of a finding."),
        Entry("approve", "t2c.cli.commands.approvals:approve", "Approve exactly what is shown."),
        Entry("withdraw", "t2c.cli.commands.approvals:withdraw", "Take an approval back."),
        Entry("approvals", "t2c.cli.commands.approvals:approvals", "List what waits and what is approved."),
        Entry("todo", "t2c.cli.commands.todo:GROUP", "Look at tasks that a model proposes."),
        Entry("change", "t2c.cli.commands.change:GROUP", "Plan code changes, apply and evaluate them."),
        Entry("link", "t2c.cli.commands.link:GROUP", "Look at relations and say which are right."),
        Entry("answers", "t2c.cli.commands.answers:GROUP", "Look at typed answers of models."),
        Entry("intake", "t2c.cli.commands.intake:GROUP", "Take in commands of participants, as JSON."),
        Entry("llm", "t2c.cli.commands.llm:GROUP", "Look at what models were asked, and what that took."),
        Entry("doctor", "t2c.cli.commands.doctor:doctor", "Say what needs attention."),
        Entry("config", "t2c.cli.commands.config:GROUP", "Show the settings and where each one comes from."),
        Entry(
            "schemas", "t2c.cli.commands.schemas:GROUP", "Show, write and check the published JSON Schemas."
        ),
    ),
)


def main() -> int:
    """Run the command line of this process and return its exit code. Raises nothing."""
    try:
        return _run()
    except KeyboardInterrupt:  # in the instant before and after the work, where nobody else looks
        return 130


def _run() -> int:
    gc.set_threshold(1_000_000, 50, 50)  # a short run makes many objects and drops few of them in circles
    from t2c.cli.present.interruption import install

    install()
    from t2c.cli.present.output import Output
    from t2c.cli.present.process import conclude, leave_out_plugins, standard_streams
    from t2c.cli.settings import debugging, environment, terminal

    arguments, environ = sys.argv[1:], environment()
    leave_out_plugins(environ)
    output = Output(*standard_streams(), terminal(environ))
    output.debug = debugging(environ)
    output.json = "--json" in takewhile(lambda argument: argument != "--", arguments)

    def work() -> None:
        from t2c.cli.commands.root import run

        run(TREE, arguments, output, environ)

    code = conclude(output, work)
    gc.freeze()  # so that the end of the process does not look for garbage
    return code
