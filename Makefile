# Every target that needs it does its own set-up: a virtual environment in .venv with the locked versions.
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready

.DEFAULT_GOAL := help
.PHONY: help live demo test chaos fuzz docs results notebooks dist setup lock clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

live: $(READY) ## write a page with a small trained network, to be asked in the browser: seconds
	mkdir -p build
	$(BIN)/pconv report --live -o build/live.html
	@echo "open build/live.html"

demo: $(READY) ## train six models that cover every regime, compare with the paper: some minutes
	$(BIN)/pconv reproduce headline

test: $(READY) ## all checks of a change: style, types, import contract, tests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest -n 2 --dist worksteal

chaos: $(READY) ## kill, stop and cut sweeps 1,000 times and check that nothing is lost: many minutes, Linux
	$(BIN)/python -m tools.chaos

fuzz: $(READY) ## 100,000 command lines and damaged files: no crash, no hang, no lost file; a quarter of an hour
	$(BIN)/python -m tools.fuzz

docs: $(READY) ## build the documentation; a warning is an error
	$(BIN)/python -m sphinx -W --keep-going -q docs build/docs
	@echo "open build/docs/index.html"

results: $(READY) ## make docs/results.md with its pictures and a page from the published runs, without training
	mkdir -p build
	$(BIN)/pconv results --from results -o docs/results.md --images docs/images
	$(BIN)/pconv report --live --from results --document results/board.json -o build/report.html

notebooks: $(READY) ## run every notebook and store its outputs
	$(BIN)/python notebooks/run.py

dist: $(READY) ## build the wheel and the source archive into dist
	$(BIN)/python -m build --no-isolation --outdir dist

setup: $(READY) ## install into .venv and do nothing else

$(READY): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("pconv needs Python 3.11 or newer") if sys.version_info < (3, 11) else None'
	@echo "installing the locked versions into .venv, which takes about two minutes"
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python tools/install.py -r requirements.lock
	$(BIN)/python tools/install.py --no-deps --no-build-isolation -e .
	$(BIN)/python -m pconv.engines.sparse.compilation
	touch $@

lock: $(READY) ## write the versions that are installed now into requirements.lock
	$(BIN)/python -m pip freeze --all --exclude-editable --exclude pip | sed 's/^\(torch==[0-9.]*\)+cpu/\1/' > requirements.lock

clean: ## remove .venv, build and dist
	rm -rf .venv build dist
