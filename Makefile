# Two targets set everything up on a machine with Python >= 3.11, Git and make: `make demo` and `make test`.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed

.PHONY: demo test lint check bench bench-million torture quality clean

demo: $(STAMP)
	@$(BIN)/python docs/examples/demo.py

test: $(STAMP)
	$(BIN)/python -m pytest -q -n auto --dist worksteal

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pyright --pythonpath $(BIN)/python
	$(BIN)/lint-imports
	$(BIN)/t2c schemas check

check: lint test

PEERS := $(BIN)/python -c 'import eventsourcing, auditchain' 2>/dev/null || \
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --group bench

bench: $(STAMP)
	@$(PEERS)
	$(BIN)/python tests/bench/run.py --write docs/benchmarks.md

bench-million: $(STAMP)
	$(BIN)/python tests/bench/run.py --million --write docs/benchmarks.md

# Faults in system calls, kills, power failures and mutations; needs strace. More seconds, more of them.
TORTURE_SECONDS ?= 540

torture: $(STAMP)
	$(BIN)/python tests/torture/run.py --seconds $(TORTURE_SECONDS)
	$(BIN)/python tests/torture/applies.py --seconds $(TORTURE_SECONDS)

# How right relations and findings are, on public repositories: MIRRORS is a folder of bare clones, OWNER+NAME/repo.
MIRRORS ?=

quality: $(STAMP)
	@test -z "$(MIRRORS)" || $(BIN)/python -c 'import numpy, scipy' 2>/dev/null || \
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --group quality
	$(BIN)/python tests/quality/run.py "$(MIRRORS)"

$(STAMP): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "t2c needs Python 3.11 or newer; this is " + sys.version.split()[0] + ". Try: make PYTHON=python3.12 demo")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable . --group dev
	@touch $@

clean:
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .bench
