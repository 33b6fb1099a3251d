"""Makes a small repository that holds one of everything that a scan reads.

python docs/examples/evidence.py FOLDER

The table of kinds in docs/sources.md is what t2c finds in it, and a test holds the table to the code.
"""

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

__all__ = ["FILES", "GIVEN", "make"]

GIVEN: Final = {
    "ticket.md": "# Lock the account\n\nLock the account after five failed logins.\n",
}
"""What nobody looks for: a caller names it."""
FILES: Final = {
    "TODO.md": "# Plans\n\n- [ ] Add retry to the exporter\n- [x] Write the manual\n- [/] Move to `src/login.py`\n"
    "- [-] Drop the old format\n\n| Task | Title | Status |\n|---|---|---|\n| T001 | Rotate the key | blocked |\n| T002 | Send a mail | idea |\n",
    "CHANGELOG.md": "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- Export as CSV\n\n## [1.0.0] - 2026-01-05\n\n### Fixed\n\n"
    "- Lock the account after five failed logins\n\n## Roadmap\n\n- Import from CSV\n",
    "newsfragments/12.feature.md": "Export as CSV.\n",
    "README.md": "# Shop\n\nThe lock is in `src/login.py`.\n\n```sh\nmake test\n```\n\n## Roadmap\n\n- Support passkeys\n",
    "docs/adr/0001-lock.md": "# 1. Lock accounts\n\n## Status\n\nAccepted\n\n## Context\n\nPasswords are guessed.\n\n"
    "## Decision\n\nWe lock an account after five failed logins.\n",
    "docs/adr/0002-captcha.md": "# 2. Show a captcha\n\n## Status\n\nProposed\n\n## Context\n\nBots log in.\n\n"
    "## Decision\n\nWe show a captcha after two failed logins.\n",
    "docs/adr/0003-mail.md": "# 3. Send a mail\n\n## Status\n\nSuperseded by 0001\n\n## Context\n\nPasswords are guessed.\n\n"
    "## Decision\n\nWe send a mail after five failed logins.\n",
    "docs/adr/0004-log.md": "# 4. Log failures\n\n## Status\n\nImplemented\n\n## Context\n\nNobody sees attacks.\n\n"
    "## Decision\n\nWe log each failed login.\n",
    "docs/specs/login.md": "# Login\n\n- **FR-001**: The system MUST lock the account.\n"
    "- [x] **FR-002**: The system MUST log each failed login.\n",
    "openspec/specs/login/spec.md": "# Login\n\n## Requirements\n\n### Requirement: Lock the account\n\n"
    "The system SHALL lock the account.\n\n#### Scenario: Five failures\n\n- **WHEN** five logins fail\n"
    "- **THEN** the account is locked\n",
    "openspec/changes/mail/specs/login/spec.md": "# Login\n\n## ADDED Requirements\n\n### Requirement: Send a mail\n\n"
    "The system SHALL send a mail.\n",
    "examples/specs/door.md": "# Door\n\n- **FR-001**: The door MUST lock.\n",
    "reqs/LOCK001.yml": "active: true\nderived: false\nheader: Lock\nlevel: 1.0\nlinks: []\nnormative: true\nref: ''\n"
    "reviewed: null\ntext: |\n  The system shall lock the account.\nreferences:\n- path: src/login.py\n  type: file\n",
    "reqs/.doorstop.yml": "settings:\n  digits: 3\n  prefix: LOCK\n  sep: ''\n",
    "src/login.py": '"""Logins."""\n\nimport time\n\n\ndef lock(account):\n    # [impl->req~login-lock~1]\n'
    "    # TODO(ada): wake up again\n    time.sleep(1)\n",
    "src/mail.py": 'SENDER = "shop"\n',
    "pyproject.toml": '[project]\nname = "shop"\ndependencies = ["rich>=13"]\n\n[tool.shop]\nretries = 3\n',
    "build/junit.xml": '<testsuite name="shop" tests="3" failures="1" skipped="1"><testcase classname="tests.test_login" name="test_lock"/>'
    '<testcase classname="tests.test_login" name="test_mail"><skipped/></testcase>'
    '<testcase classname="tests.test_login" name="test_wait"><failure message="too long"/></testcase></testsuite>\n',
    "build/lcov.info": "SF:src/login.py\nDA:6,1\nDA:9,0\nend_of_record\nSF:src/mail.py\nDA:1,0\nend_of_record\n",
    "build/lint.sarif": '{"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "lint"}}, "results": [{"ruleId": "E1",'
    ' "message": {"text": "unused import"}, "locations": [{"physicalLocation": {"artifactLocation": {"uri":'
    ' "src/login.py"}, "region": {"startLine": 3}}}]}]}]}\n',
    "night.autonom-cycle.json": '{"schema": "subactor.autonom-cycle/v1", "observed_at": "2026-01-05T10:00:00Z", "host": "shop-1",'
    ' "results": [{"id": "login", "ok": true}, {"id": "queue", "ok": false, "violations": [{"fact": "length",'
    ' "expected": 10, "actual": 12}]}, {"id": "disk", "error": "no answer"}], "drift": [{"probe": "login", "fact":'
    ' "version", "was": "1.0", "now": "1.1"}], "proposals": [{"kind": "expectation_violated", "probe": "queue",'
    ' "suggestion": "drain the queue"}]}\n',
    "project/ticket-004/user-ada.md": "# Ada\n\n## Request\n\nLock the account.\n\n## Decision\n\nFive failures are enough.\n",
    "project/ticket-004/ai-codex.md": "# Codex\n\n## Plan\n\nCount the failed logins.\n\n## Actual changes\n\n"
    "The account is locked now.\n\n## Approval\n\nThe plan was approved.\n",
    "project/ticket-004/agent.codex.result.001.md": "All tests pass.\n",
    "project/ticket-004/human.ada.message.001.md": "Thank you for the lock.\n",
    "project/ticket-004/agent.codex.message.002.md": "The lock is in the login.\n",
}
_FIRST: Final = "2026-01-05T10:00:00+00:00"


def make(folder: Path) -> None:
    """Write the files and one commit of them, always the same."""
    for name, text in (
        FILES | GIVEN | {".mailmap": "Ada Lovelace <ada@example.org> ada <ada@example.org>\n"}
    ).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    environ = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    for who in ("AUTHOR", "COMMITTER"):
        environ |= {
            f"GIT_{who}_NAME": "ada",
            f"GIT_{who}_EMAIL": "ada@example.org",
            f"GIT_{who}_DATE": _FIRST,
        }
    environ |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    for command in (
        ("init", "-q", "-b", "main"),
        ("add", "--all"),
        ("commit", "-q", "-m", "feat: lock the account (#12)"),
        ("tag", "v1.0.0"),
        ("tag", "nightly"),
    ):
        subprocess.run(("git", "-C", str(folder), *command), env=environ, check=True)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    make(Path(sys.argv[1]))
