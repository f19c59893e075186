# The two commands of the README: each makes what it needs and works in a fresh clone.
PYTHON ?= python3
VENV ?= .venv
JOBS ?= 3
COMMA := ,
EXTRAS ?= convert,dev,postgres,s3,server,watch
DEV := $(VENV)/.installed-$(subst $(COMMA),-,$(EXTRAS))  # others are installed where others are asked for
BIN := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)

.PHONY: demo test lint install clean

demo: $(VENV)/.installed  ## install, index the examples, ask three multi-hop questions
	$(BIN)/polyhop models install
	$(BIN)/polyhop index examples/corpus --index demo.index
	@while IFS= read -r question; do \
	  printf '\n\033[1m$$ polyhop ask "%s"\033[0m\n\n' "$$question"; \
	  $(BIN)/polyhop ask "$$question" --index demo.index || exit $$?; \
	done < examples/demo_questions.txt

test: $(DEV)  ## everything that CI checks
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
# While mypy keeps one core busy, the tests are compiled: workers that find none compiled each do it.
	$(BIN)/python -m pytest --collect-only -q >/dev/null 2>&1 & $(BIN)/mypy
	$(BIN)/polyhop models install smollm2 minilm spacy-md
	$(BIN)/python -m pytest -rfEs --numprocesses $(JOBS) --dist loadfile --no-loadscope-reorder

install: $(VENV)/.installed  ## the package and its weights, from this clone

$(VENV)/.installed: pyproject.toml weights/pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[convert]' --editable ./weights
	touch $@

$(DEV): $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[$(EXTRAS)]'
	touch $@

clean:
	rm -rf $(VENV) demo.index .mypy_cache .ruff_cache .pytest_cache .hypothesis
