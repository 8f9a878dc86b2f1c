# SPDX-License-Identifier: BSD-3-Clause
# The everyday commands. Meson and Ninja do the work; this file knows which packages, folders and options they need.
BUILD ?= build
$(if $(filter-out 1,$(words $(BUILD))),$(error BUILD is the path of one folder, without blanks))
PREFIX ?= /usr/local
MESON_OPTIONS ?=
# As .ci/install reads them, whatever is in them.
export INSTALL_PREFIX := $(value PREFIX)
export INSTALL_DESTDIR := $(value DESTDIR)

sources = $(shell git ls-files '*.c' '*.h')

.PHONY: all energy-fit demo demo-system system-figures test test-long test-quick test-o0 test-clang test-asan test-tsan test-fuzz picture bench bench-manycore literature literature-simulated literature-quiet validation models silicon gpu-check kernels examples wheel site install uninstall format lint clean help

all: $(BUILD)/build.ninja
	@ninja -C $(BUILD)

$(BUILD)/build.ninja:
	@.ci/packages build
	meson setup $(BUILD) --prefix "$$(.ci/install prefix)" $(MESON_OPTIONS)

# A generated trace of a tiled matrix product, and a CUDA program that does the same and checks its result, both simulated
# on a model of the GeForce RTX 3070.
demo: all
	$(BUILD)/maniple-tracegen matmul $(BUILD)/demo arch=86 n=256
	$(BUILD)/maniple run --machine rtx3070 -o $(BUILD)/demo/results $(BUILD)/demo/kernelslist.g
	@echo "The same as JSON, per kernel: $(BUILD)/demo/results/results.json"
	@echo
	$(BUILD)/maniple app run sgemm --size 128 --machine rtx3070 >$(BUILD)/demo/sgemm.txt
	@head -7 $(BUILD)/demo/sgemm.txt
	@echo "More of it: $(BUILD)/demo/sgemm.txt; 47 other workloads: $(BUILD)/maniple app list"
	@$(BUILD)/maniple report $(BUILD)/demo/results --html $(BUILD)/demo/report.html >$(BUILD)/demo/report.txt
	@echo
	@echo "What limits the matrix product: $(BUILD)/demo/report.txt, and as a page for a browser: $(BUILD)/demo/report.html"

# Linux on a simulated ARM processor, beside simulated coprocessors: programs that offload a matrix product and a background
# subtraction to 64 cores, and a kernel to a GPU, and check them. Needs QEMU and a cross compiler, which apt installs, and
# Debian's kernel for ARM, which is unpacked and never installed.
demo-system: all
	@.ci/packages system
	@apps/system/demo.sh $(BUILD)

# The ten benchmarks as Linux programs on a coprocessor of 1024 cores, and where their time goes (docs/system.md).
system-figures: all
	@.ci/packages system
	@python3 bench/system.py $(BUILD)

# The tests, with gcc and sanitizers; the last line says how many cases passed and failed. Other compilers' code (test-clang,
# test-o0) and libFuzzer (test-fuzz) are for make test-long.
test:
	@.ci/packages test
	@tests/run.sh gcc asan tsan

test-quick:
	@.ci/packages test
	@tests/run.sh gcc

# Fits the energies of machines to measured power (docs/lab/energy.md): make energy-fit MEASUREMENTS=DIR, a folder with
# roofline-power.csv and kernel-power.csv.
energy-fit: all
	@python3 bench/energy_fit.py $(BUILD)/maniple $(BUILD)/maniple-tracegen "$(MEASUREMENTS)" --work $(BUILD)/energy-fit

# What continuous integration has no time for: at most 90 minutes on two processors. An interrupted run goes on where it
# was; AGAIN=1 starts anew, PIECES="NAME..." runs some of tests/long/pieces.txt.
test-long:
	@.ci/packages long
	@tests/long/run.sh $(if $(AGAIN),again) $(PIECES)

test-o0 test-clang test-asan test-tsan test-fuzz: test-%:
	@.ci/packages long
	@tests/run.sh $*

