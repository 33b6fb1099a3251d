"""What `make demo` does: scan this repository into a fresh ledger, verify it, project it, show what came out.

Works on a clone in `.demo/`, so that no ledger of yours is touched. Stops at the first command that fails.
"""

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DEMO = ROOT / ".demo"


def say(*command: str) -> None:
    """Run a t2c command in the clone, showing it as one would type it."""
    print(f"\n$ t2c {' '.join(command)}", flush=True)
    done = subprocess.run([sys.executable, "-m", "t2c.cli", *command], cwd=DEMO, check=False)
    if done.returncode:
        sys.exit(done.returncode)


def main() -> None:
    shutil.rmtree(DEMO, ignore_errors=True)
    if (ROOT / ".git").exists():
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(DEMO)], check=True)
    else:
        shutil.copytree(ROOT, DEMO, symlinks=True, ignore=shutil.ignore_patterns(".demo", ".venv", ".t2c"))
    say("scan")
    say("ledger", "append", "--actor", "human:demo", "--statement", "I ran the demo.")
    say("scan")
    say("ledger", "verify", "--level", "domain")
    say("ledger", "project")
    print("\n$ cat .t2c/projections/summary/summary.md\n", flush=True)
    print((DEMO / ".t2c" / "projections" / "summary" / "summary.md").read_text(encoding="utf-8"))
    print(f"The ledger is {DEMO / '.t2c' / 'journal.ndjson'}: one event a line, nothing hidden.")


if __name__ == "__main__":
    main()
