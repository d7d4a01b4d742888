# Everything that is done with this project. Needs Python 3.11 or later, a C++20 compiler and make; `make help` lists
# the targets. PYTHON=/path/to/python3 chooses the interpreter of the environment that is made in .venv.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules

VENV := .venv
BIN := $(VENV)/bin
STAMPS := $(VENV)/stamps
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
FUZZ_MINUTES ?= 10
FUZZ_READERS ?= fen moves pdn clocks game json talk
HOST ?= 127.0.0.1
PORT ?= 8000

export PIP_DISABLE_PIP_VERSION_CHECK := 1
export CMAKE_BUILD_PARALLEL_LEVEL ?= $(JOBS)

kernel_sources := CMakeLists.txt $(shell find kernel -type f \( -name '*.hpp' -o -name '*.cpp' \) 2>/dev/null)
cpp_files := $(shell find kernel tests -type f \( -name '*.hpp' -o -name '*.cpp' \) 2>/dev/null)

.DEFAULT_GOAL := help
.PHONY: help play test lint audit format faults fuzz sanitize bench stubs web messages environment clean

help: ## list the targets
	@echo 'make TARGET, where TARGET is one of:'
	@sed -nE 's/^([a-z]+):.*## (.*)/  \1\t\2/p' $(MAKEFILE_LIST) | expand -t 14

# --- The environment ----------------------------------------------------------------------------------------------

$(STAMPS)/venv: tools/make_venv.sh
	@bash tools/make_venv.sh $(VENV) "$(PYTHON)"
	@mkdir -p $(STAMPS) && touch $@

$(STAMPS)/build: pyproject.toml $(STAMPS)/venv
	@echo 'Installing the build tools …'
	@$(BIN)/python -m pip install --quiet --group build $$($(BIN)/python tools/web_bundle.py --requirements)
	@touch $@

$(STAMPS)/dev: pyproject.toml $(STAMPS)/build
	@echo 'Installing what tests and checks need …'
	@$(BIN)/python -m pip install --quiet --group dev
	@touch $@

$(STAMPS)/audit: pyproject.toml $(STAMPS)/build
	@echo 'Installing the auditor …'
	@$(BIN)/python -m pip install --quiet --group audit
	@touch $@

$(STAMPS)/fuzz: pyproject.toml $(STAMPS)/build
	@echo 'Installing the fuzzer …'
	@$(BIN)/python -m pip install --quiet --group fuzz
	@touch $@

# The build tree is kept, so a change in the kernel compiles only what it touches.
$(STAMPS)/install: pyproject.toml $(kernel_sources) $(STAMPS)/build tools/damier_build.py
	@echo 'Building the kernel …'
	@PATH="$(abspath $(BIN)):$$PATH" $(BIN)/python -m pip install --quiet --no-build-isolation \
		--config-settings=build-dir=build/editable --editable '.[cli,client,lab,server]'
	@touch $@

web: | $(STAMPS)/build ## make the web bundle, if its sources have changed
	@$(BIN)/python tools/web_bundle.py

messages: | $(STAMPS)/build ## compile the message catalogues
	@$(BIN)/python tools/catalogues.py compile

environment: $(STAMPS)/install $(STAMPS)/dev web messages ## make or refresh all that development needs

# --- Playing ------------------------------------------------------------------------------------------------------

play: $(STAMPS)/install web messages ## serve the club on this machine, on PORT (8000), and open it in a browser; to others too with HOST=0.0.0.0
	@mkdir -p data
	@$(BIN)/damier serve --open --data data --host $(HOST) --port $(PORT)

# --- Checking -----------------------------------------------------------------------------------------------------

test: environment ## run every test: kernel, library, server, page, browser
	@bash tools/test.sh $(BIN) $(JOBS)