# Beside Accel-Sim's figures where its yardstick traces are at hand, with host instructions per event by valgrind; the speed of generated traces otherwise.
YARDSTICK ?= ../shared/traces
bench: all
	@if [ -e $(YARDSTICK)/yardstick.c ]; then python3 bench/yardstick.py $(BUILD) $(YARDSTICK); \
	if command -v valgrind >/dev/null; then python3 bench/host_events.py $(BUILD) $(YARDSTICK); fi; \
	else echo "No yardstick traces in $(YARDSTICK): generated ones instead."; bench/run.sh $(BUILD); fi

# The coprocessor on this host's GPU: all programs on 128 to 65,536 tiles of both architectures give the host's bytes, and how
# fast both are, in gpu-check.json (docs/manycore-gpu.md). GPU=simulated compares on Maniple's own GPU; GPU=predict foresees the
# speed by its model, at small sizes. OPTIONS="--cores 128 --programs fft,ep".
GPU_SMALL = --$(GPU) --cores 4 --programs fibonacci,fft
gpu-check: all
	@python3 bench/gpu_check.py $(BUILD)/maniple $(if $(filter simulated predict,$(GPU)),$(GPU_SMALL)) $(OPTIONS)

# The evaluation of the papers that Maniple grew from, as pages with tables and plots in docs/literature. QUICK=1: small sizes,
# some ten minutes; FULL=1: the papers' own sizes, for days. An interrupted run goes on where it was. OPTIONS="--only huerta".
# Functional simulators that are absent and cannot be installed are left out, with a word on their page.
literature: all
	@.ci/packages literature || true
	@python3 bench/literature/reproduce.py $(BUILD) --size $(if $(FULL),full,$(if $(QUICK),quick,usual)) $(OPTIONS)

# All times of these pages and of the coprocessor's, on a host with nothing else to do: what has no time in it first, on any host
# (make literature-simulated), then MINUTES for the pages and some ten for bench/manycore.py. Interrupted, it goes on where it was.
literature-simulated: all
	@python3 bench/literature/reproduce.py $(BUILD) --size $(if $(USUAL),usual,quick) --simulated $(OPTIONS)
	@python3 bench/manycore.py run $(BUILD)/maniple --simulated

literature-quiet: literature-simulated
	@python3 bench/literature/reproduce.py $(BUILD) --size $(if $(USUAL),usual,quick) --minutes $(or $(MINUTES),13) $(OPTIONS)
	@python3 bench/manycore.py quiet $(BUILD)/maniple
	@python3 bench/manycore.py plot

# Tables of docs/lab/validation.md from measurements of silicon, by `maniple correlate`. PROGRAMS is what bench/programs.sh has built;
# QUICK=1 runs rows that take seconds, ONLY=micro,empty,polybench,rodinia,clusters,tma,pytorch some of the tables.
MEASUREMENTS ?= ../shared/silicon
validation: all
	@python3 bench/validation.py $(BUILD) $(MEASUREMENTS) $(if $(PROGRAMS),--programs $(PROGRAMS)) $(if $(QUICK),--quick) \
		$(if $(ONLY),--only $(ONLY)) $(OPTIONS)

# Products of models as our libraries choose their kernels, beside measured times (docs/lab/models.md). OPTIONS="--half seen --gpu 'H100 SXM'";
# an interrupted run goes on where it was.
models: all
	@python3 bench/models.py $(BUILD) $(MEASUREMENTS) $(if $(PROGRAMS),--programs $(PROGRAMS)) $(OPTIONS)

# The measuring itself, of our own workloads, where a GPU and Nsight Systems are at hand: silicon/ for `maniple correlate`.
silicon: all
	@python3 bench/silicon.py $(BUILD) silicon $(OPTIONS)

# All benchmarks of the coprocessor in full size on up to 4096 cores; they take a quarter of an hour of CPU time.
bench-manycore: all
	python3 bench/manycore.py run $(BUILD)/maniple --again
	python3 bench/manycore.py plot
	python3 bench/manycore.py table

