# Needs python3 with venv and make, nothing else: ROS 2 comes as wheels into .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
PARALLEL := -n 2 --dist loadgroup
REQUIREMENTS := $(wildcard requirements/*.txt)

.DEFAULT_GOAL := help
.PHONY: help demo test test-quick coverage lint docs bench fuzz safety soak kill soak-stream clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12

demo: $(INSTALLED) ## identify the dual-arm robot live, over ROS 2
	$(BIN)/spacerobot-id demo

test: lint ## check the style, then run every test
	OPENBLAS_NUM_THREADS=1 $(BIN)/pytest -q $(PARALLEL)

test-quick: lint ## run the tests that need no nodes and take no longer than some seconds
	OPENBLAS_NUM_THREADS=1 $(BIN)/pytest -q $(PARALLEL) -m 'not ros and not slow'

lint: $(INSTALLED) ## check the style
	$(BIN)/ruff check
	$(BIN)/ruff format --check

docs: $(INSTALLED) ## build the site of the docs into build/docs, warnings are errors
	$(BIN)/sphinx-build -q -W --keep-going -b html docs build/docs
	@echo 'build/docs/index.html'

bench: $(INSTALLED) ## run the benchmarks
	set -e; for script in benchmarks/[a-z]*.py; do OPENBLAS_NUM_THREADS=1 $(BIN)/python $$script; done

coverage: $(INSTALLED) ## say which lines and branches of the core the tests without nodes run
	$(BIN)/coverage erase
	OPENBLAS_NUM_THREADS=1 $(BIN)/coverage run -m pytest -q $(PARALLEL) -m 'not ros'
	$(BIN)/coverage combine -q
	$(BIN)/python test/support/core_coverage.py

soak: $(INSTALLED) ## run the three nodes for an hour: motions, grasps, resets, faults, restarts
	OPENBLAS_NUM_THREADS=1 $(BIN)/python test/support/endurance/soak.py

soak-stream: $(INSTALLED) ## run the estimator alone on 24 hours of data at 1 kHz
	OPENBLAS_NUM_THREADS=1 $(BIN)/python test/support/endurance/stream.py

kill: $(INSTALLED) ## kill nodes 51 times in the middle of missions
	OPENBLAS_NUM_THREADS=1 $(BIN)/python test/support/endurance/kill.py

fuzz: $(INSTALLED) ## read 100000 hostile files and command lines
	OPENBLAS_NUM_THREADS=1 $(BIN)/python test/support/fuzzing/runner.py --cases 100000

safety: $(INSTALLED) ## have the planner command 5000 random robots in random trouble
	OPENBLAS_NUM_THREADS=1 $(BIN)/python test/support/planner_safety.py --cases 5000

clean: ## remove .venv and everything generated
	rm -rf $(VENV) build dist install log out *.egg-info .hypothesis .pytest_cache .ruff_cache
	find . -name __pycache__ -prune -exec rm -r {} +

$(INSTALLED): setup.py setup.cfg $(REQUIREMENTS)
	@echo 'Installing into $(VENV), a minute or so ...'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --constraint requirements/constraints.txt --editable . \
		$(foreach list,$(filter-out %/constraints.txt,$(REQUIREMENTS)),--requirement $(list))
	touch $@