lint: $(STAMPS)/install $(STAMPS)/dev ## run every static check; a warning is an error
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/python tools/kernel_stub.py --check
	$(BIN)/basedpyright --warnings
	$(BIN)/clang-format --dry-run --Werror $(cpp_files)
	@PATH="$(abspath $(BIN)):$$PATH" cmake -S tests/kernel -B build/tests -G Ninja -DCMAKE_BUILD_TYPE=Release >/dev/null
	$(BIN)/python tools/clang_tidy.py --jobs $(JOBS) build/editable build/tests
	$(BIN)/python tools/web_bundle.py npm run lint

audit: $(STAMPS)/install $(STAMPS)/dev $(STAMPS)/audit ## look up what is installed for known vulnerabilities; says so where they cannot be looked up
	@$(BIN)/python tools/audit.py

format: $(STAMPS)/dev ## rewrite the sources as `make lint` wants them
	$(BIN)/ruff format
	$(BIN)/ruff check --fix
	$(BIN)/clang-format -i $(cpp_files)
	$(BIN)/python tools/web_bundle.py npm run format

faults: environment ## take the server, a worker, Redis and the database away from 200 running games; FAULT_SEED does it once more
	DAMIER_FAULT_SEED=$(FAULT_SEED) $(BIN)/python -m pytest -m long -n 0 -s tests/server/test_faults.py

fuzz: FUZZ_SEED := $(or $(FUZZ_SEED),$(shell od -An -N4 -tu4 /dev/urandom | tr -d ' '))
fuzz: environment $(STAMPS)/fuzz sanitize ## compare the kernel with the second generator, then fuzz each reader: FUZZ_MINUTES (10) each
	@echo 'Once more the same: make fuzz FUZZ_SEED=$(FUZZ_SEED)'
	build/sanitize/branching $$(($(FUZZ_MINUTES) * 12)) $(FUZZ_SEED)
	DAMIER_FUZZ_SEED=$(FUZZ_SEED) DAMIER_FUZZ_MINUTES=$(FUZZ_MINUTES) $(BIN)/python -m pytest -m long -n $(JOBS) tests/kernel
	for reader in $(FUZZ_READERS); do $(BIN)/python -m tests.fuzz $$reader $(FUZZ_MINUTES); done

sanitize: $(STAMPS)/build ## run the kernel's own tests under the address and undefined-behaviour sanitizers
	@bash tools/kernel_tests.sh $(BIN) build/sanitize -DDAMIER_SANITIZE=ON -DCMAKE_BUILD_TYPE=RelWithDebInfo

# Measured is the wheel that people install, not the tree that is worked on.
bench: web messages | $(STAMPS)/build ## measure against named peers, in one run
	@[ -x build/bench/bin/python ] || $(BIN)/python -m venv build/bench
	@build/bench/bin/python -m pip install --quiet --upgrade 'pip>=25.1'
	build/bench/bin/python -m pip install --quiet --force-reinstall --no-deps .
	build/bench/bin/python -m pip install --quiet '.[server]' --group bench
	@# Both peers of the reading benchmark call their package "draughts": this one keeps to a folder of its own.
	build/bench/bin/python -m pip install --quiet --upgrade --no-deps --target build/bench/pydraughts 'pydraughts>=0.6.7,<0.7'
	@for each in $(filter-out %/compare.py %/bare.py %/peers.py,$(wildcard benchmarks/*.py benchmarks/server/*.py)); do \
		echo "── $$each"; (cd benchmarks && PYTHONPATH=. ../build/bench/bin/python "$${each#benchmarks/}"); done

stubs: $(STAMPS)/install $(STAMPS)/dev ## write src/damier/_kernel.pyi anew from the compiled kernel
	$(BIN)/python tools/kernel_stub.py

clean: ## remove everything that make has made, except the data folder
	rm -rf $(VENV) build dist node_modules .cache .pytest_cache .ruff_cache .hypothesis src/damier/server/static
	find src tests tools benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +
	find src/damier/locales -name '*.mo' -delete