# The kernels of libraries, workloads and the coprocessor as PTX, which data/ptx keeps: only after a change of their sources.
# MODULES="gemm_real rand" builds some.
kernels:
	@.ci/packages kernels
	@data/ptx/build.py $(MODULES)

# What the examples of manual pages and of docs print, after a change of a model; README's first run is by hand.
PRINTED = tutorial.md reading-results.md correlate.md results-json.md sweep.md timeline.md maniple-sweep.1 maniple-correlate.1 maniple-timeline.1
examples: all
	@python3 docs/manuals.py $(BUILD)
	@python3 tests/cli/notebook.py $(BUILD)/maniple python docs/examples/notebook/first-look.ipynb --update | grep '^not ok'; true
	@for page in $(PRINTED); do python3 tests/cli/tutorial.py $(BUILD) $$page --update | grep '^# .*: nothing like'; done; true

# README's picture, in a headless browser (Debian's chromium).
picture: all
	@docs/figures/report.sh $(BUILD)

# The Python wheel, with all that it needs inside (docs/python.md); tools come from PyPI.
wheel: all
	@python/wheel.sh $(BUILD) $(BUILD)/wheel

# A site with search of README and all pages, by Debian's mkdocs and its theme material: $(BUILD)/site/index.html.
site:
	@.ci/packages site
	@docs/site.py $(BUILD)/site

# Below PREFIX, whatever prefix the build folder was made with; DESTDIR is for those who make packages. A prefix may have blanks,
# and a ~ that the shell has not replaced means the home.
install: all
	@.ci/install $(BUILD)

# What `make install` has written below the same PREFIX and DESTDIR.
uninstall:
	@.ci/install uninstall

format:
	clang-format -i $(sources)

lint: all
	clang-format --dry-run -Werror $(sources)
	clang-tidy -p $(BUILD) --quiet $(filter src/%.c,$(sources))

clean:
	rm -rf $(BUILD) build-o0 build-clang build-asan build-tsan build-fuzz build-long

help:
	@echo "make             build $(BUILD)/maniple"
	@echo "make demo        build it, generate a trace and simulate it, and run a CUDA program"
	@echo "make demo-system Linux on ARM in QEMU, with programs that offload work to simulated coprocessors"
	@echo "make test        all tests with gcc and sanitizers (test-quick: gcc alone;"
	@echo "                 test-clang, test-o0, test-asan, test-tsan, test-fuzz: one configuration)"
	@echo "make test-long   what continuous integration has no time for, at most 90 minutes; goes on where it was (AGAIN=1: anew)"
	@echo "make bench       measure speed and memory (bench-manycore: the coprocessor's benchmarks, and their plots)"
	@echo "make literature  the evaluation of four papers in docs/literature (QUICK=1: some ten minutes; FULL=1: the papers' sizes)"
	@echo "make validation  tables of docs/lab/validation.md from measurements (MEASUREMENTS=DIR PROGRAMS=DIR; QUICK=1: in minutes);"
	@echo "                 make silicon measures, with a GPU"
	@echo "make models      kernels of models beside measured times of GPUs (MEASUREMENTS=DIR, PROGRAMS=DIR, OPTIONS=...)"
	@echo "make energy-fit  fit energies of machines to measured power (MEASUREMENTS=DIR)"
	@echo "make gpu-check   the coprocessor on this host's GPU: the host's bytes, and the speed (GPU=simulated, GPU=predict: without one)"
	@echo "make kernels     compile changed kernels of src/mathlib, src/manycore and apps/gpu to PTX (clang 14, some nvcc)"
	@echo "make examples    run the examples of the manual pages and of docs again, and write what they print into them"
	@echo "make picture     README's picture of a report, in a headless browser"
	@echo "make wheel       the Python wheel with all that it needs, in $(BUILD)/wheel"
	@echo "make site        README and all pages as a site with search, in $(BUILD)/site"
	@echo "make install     install below PREFIX ($(PREFIX)); make uninstall removes what it has written"
	@echo "make format      apply .clang-format; make lint checks it and runs clang-tidy"
