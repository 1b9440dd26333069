# Everything runs in .venv, installed from the hashed locks; nothing else of the machine is changed.
# (The browser tests need Chromium, which `make test` installs when it may.)

PYTHON ?= python3
# One more than two cores, because one waits most of its time (`tests/faults`). With more, servers and browsers that
# several of them start at once get too slow.
JOBS ?= 3
VENV := .venv
BIN := $(VENV)/bin
# The first test of a process also makes its database.
SECONDS_PER_TEST ?= 120
# Each in an environment of its own: together they resolve to versions of last year. Only the client's adapters need them.
FRAMEWORKS := anthropic crewai google-adk inspect-ai langchain openai openai-agents pydantic-ai-slim openapi-python-client
# The generator calls the compiler as a library, which its seventh version is none of any more.
NODE_FRAMEWORKS := ai zod typescript@5 openapi-typescript
# Also where the environment says otherwise: uncompiled, every server and worker the tests start compiles all it imports.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: paper screenshots help demo test test-engine test-stack test-frameworks test-faults lint format bench chromium clean

help: ## Show what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(VENV)/runtime.stamp ## Run the whole product on this machine until Ctrl-C (OPTIONS="--port 8080 --no-agents")
	@exec $(BIN)/python -m guardapp.demo $(OPTIONS)

test: $(VENV)/dev.stamp chromium ## Run every test (TESTS=tests/api narrows it down)
	$(BIN)/pytest -n $(JOBS) --dist loadfile --no-loadscope-reorder --timeout $(SECONDS_PER_TEST) $(TESTS)

# What reads and computes, without database, broker or browser.
ENGINE := tests/provenance tests/evaluation tests/structure

test-engine: $(VENV)/dev.stamp ## Run the tests of the engine and of its evaluation
	$(BIN)/pytest -n $(JOBS) --timeout $(SECONDS_PER_TEST) $(ENGINE)

test-stack: $(VENV)/dev.stamp chromium ## Run the tests with servers, workers and a browser
	$(BIN)/pytest -n $(JOBS) --dist loadfile --no-loadscope-reorder --timeout $(SECONDS_PER_TEST) \
		tests $(addprefix --ignore=,$(ENGINE))

test-frameworks: $(VENV)/dev.stamp ## Try the client's adapters with the real frameworks, each in an environment of its own
	for name in $(FRAMEWORKS); do \
		$(BIN)/uv venv --quiet --clear .run/frameworks/$$name && \
		$(BIN)/uv pip install --quiet --python .run/frameworks/$$name $$name httpx || exit 1; \
	done
	npm install --silent --no-save --no-package-lock --no-audit --no-fund --prefix .run/node-frameworks $(NODE_FRAMEWORKS)
	FRAMEWORKS=$(CURDIR)/.run/frameworks FRAMEWORKS_NODE=$(CURDIR)/.run/node-frameworks \
		$(BIN)/pytest -n 0 tests/agents/adapters

test-faults: export KILLS ?= 200
test-faults: export RATE ?= 1000
test-faults: export MINUTES ?= 10
test-faults: $(VENV)/dev.stamp ## A day of outages, a restored backup, every process killed under load (KILLS=200 times; an hour)
	$(BIN)/pytest -p no:randomly -s -m faults $(or $(TESTS),tests/faults)

lint: export DJANGO_SETTINGS_MODULE := tests.offline
lint: $(VENV)/dev.stamp ## Check style, types, layers, templates and migrations
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/djlint templates --check --quiet
	$(BIN)/djlint templates --lint --quiet
	$(BIN)/python manage.py makemigrations --check --dry-run
	HTTPS=true $(BIN)/python manage.py check --deploy --fail-level WARNING

format: $(VENV)/dev.stamp ## Write code and templates in the agreed style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/djlint templates --reformat --quiet

bench: $(VENV)/dev.stamp ## Measure the targets; the figures are ratios within one run
	$(BIN)/pytest -m bench -p no:randomly --timeout 600 -s $(or $(TESTS),tests)

paper: $(VENV)/dev.stamp ## Judge fixed samples of the datasets below DATA with every detector; tables and curves in .run/paper
	$(BIN)/python manage.py paper $(or $(DATA),$(error DATA names the folder of the datasets)) .run/paper $(OPTIONS)

screenshots: $(VENV)/dev.stamp chromium ## Draw every page in both themes and widths into build/screenshots
	$(BIN)/pytest -q -p no:randomly --timeout 600 tests/browser/screenshots.py

clean: ## Remove the environment and the caches; the demonstration's data stays
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

chromium:
	@test -n "$(CHROMIUM)" || .ci/install-chromium

$(VENV)/runtime.stamp: requirements.lock | $(BIN)/uv
	$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r $<
	@touch $@

$(VENV)/dev.stamp: requirements-dev.lock | $(BIN)/uv
	$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r $<
	@touch $@

$(BIN)/uv:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check 'uv>=0.8,<1'
