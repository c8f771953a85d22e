# Everything a fresh machine needs is python3 and make; the environment is .venv.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

.PHONY: demo test check format bench docs clean

$(READY): pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@echo "setting up .venv …"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip >/dev/null 2>&1 || true
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

demo: $(READY)  ## a two-minute story in the terminal
	@$(BIN)/python -m recollect.serve.cli.demo

check: $(READY)  ## lint, format and types
	$(BIN)/ruff check src tests bench
	$(BIN)/ruff format --check src tests bench
	$(BIN)/mypy

test: check  ## everything that must hold
	$(BIN)/python -m pytest -n 2

format: $(READY)  ## put the code in shape
	$(BIN)/ruff format src tests bench
	$(BIN)/ruff check --fix src tests bench

bench: $(READY)  ## quality and speed on this machine; RECOLLECT_BENCH_DATA names the evaluation sets
	$(BIN)/python -m bench

docs: $(READY)  ## regenerate the reference pages
	$(BIN)/python -m docs.generate

clean:  ## remove the environment and caches
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis
