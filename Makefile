# make demo     train a prover from nothing: known proofs, then a round of expert iteration (half an hour to an hour on 2 cores)
# make test     the tests
# Both set up ./.venv first, from nothing but Python 3.11 or newer.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
DEMO := demo

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-checker test-cluster test-cluster-long test-cluster-sglang test-corpus test-kill test-long test-outage test-pantograph test-sglang test-workflows soak pantograph-equal own-data streaming lint results lock images manifests

help:
	@sed -n 's/^# //p' Makefile | head -3
	@echo "also: make setup | lint | test-checker | test-cluster | test-cluster-long | test-cluster-sglang | test-corpus | test-kill | test-long | test-outage | test-pantograph | test-sglang | test-workflows | soak | pantograph-equal | own-data | streaming | results | images | manifests | lock"

setup: $(READY)

$(READY): requirements.lock pyproject.toml setup.py
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("burnqed needs Python 3.11 or newer; set PYTHON=/path/to/python3.11")'
	@echo "== Setting up ./$(VENV) (about 6 GB with the CUDA build of torch; README tells how to get the CPU-only one)"
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check 'uv>=0.9'
	$(BIN)/uv pip install --quiet --compile-bytecode --python $(BIN)/python --require-hashes -r requirements.lock
	$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps -e .
	@$(BIN)/burnqed lean install
	@touch $@

demo: $(READY)
	@echo "== Iterations 0 and 1 of the demo profile; everything goes to ./$(DEMO)"
	$(BIN)/burnqed run iteration --iter 0 --profile demo --store $(DEMO)
	$(BIN)/burnqed run iteration --iter 1 --profile demo --store $(DEMO)

PYTEST := $(BIN)/python -m pytest -n 2 --dist loadgroup --no-loadscope-reorder
test: $(READY)
	$(PYTEST) -m "not long"

# What `make test` leaves out because it takes long, or does the same with further values; 15 to 30 minutes.
test-long: $(READY)
	$(PYTEST) -m long

# On a real Kubernetes with a real Argo: the one that KUBECONFIG names, or ../shared/cluster (tests/cluster/conftest.py).
# The latter's Argo looks at a workflow every second, not every 10 (docs/cluster.md), so that tests wait less.
CLUSTER ?= ../shared/cluster/cluster
CLUSTER_UP = $(CLUSTER) up && eval "$$($(CLUSTER) env)" && kubectl -n argo set env deployment/workflow-controller DEFAULT_REQUEUE_TIME=1s
ON_CLUSTER = if [ -z "$$KUBECONFIG" ] && [ -x $(CLUSTER) ]; then $(CLUSTER_UP) || exit; fi;
test-cluster: $(READY)
	@$(ON_CLUSTER) $(BIN)/python -m pytest -m "not long" tests/cluster

# Every proof of the shipped corpus, of a thousand exercises and of the benchmark; `make test` checks some.
test-corpus: $(READY)
	BURNQED_WHOLE_CORPUS=1 $(BIN)/python -m pytest tests/integration/test_corpus.py tests/integration/test_exercise_proofs.py tests/integration/test_benchmark.py

# Every cheat and honest proof through the Pantograph backend's checker; `make test` tries a few.
test-checker: $(READY)
	BURNQED_WHOLE_CHECKER=1 $(BIN)/python -m pytest tests/integration/test_checker.py

# Ten kills -9 over a whole run (`make test` does one), and all of trainings in two processes.
test-kill: $(READY)
	BURNQED_KILLS=10 $(BIN)/python -m pytest -s tests/integration/test_kill.py tests/integration/test_train_together.py tests/integration/test_head_options.py

# 20,000 requests over 8 workers of the Pantograph backend that hang, crash and answer garbage, on the stand-in. `make test` has a short one.
soak: $(READY)
	$(BIN)/python -m benchmarks.pantograph_soak

# The Pantograph backend proves of 40 theorems what the embedded one proves, with and without faults, with the model of the demo (trained first, if need be).
pantograph-equal: $(READY)
	test -d $(DEMO)/main/iterations/iter_0/model || $(BIN)/burnqed run iteration --iter 0 --profile demo --store $(DEMO)
	$(BIN)/python -m benchmarks.pantograph_equal $(DEMO)

# The smoke iteration on the Pantograph backend, whose stand-in is faulty.
test-pantograph: $(READY)
	BURNQED_PANTOGRAPH_LOOP=1 $(BIN)/python -m pytest -s tests/integration/test_pantograph_loop.py

# The client, the sidecar and a smoke iteration over the real SGLang on a processor, in trouble too; then how far it agrees with our server, with the model
# of the demo (trained first, if need be). Needs ../shared/sglang; about 25 minutes.
SGLANG := ../shared/sglang/sglang-cpu
test-sglang: $(READY)
	$(SGLANG) install
	BURNQED_REAL_SGLANG="$(abspath $(SGLANG)) serve" $(BIN)/python -m pytest -s -n0 tests/integration/test_policy_sglang.py tests/integration/test_sglang_*.py
	test -d $(DEMO)/main/iterations/iter_0/model || $(BIN)/burnqed run iteration --iter 0 --profile demo --store $(DEMO)
	BURNQED_SGLANG="$(abspath $(SGLANG)) serve" $(BIN)/python -m benchmarks.sglang_equal $(DEMO)

# An iteration whose pods have the real SGLang on a processor. Needs ../shared/cluster, whose node is this machine, and ../shared/sglang; 6 minutes once the
# images are built, 16 GB of disk.
test-cluster-sglang: $(READY)
	$(SGLANG) install
	$(CLUSTER_UP) && \
	BURNQED_CLUSTER_SGLANG="$${SGLANG_CPU:-/opt/sglang-cpu}" $(BIN)/python -m pytest -s -n0 tests/cluster/test_sglang.py

# A baseline, a lean start, a reset, and an experiment beside a smoke run, killed in a branch; about 13 minutes.
test-workflows: $(READY)
	BURNQED_WORKFLOWS=yes $(BIN)/python -m pytest -s -n0 tests/integration/test_baseline_run.py tests/integration/test_experiment_run.py

# What `make test-cluster` leaves out: smoke, bills, an outage of the store, other people's plugins, a bug in the image, and several iterations and a whole experiment in its smallest form
# whose pods are killed on the way; about an hour.
test-cluster-long: $(READY)
	@$(ON_CLUSTER) $(BIN)/python -m pytest -m long tests/cluster

# Two iterations on pairs, proofs and theorems from files; about 20 minutes.
own-data: $(READY)
	$(BIN)/python benchmarks/own_data.py

# A million pairs imported, filtered and split; ten million rows of trajectories selected and made into negatives: seconds and memory. About 10 minutes.
streaming: $(READY)
	$(BIN)/python benchmarks/data_streaming.py

# The S3 server away for 90 s in five steps of a run; `make test` has short ones.
test-outage: $(READY)
	BURNQED_OUTAGE=90 $(BIN)/python -m pytest -s tests/integration/test_outage_run.py tests/integration/test_outage.py

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/hadolint images/Dockerfile images/plugins.Dockerfile tests/cluster/broken.Dockerfile
	$(BIN)/yamllint --strict helm/burnqed/values.yaml helm/burnqed/Chart.yaml manifests/examples burnqed/profiles

# Three seeds of profile `small`: hours (see docs/results.md).
results: $(READY)
	$(BIN)/python benchmarks/results.py

# Builds and pushes the images, with whichever of the three is there. LEAN=mathlib puts Mathlib's Lean into the worker; IMAGES="worker trainer" leaves out SGLang's.
REGISTRY ?=
LEAN ?= embedded
IMAGES ?= worker trainer sglang
TAG ?= $(shell sed -n 's/__version__ = "\(.*\)"/\1/p' burnqed/__init__.py)
BUILDER ?= $(firstword $(foreach b,docker podman buildah,$(shell command -v $(b))))
images:
	@test -n "$(REGISTRY)" || { echo "Say where to push: make images REGISTRY=ghcr.io/my-team"; exit 2; }
	@test -n "$(BUILDER)" || { echo "Needs docker, podman or buildah"; exit 2; }
	for image in $(IMAGES); do \
		$(BUILDER) build -t $(REGISTRY)/burnqed-$$image:$(TAG) -f images/Dockerfile --build-arg LEAN=$(LEAN) --target $$image . && \
		$(BUILDER) push $(REGISTRY)/burnqed-$$image:$(TAG) || exit 1; \
	done

# Generates the chart's WorkflowTemplates from workflows/, and the plain manifests from the chart.
manifests: $(READY)
	$(BIN)/python -m tests.fixtures.chart

COMPILE_FOR := $(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header --no-annotate --python-version
COMPILE := $(COMPILE_FOR) 3.11

# The images' locks take their versions from the common one; the trainer's has torch, and what that needs, apart: 5 GB that seldom change. SGLang's leaves torch
# and NVIDIA's libraries to SGLang's image.
lock: $(READY)
	$(COMPILE) --extra train --extra dev --extra cluster --extra hub pyproject.toml -o requirements.lock
	printf 'setuptools>=80\nuv>=0.9\n' | $(COMPILE) - -o images/build.lock
	$(COMPILE) --constraint requirements.lock pyproject.toml -o images/worker.lock
	echo 'torch>=2.9' | $(COMPILE) --constraint requirements.lock - -o images/torch.lock
	$(COMPILE) --constraint requirements.lock --extra train pyproject.toml -o images/trainer.lock \
		$$(sed -n 's/^\([A-Za-z0-9._-]*\)==.*/--no-emit-package \1/p' images/torch.lock)
	sed -n '/^sglang:/,/^$$/s/^  \(torch\|transformers\): /\1==/p' burnqed/versions.yaml > images/sglang.constraints
	echo torch | $(COMPILE_FOR) 3.12 --constraint images/sglang.constraints - -o images/sglang.torch
	$(COMPILE_FOR) 3.12 --constraint images/sglang.constraints --extra train pyproject.toml -o images/sglang.lock \
		$$(sed -n 's/^\(torch\|triton\|nvidia-[a-z0-9-]*\|cuda-[a-z]*\)==.*/--no-emit-package \1/p' images/sglang.torch)
	rm images/sglang.constraints images/sglang.torch
