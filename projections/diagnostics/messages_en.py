"""Findings in English: message → title, detail, suggested action."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

__all__ = ["ENGLISH"]

_TITLES: Final = {
    "PARTICIPANT_IDENTITY_UNRESOLVED": "It is not known who wrote this",
    "HUMAN_COMMUNICATION_CONFLICT": "Two people ask for opposite things",
    "AGENT_COMMUNICATION_CONFLICT": "Two agents say opposite things",
    "HUMAN_AGENT_CONFLICT": "A person and an agent say opposite things",
    "REQUEST_WITHOUT_AGENT_RESPONSE": "No agent has answered a request",
    "AGENT_HUMAN_DECISION_CLAIM_UNCONFIRMED": "An agent reports a decision that no person recorded",
    "AGENT_CLAIM_WITHOUT_EVIDENCE": "Nothing recorded shows what an agent reports",
    "AGENT_WORK_OUTSIDE_REQUEST": "No request covers what an agent does",
}

ENGLISH: Final[Mapping[str, tuple[str, str, str]]] = MappingProxyType(
    {
        "planned.nothing": (
            "Planned, and nothing shows it done: {text}",
            "{at} plans it. No commit, code or test is related to it.",
            "Do it, or cite its ticket, number or symbol in the commit that did it, or tick it off.",
        ),
        "planned.parts": (
            "Planned, and nothing shows it done: {text}",
            "{at} plans it. No commit, code or test is related to it or to one of its sub-tasks ({parts}).",
            "Do it, or cite its ticket, number or symbol in the commit that did it, or tick it off.",
        ),
        "planned.located": (
            "Planned, and nothing newer shows it done: {text}",
            "{at} plans it and names what was there already: {found}. Nothing that counts came after the plan.",
            "Do it, or cite its ticket, number or symbol in the commit that did it.",
        ),
        "planned.claimed": (
            "Planned, and only claimed to be done: {text}",
            "{at} plans it. What is bound to it shows nothing done: {found}.",
            "Point at the commit or the test that shows it, or leave the plan open.",
        ),
        "planned.comments": (
            "Comments in {path} still ask for changes: {count}",
            "For example {first}.",
            "Do them, move them to the task list, or delete the comments that no longer hold.",
        ),
        "done.reverted": (
            "Said to be done, and its commit was taken back: {text}",
            "{at} says that it is done. What carried it out does not stand any more: {found}.",
            "Open the plan again, or cite the commit that brought the change back.",
        ),
        "done.documentation": (
            "Said to be done, and only documentation changed for it: {text}",
            "{at} says that it is done. The commits bound to it changed documentation alone: {found}.",
            "Cite the commit that changed the code, or open the plan again.",
        ),
        "done.nothing": (
            "Ticked off, and what it names did not change: {text}",
            "{at} says that it is done and was open on {since}. Nothing that it names changed after it was planned.",
            "Cite the commit that did it, or open the plan again.",
        ),
        "done.ticked": (
            "Ticked off, and nothing recorded shows the work: {text}",
            "{at} says that it is done and was open on {since}. None of the commits since ({commits}) carries it out, changed code together with its list or shares telling words with it.",
            "Commit the work and name the task in it, or open the plan again.",
        ),
        "done.absent": (
            "Said to be done, and what it names never was there: {text}",
            "{at} says that it is done. Neither the files nor any commit of the whole history has {names}.",
            "Name what was made instead, or open the plan again.",
        ),
        "drift": (
            "The last {commits} commits touch nothing that the open plans are about",
            "{plans} open plans name code (files: {targets}); none of the last {commits} commits that change code touches one of them or cites a plan.",
            "Close or postpone the plans that no longer hold, or plan what is being done.",
        ),
        "changelog.unexplained": (
            "No commit of release {version} explains this entry: {text}",
            "{at}. No commit of the release ({commits}) shares a number, a name, a path, a rare word or two telling ones with it.",
            "Cite the commit or pull request in the entry, or correct the entry.",
        ),
        "changelog.unheard": (
            "Release {version} tells of this, and nothing ever was heard of it: {text}",
            "{at}. None of the {commits} commits of the whole history and nothing in the code shares a number, a name, a path or two telling words with it.",
            "Cite the commit or pull request in the entry, or correct the entry.",
        ),
        "unplanned": (
            "{count} public symbols in {place} changed without a plan",
            "{count} of {of} public symbols of {place} changed since plans are written here, and no plan reaches their files: {first}.",
            "Relate the work to a task, or note why none is needed.",
        ),
        "unplanned.rest": (
            "{count} more public symbols changed without a plan, in other folders: {folders}",
            "Among them {first}.",
            "Relate the work to a task, or note why none is needed.",
        ),
        "undocumented": (
            "{count} public symbols in {place} are documented nowhere",
            "{count} of {of} public symbols of {place} have no text of their own and are named by no document or changelog: {first}.",
            "Describe those that users need, and make the others private.",
        ),
        "undocumented.rest": (
            "{count} more public symbols are documented nowhere, in other folders: {folders}",
            "Among them {first}.",
            "Describe those that users need, and make the others private.",
        ),
        "stale.path": (
            "{document} names a file that is gone: {name}",
            "{at}: “{text}”. {name} was deleted on {when} (commit {commit}).",
            "Correct the text, or name the file that took its place.",
        ),
        "stale.renamed": (
            "{document} names a file by its former name: {name}",
            "{at}: “{text}”. {name} became {became} on {when} (commit {commit}).",
            "Name {became} instead.",
        ),
        "stale.link": (
            "{document} links to a file that is gone: {name}",
            "{at}: “{text}”. {name} was deleted on {when} (commit {commit}).",
            "Take the link out, or let it lead to what took the file's place.",
        ),
        "stale.link.renamed": (
            "{document} links to a file by its former name: {name}",
            "{at}: “{text}”. {name} became {became} on {when} (commit {commit}).",
            "Let the link lead to {became}.",
        ),
        "stale.name": (
            "{document} names `{name}`, which nothing declares any more",
            "{at}: “{text}”. Code declared `{name}`; the last commit that touched it is {commit} of {when}.",
            "Name what took its place, or take the passage out.",
        ),
        "regression.failing": (
            "A test that passed fails: {test}",
            "`{test}` passed in the run of {since} and failed in the run of {failed}: {at}.",
            "Look at what changed between the two runs, mend it, and take in the next report.",
        ),
        "regression.undated": (
            "A test that passed fails: {test}",
            "`{test}` passed in a report that this ledger read on {since} and that names no time of its run; {at} says that it failed.",
            "Look at what changed since, mend it, and take in the next report.",
        ),
        "regression.untested": (
            "No test exercises these symbols of {path} any more: {count}",
            "Tests exercised them until {since}: {first}.",
            "Bring the tests back, or note why they are not needed.",
        ),
        "regression.unshown": (
            "What carried this out is gone: {text}",
            "{at}. A commit was bound to it until {since}; nothing that counts is left.",
            "Find out whether the change was taken back or the history rewritten, and open the plan again if so.",
        ),
        "regression.reverted": (
            "What carried this out was taken back: {text}",
            "{at}. The commits bound to it were reverted: {found}.",
            "Plan the change anew, or take the statement out.",
        ),
        "conflict.statements": (
            "Two statements contradict each other: {one}",
            "{one_at}: “{one}”. {other_at}: “{other}”.",
            "Decide which of the two holds, and change the other.",
        ),
        "conflict.code": (
            "The code does what a statement forbids: {one}",
            "{one_at}: “{one}”. {other_at}: “{other}”.",
            "Change the code, or withdraw the prohibition.",
        ),
        "duplicated": (
            "{count} open plans say the same: {text}",
            "They stand in {places}.",
            "Keep one and refer to it from the others.",
        ),
        "ambiguous.fields": (
            "The task leaves something open: {text}",
            "{at}. Not said: {missing}.",
            "Add what is missing: {missing}.",
        ),
        "ambiguous.names": (
            "The task names what several files declare: {text}",
            "{at}. Declared more than once: {names}.",
            "Name the file as well: {names}.",
        ),
        "ambiguous.both": (
            "The task leaves something open and names what several files declare: {text}",
            "{at}. Not said: {missing}. Declared more than once: {names}.",
            "Add what is missing ({missing}) and name the files ({names}).",
        ),
        "uncertain": (
            "Statements in {place} that were read with little confidence: {count}",
            "Kind of source: {kind}. For example {first}.",
            "Say what is to be done, beginning with a verb.",
        ),
        "unlinked": (
            "Statements in {place} that are bound to nothing: {count} of {of}",
            "Kind of source: {kind}. No code, no test and no commit but the one that wrote them is related to them; for example {first}.",
            "Cite a number, a ticket or a symbol in those that matter.",
        ),
        "insufficient.both": (
            "The ledger holds no evidence yet",
            "Records that say what is wanted: {declared}; records that show what is there: {observed}. A verdict needs both.",
            "Scan a repository: `t2c scan`.",
        ),
        "insufficient.empty": (
            "The scan found nothing to judge",
            "It found no task list, requirements or documents, which say what is wanted, and no code, commits, tests or settings, which show what is there. Left out: {left}.",
            "Commit code and write a task list, requirements or documents, or scan the folder that holds them: `t2c --root DIR scan`.",
        ),
        "insufficient.declared": (
            "Nothing says what is wanted",
            "Records that say what is wanted: {declared}; records that show what is there: {observed}. A verdict needs both.",
            "Add a task list, requirements or documents, and scan again.",
        ),
        "insufficient.observed": (
            "Nothing shows what is there",
            "Records that say what is wanted: {declared}; records that show what is there: {observed}. A verdict needs both.",
            "Scan a folder that holds the code or its history.",
        ),
        "insufficient.plans": (
            "Nothing that was found shows any of the plans done",
            "Plans: {plans}; records that show what is there: {observed}. None of these is bound to a plan by more than its name.",
            "Cite numbers, tickets or ids of plans in commits and tests, and scan again.",
        ),
        "insufficient.bound": (
            "Nothing says what is wanted in a way that could be checked",
            "Records that say what is wanted: {declared}, none of them a plan or a claim with evidence; records that show what is there: {observed}.",
            "Add a task list, requirements or a changelog, and scan again.",
        ),
        "source.stage": (
            "Stage {stage} failed",
            "When it last ran: {why}.",
            "Remove the cause and scan again; what stood from before was kept.",
        ),
        "source.omitted": (
            "{source} could not be read as a whole",
            "Reason: {reason}, count: {count}. What depends on it is judged by the rest.",
            "See the remedy for `{reason}` in the list of omissions, and scan again.",
        ),
        "model.missing": (
            "A model was asked for and none is configured",
            "Stage {stage} was done without it.",
            "Configure a model, or do not ask for one.",
        ),
        "aligned": (
            "No finding asks for a review",
            "Plans with evidence: {shown} of {plans}; changelog entries with evidence: {borne} of {claims}. That is no proof that the work is done.",
            "Review by your own rules before you call it done.",
        ),
        **{
            f"communication.{code}": (
                f"{title} ({{ticket}})",
                "{detail}",
                "{action} Response is up to: {from} ({role}).",
            )
            for code, title in _TITLES.items()
        },
    }
)
