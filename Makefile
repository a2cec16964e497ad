# Dragoman: the commands of a developer's day. Each installs what it lacks from Debian's packages, configures, builds.
#   make demo          build, start the embedded warehouse and the gateway, ask three questions, stay as a prompt
#   make test          build, unit tests, then tests through the real clients that this machine has
#   make test-clients  the same with every client that its registry still serves
#   make eval-spider   public questions over small databases, their semantic layer drafted by `dragoman init` alone
#   make bench         side-by-side measurements, written to build/bench.json
#   make bench-peers   the same, after installing the peers that are compared with (HAProxy from Debian, sqlglot from PyPI)
#   make fuzz          every fuzz target for FUZZ_SECONDS (60)
#   make sanitize      unit tests under ASan and UBSan
#   make sanitize-threads   unit tests with threads under TSan
#   make format layers check the source tree

BUILD ?= build
JOBS ?= $(shell nproc)
FUZZ_SECONDS ?= 60
SHELL := /bin/bash

.PHONY: all packages build build-all demo test test-unit test-clients eval-spider bench bench-peers fuzz sanitize sanitize-threads format layers clean

all: build

packages:
	@tools/install_packages.sh build

$(BUILD)/build.ninja:
	@cmake -S . -B $(BUILD) -G Ninja -DCMAKE_BUILD_TYPE=Release -DDRAGOMAN_UNITY=ON > $(BUILD)-configure.log 2>&1 || { cat $(BUILD)-configure.log; exit 1; }
	@mv $(BUILD)-configure.log $(BUILD)/configure.log

build: packages $(BUILD)/build.ninja
	@cmake --build $(BUILD) -j$(JOBS) --target dragoman

build-all: packages $(BUILD)/build.ninja
	@cmake --build $(BUILD) -j$(JOBS)

demo: build
	@$(BUILD)/dragoman demo

test-unit: build-all
	@tests/run_unit.sh $(BUILD)

test: build-all
	@tests/run.sh $(BUILD)

test-clients: build-all
	@tests/run.sh $(BUILD) --all-clients

eval-spider: build
	@tools/eval_spider.py $(BUILD)

bench: build-all
	@bench/run.sh $(BUILD)

bench-peers: build-all
	@tools/install_packages.sh peers
	@bench/run.sh $(BUILD) --peers

fuzz:
	@tools/install_packages.sh fuzz
	@tools/fuzz.sh $(FUZZ_SECONDS)

sanitize: packages
	@tools/sanitize.sh

sanitize-threads: packages
	@tools/sanitize_threads.sh

format:
	@tools/check_format.sh

layers:
	@tools/check_layers.py

clean:
	@rm -rf $(BUILD) build-asan build-tsan build-fuzz
