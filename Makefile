.PHONY: setup demo test test-slow check bench clean
.DEFAULT_GOAL := demo
BIN := .venv/bin
export HF_HUB_OFFLINE ?= 1

setup:  ## .venv with everything, and a Chromium; ends at once when nothing changed
	@scripts/setup.sh

demo: setup  ## the errands of the local web in three history schemes, no model, no key
	@$(BIN)/habitus run persona2web --agent prg-reflex --history none,on_demand,pre_execution --level 2 --out runs/demo

test: setup  ## the tests, without the slow ones
	@$(BIN)/python -m pytest -q -m "not slow"

test-slow: setup  ## the slow tests: a small local model, whole suites
	@$(BIN)/python -m pytest -q -m slow

check: setup  ## ruff, and mypy --strict on the installed package: type checkers cannot follow the editable import hook
	@$(BIN)/ruff check .
	@rm -rf build .build/typed && mkdir -p .build
	@$(BIN)/python -m pip install --quiet --no-deps --target .build/typed . 2>/dev/null
	@cd .build/typed && ../../$(BIN)/python -m mypy --config-file ../../pyproject.toml --python-executable ../../$(BIN)/python -p habitus

bench: setup  ## speed as ratios against a floor in the same run; the reflex agent on held-out wording
	@for script in benchmarks/*.py; do echo "== $$script"; $(BIN)/python $$script || exit 1; done

clean:  ## everything that was made
	rm -rf .venv .build build dist runs *.egg-info src/*.egg-info
