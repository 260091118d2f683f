# `make demo` and `make test` do all their set-up: a virtual environment in .venv with the locked versions.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

.PHONY: demo test results setup lock clean

demo: $(READY)
	$(BIN)/pconv reproduce headline

test: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest -n 2

# What the published runs say, as docs/results.md and as a page; nothing is trained.
results: $(READY)
	mkdir -p build
	$(BIN)/pconv results --from results -o docs/results.md
	$(BIN)/pconv report --from results -o build/report.html

setup: $(READY)

$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("pconv needs Python 3.11 or newer") if sys.version_info < (3, 11) else None'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	touch $@

# The versions that are installed now become the locked ones.
lock: $(READY)
	$(BIN)/python -m pip freeze --all --exclude-editable --exclude pip | sed 's/^\(torch==[0-9.]*\)+cpu/\1/' > requirements.lock

clean:
	rm -rf .venv
