# Two commands on a fresh machine: `make demo` and `make test`. Both set up what they need, once, and then need no network.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

# The first Python that is new enough and can make an environment.
PYTHON ?= $(shell for name in python3.13 python3.12 python3.11 python3; do \
	"$$name" -c 'import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo "$$name" && break; done)
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
NPM := $(shell command -v npm)
# pyright is pinned by the environment; its notice about newer versions is noise.
export PYRIGHT_PYTHON_IGNORE_WARNINGS := 1

.PHONY: help demo test gen check bench crash soak clean dist toolchains

help: ## Show the targets
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | while IFS=$$'\t' read -r name text; do printf '  make %-8s %s\n' "$$name" "$$text"; done

demo: .venv/demo.stamp ## Generate bindings, talk to the server, approve a tool, judge the server
	@$(BIN)/python examples/demo.py

test: .venv/dev.stamp typescript/node_modules/.stamp toolchains ## Run every test, the linters and type checkers too
	@$(BIN)/python -m pytest -n 2

gen: .venv/dev.stamp ## Write everything that is generated from protocol/schema
	@$(BIN)/python -m turnwire_codegen.canonical

check: .venv/dev.stamp ## Generated files up to date, linters, types: the quick part of `make test`
	@$(BIN)/python -m turnwire_codegen.canonical --check
	@$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy && $(BIN)/lint-imports

bench: .venv/dev.stamp ## Measure, and print the table of the README
	@$(BIN)/python tests/bench/run.py

crash: .venv/dev.stamp ## Kill servers 200 times on each store, flip 500 bytes of a record, tell 50,000 lies
	@$(BIN)/python -m pytest -n 2 tests/store tests/fuzz --crashes 200 --flips 500 --lies 50000

soak: .venv/dev.stamp ## Overload a server for MINUTES=10
	@$(BIN)/python tests/soak/run.py --minutes $(or $(MINUTES),10)

dist: .venv/dev.stamp ## Build the wheel and the source archive into dist/
	@$(BIN)/python -m build --no-isolation

clean: ## Remove what the targets made
	rm -rf .venv dist build typescript/node_modules typescript/dist typescript/build .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# An environment is made once, and again when pyproject.toml changes. A stamp that is fresh calls no pip.
.venv/bin/python:
	@test -n "$(PYTHON)" || { echo "make: no Python 3.11 or newer with the module venv found; install one, or say make PYTHON=/path/to/python3" >&2; exit 2; }
	@echo "setting up .venv with $(PYTHON)"
	@$(PYTHON) -m venv .venv

.venv/demo.stamp: pyproject.toml | .venv/bin/python
	@$(PIP) install -U pip
	@$(PIP) install -e '.[codegen,conformance]'
	@touch $@

.venv/dev.stamp: pyproject.toml | .venv/bin/python
	@$(PIP) install -U pip
	@$(PIP) install --group dev -e '.[codegen,conformance,websocket]'
	@$(BIN)/pyright --version # fetches its JavaScript, so that tests need no network
	@touch .venv/demo.stamp $@

typescript/node_modules/.stamp: typescript/package-lock.json
ifneq ($(NPM),)
	@cd typescript && npm ci --no-audit --no-fund
	@touch $@
endif

# What the tests can use and the machine does not have is named before the long wait; with CI set it is made, or that fails.
SWIFT_MADE := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/turnwire/toolchains/swift/ready
toolchains:
	@missing=0; \
	absent() { echo "toolchain not found: $$1" >&2; missing=1; }; \
	command -v node >/dev/null || absent "node, for the TypeScript bindings"; \
	{ command -v java && command -v mvn; } >/dev/null && sh tests/toolchains/kotlin.sh \
		|| absent "a JDK of 17 or newer and Maven, for the Kotlin bindings"; \
	[ -z "$${CI:-}" ] || command -v swift >/dev/null || sh tests/toolchains/swift.sh || true; \
	command -v swift >/dev/null || [ -e "$(SWIFT_MADE)" ] || absent "swift, for the Swift bindings; tests/toolchains/swift.sh makes one"; \
	[ -z "$${CI:-}" ] || sh tests/toolchains/chromium.sh || true; \
	command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null \
		|| absent "a browser, for the TypeScript client in a page; tests/toolchains/chromium.sh installs one"; \
	python3.13 -c '' 2>/dev/null || python3.12 -c '' 2>/dev/null || command -v debootstrap >/dev/null \
		|| absent "python 3.12 or 3.13, or debootstrap, for the judgement of vv-agent"; \
	[ $$missing = 0 ] || [ -z "$${CI:-}" ] || { echo "make: with CI set a missing toolchain fails" >&2; exit 1; }
