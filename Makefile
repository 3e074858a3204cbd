# Needs python3 with venv and make, nothing else: ROS 2 comes as wheels into .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUNTIME := $(VENV)/.runtime
TOOLS := $(VENV)/.tools
PACKAGE := $(VENV)/.package
PARALLEL := -n 3 --dist loadgroup
INSTALL := $(BIN)/pip install --quiet --constraint requirements/constraints.txt
PYTEST := OPENBLAS_NUM_THREADS=1 $(BIN)/pytest -q $(PARALLEL)
FAULTS := OPENBLAS_NUM_THREADS=1 $(BIN)/spacerobot-id inject-faults test/reference
SOURCES := setup.py package.xml $(shell find spacerobot_id config launch resource -type f -not -name '*.py[co]')

.DEFAULT_GOAL := help
.PHONY: help demo test test-quick coverage lint docs bench fuzz safety soak kill soak-stream faults clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12

demo: $(PACKAGE) ## identify the dual-arm robot live, over ROS 2
	$(BIN)/spacerobot-id demo

test: lint $(PACKAGE) ## check the style, then run every test on the installed package
	$(PYTEST)

test-quick: lint $(PACKAGE) ## run the tests that need no nodes and take no longer than some seconds
	$(PYTEST) -m 'not ros and not slow'

lint: $(TOOLS) ## check the style
	$(BIN)/ruff check
	$(BIN)/ruff format --check

docs: $(TOOLS) $(PACKAGE) ## build the site of the docs into build/docs, warnings are errors
	$(BIN)/sphinx-build -q -W --keep-going -b html docs build/docs
	@echo 'build/docs/index.html'

bench: $(TOOLS) $(PACKAGE) ## run the benchmarks
	set -e; for script in benchmarks/[a-z]*.py; do OPENBLAS_NUM_THREADS=1 $(BIN)/python $$script; done

coverage: $(TOOLS) $(PACKAGE) ## say which lines and branches of the core the tests without nodes run
	$(BIN)/coverage erase
	OPENBLAS_NUM_THREADS=1 $(BIN)/coverage run -m pytest -q $(PARALLEL) -m 'not ros'
	$(BIN)/coverage combine -q
	$(BIN)/python test/support/core_coverage.py

soak: $(TOOLS) $(PACKAGE) ## run the three nodes for an hour: motions, grasps, resets, faults, restarts
	OPENBLAS_NUM_THREADS=1 $(BIN)/python test/support/endurance/soak.py

soak-stream: $(TOOLS) $(PACKAGE) ## run the estimator alone on 24 hours of data at 1 kHz
	OPENBLAS_NUM_THREADS=1 $(BIN)/python test/support/endurance/stream.py

kill: $(TOOLS) $(PACKAGE) ## kill nodes 51 times in the middle of missions
	OPENBLAS_NUM_THREADS=1 $(BIN)/python test/support/endurance/kill.py

fuzz: $(TOOLS) $(PACKAGE) ## read 100000 hostile files and command lines
	OPENBLAS_NUM_THREADS=1 $(BIN)/python test/support/fuzzing/runner.py --cases 100000

safety: $(TOOLS) $(PACKAGE) ## have the planner command 5000 random robots in random trouble
	OPENBLAS_NUM_THREADS=1 $(BIN)/python test/support/planner_safety.py --cases 5000

faults: $(PACKAGE) ## replay four logs with every fault: no estimate is harmed and called valid
	$(FAULTS)/dual_arm --out build/faults/dual_arm --robot config/robots/naveen_dual_arm_prior.urdf
	$(FAULTS)/air_bearing --out build/faults/air_bearing --robot config/robots/air_bearing_prior.urdf --config test/reference/air_bearing.yaml
	$(FAULTS)/space_cobot --out build/faults/space_cobot --robot config/robots/space_cobot.urdf --method free_flyer
	$(FAULTS)/turning_arm --out build/faults/turning_arm --robot config/robots/christidi_spatial_arm_prior.urdf --config config/angular_momentum.yaml

clean: ## remove .venv and everything generated
	rm -rf $(VENV) build dist install log out *.egg-info .hypothesis .pytest_cache .ruff_cache
	find . -name __pycache__ -prune -exec rm -r {} +

$(RUNTIME): requirements/constraints.txt requirements/runtime.txt requirements/ros-jazzy.txt
	@echo 'Installing ROS 2 and libraries into $(VENV), a minute or so ...'
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) --requirement requirements/runtime.txt --requirement requirements/ros-jazzy.txt
	touch $@

$(TOOLS): $(RUNTIME) requirements/test.txt requirements/docs.txt
	@echo 'Installing the tools of tests and docs, a minute or so ...'
	$(INSTALL) --requirement requirements/test.txt --requirement requirements/docs.txt
	touch $@

# Built anew from the sources alone: what an earlier build left would be in the wheel, too.
# Installed files keep the times of their sources, and what is compiled of them stays valid.
$(PACKAGE): $(RUNTIME) $(SOURCES)
	rm -rf build/lib build/wheel
	$(BIN)/pip wheel --quiet --no-deps --wheel-dir build/wheel .
	$(BIN)/pip install --quiet --no-deps --no-compile --force-reinstall build/wheel/*.whl
	find spacerobot_id -name '*.py' -exec touch -c -r {} $$(echo $(VENV)/lib/python3*)/site-packages/{} \;
	touch $@
