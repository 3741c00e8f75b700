# `make up` runs the product, `make test` proves it. Both install what they need into .venv.

PYTHON ?= python3
PORT ?= 8000
CHUNKS ?= 10000 100000
# The folder of this file, which may have blanks in its name and need not be where make was called.
override HERE := $(shell cd "$$(dirname "$(strip $(MAKEFILE_LIST))")" && pwd)
RUN := cd "$(HERE)" &&
BIN := .venv/bin

.PHONY: up test lint types layers pytest coverage bench kill fuzz-api pictures messages install install-dev pins format clean help

help: ## Show this list
	@$(RUN) grep -E '^[a-z-]+:.*##' Makefile | sed -E 's/^([a-z-]+):.*## /\1\t/' | expand -t 14

up: install ## Run everything; Ctrl-C stops it (PORT=8001 for another port)
	@$(RUN) exec $(BIN)/python manage.py up --port $(PORT)

test: install-dev ## Prove it: lint, types, layers and all tests
	@$(RUN) $(MAKE) --no-print-directory lint types layers pytest

lint: install-dev ## Style and formatting
	@$(RUN) $(BIN)/ruff check . && $(BIN)/ruff format --check .

types: install-dev ## mypy, strictly
	@$(RUN) $(BIN)/mypy .

layers: install-dev ## Which module may import which
	@$(RUN) $(BIN)/lint-imports --no-cache

pytest: install-dev ## The tests alone
	@$(RUN) $(BIN)/python -m pytest $(ARGS)

coverage: install-dev ## The tests, and which lines none of them runs (takes longer)
	@$(RUN) $(BIN)/python -m pytest --cov --cov-report=term:skip-covered $(ARGS)

bench: install-dev ## How fast documents are read, indexed and found (CHUNKS="10000 1000000" for other sizes)
	@$(RUN) $(BIN)/python -m tests.bench && $(BIN)/python -m tests.ingestion speed \
	  && $(BIN)/python -m tests.bench_search --chunks $(CHUNKS) \
	  && $(BIN)/python -m tests.bench_versions --chunks 2000 20000 \
	  && $(BIN)/python -m tests.bench_api --chunks 10000

kill: install-dev ## Kill workers fifty times while they ingest, empty Redis five times, and see what is left
	@$(RUN) $(BIN)/python -m tests.ingestion kill

pictures: install-dev ## Take pictures of every page into docs/images/pages/, wide and narrow, light and dark
	@$(RUN) DJANGO_SETTINGS_MODULE=config.settings $(BIN)/python -m tests.screenshots

messages: install-dev ## Gather what pages say for translators: make messages TO=de (needs GNU gettext)
	@$(RUN) $(BIN)/python manage.py makemessages --locale $(TO) --ignore tests --ignore var

fuzz-api: install-dev ## Ask the API everything that its description allows, and much that it does not (about an hour)
	@$(RUN) $(BIN)/python -m tests.fuzzing --examples 100

format: install-dev ## Mend style and formatting
	@$(RUN) $(BIN)/ruff check --fix . ; $(BIN)/ruff format .

install:
	@$(PYTHON) "$(HERE)/requirements/install.py" base

install-dev:
	@$(PYTHON) "$(HERE)/requirements/install.py" dev

pins: install-dev ## Renew requirements/*.txt from requirements/*.in
	@$(RUN) for set in base dev; do \
	  CUSTOM_COMPILE_COMMAND="make pins" $(BIN)/pip-compile --quiet --generate-hashes --strip-extras \
	    --no-emit-index-url --no-emit-find-links --no-emit-trusted-host --allow-unsafe \
	    requirements/$$set.in || exit 1; done

clean: ## Delete the virtualenv and the caches; the data in var/ stays
	@$(RUN) rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .coverage
