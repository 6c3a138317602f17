# SPDX-License-Identifier: MIT
# ncqsim.  "make help" lists the targets; V=1 shows the commands.

MAKEFLAGS += --no-print-directory --no-builtin-rules
.SUFFIXES:
.DELETE_ON_ERROR:
.DEFAULT_GOAL := all

# --- What the user may set -------------------------------------------------
# BUILD picks the variant, each in a folder of its own: release debug asan
# tsan cov clang gcc-O0 gcc-O2 bare fuzz.  CFLAGS and LDFLAGS are appended.
# WITHOUT="sdl2 cairo" (or all) builds as if these libraries were missing.
BUILD ?= release
PREFIX ?= /usr/local
WERROR ?= -Werror
JOBS ?= $(shell nproc 2>/dev/null || echo 2)

# Parallel without being asked, but never two goals at once: they may build
# in the same folder.
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += -j$(JOBS)
endif
ifneq ($(word 2,$(MAKECMDGOALS)),)
.NOTPARALLEL:
endif

O := build/$(BUILD)
Q := $(if $(V),,@)
say = $(if $(V),@:,@printf '  %-7s %s\n' $(1) $(2))

# --- Compiler and flags ----------------------------------------------------
CC.clang := clang
CC.fuzz := clang
ifeq ($(origin CC),default)
CC := $(or $(CC.$(BUILD)),gcc)
endif
CC_VERSION := $(shell $(CC) --version 2>/dev/null | head -n 1)
IS_GCC := $(if $(findstring clang,$(CC_VERSION)),,y)

# Whole-program optimisation pays on the event path.  Fat objects keep the
# tests quick to link: they are linked without it.
LTO := $(if $(IS_GCC),-flto=auto -ffat-lto-objects)
ifeq ($(origin AR),default)
AR := $(if $(IS_GCC),gcc-ar,ar)
endif

SAN_ADDRESS := -fsanitize=address,undefined -fno-sanitize-recover=all
# gcc follows values less well through instrumented code.
SAN_WARN := $(if $(IS_GCC),-Wno-maybe-uninitialized)
# Small structs gathered into vector registers only delay who reads a field
# next: without, a place is decoded 4 of 20 ns faster.
OPT.release := -O2 -g -fno-tree-slp-vectorize $(LTO)
OPT.bare := -O2
OPT.gcc-O2 := -O2
OPT.clang := -O2
OPT.gcc-O0 := -O0
OPT.debug := -O0 -g3
OPT.asan := -O1 -g -fno-omit-frame-pointer $(SAN_ADDRESS) \
	$(SAN_WARN)
OPT.tsan := -O1 -g -fsanitize=thread $(SAN_WARN)
OPT.cov := -O0 -g --coverage
OPT.fuzz := -O1 -g -fsanitize=fuzzer-no-link $(SAN_ADDRESS)

# Flags of one file, where the general ones were measured to be worse.
# The lanes of sptf are to become vectors: 1424 to 655 instructions a pick.
ifneq ($(filter release bare clang gcc-O2,$(BUILD)),)
CFLAGS.models/firmware/sptf.o := -O3
endif

WARN := -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wmissing-prototypes \
	-Wstrict-prototypes $(WERROR)
# A text cut to its buffer is meant: see sim/core/err.h.
ifneq ($(IS_GCC),)
WARN += -Wno-format-truncation
endif

# --- Optional libraries: pkg-config name, define, what is lost without -----
OPT_LIBS := libarchive jansson cairo sdl2 liburing
DEFINE.libarchive := HAVE_LIBARCHIVE
DEFINE.jansson := HAVE_JANSSON
DEFINE.cairo := HAVE_CAIRO
DEFINE.sdl2 := HAVE_SDL2
DEFINE.liburing := HAVE_LIBURING
LOST.libarchive := compressed traces
LOST.jansson := reading result files
LOST.cairo := plots and pictures
LOST.sdl2 := the window
LOST.liburing := real devices

FOUND := $(filter $(OPT_LIBS),$(shell for l in $(OPT_LIBS); do \
	pkg-config --exists $$l 2>/dev/null && echo $$l; done))
HAVE := $(if $(filter all,$(WITHOUT)),,$(filter-out $(WITHOUT),$(FOUND)))
ifeq ($(BUILD),bare)
HAVE :=
endif
ifneq ($(HAVE),)
# -isystem: our warnings are not for their headers.
LIB_CFLAGS := $(patsubst -I%,-isystem %,$(shell pkg-config --cflags $(HAVE)))
LIB_LIBS := $(shell pkg-config --libs $(HAVE))
endif
LEFT_OUT := $(filter-out $(HAVE),$(OPT_LIBS))
LIB_CFLAGS += $(foreach l,$(HAVE),-D$(DEFINE.$(l)))
LIBS := $(LIB_LIBS) -lm -ldl -pthread

BASE_CFLAGS := -std=c11 -D_GNU_SOURCE -I. $(WARN) -ffp-contract=off -pthread \
	$(OPT.$(BUILD))
# The model knows no library but libc.
COMPILE = $(CC) $(BASE_CFLAGS) $(if $(filter sim/% models/%,$*),,\
	$(LIB_CFLAGS)) $(CFLAGS.$*.o) $(CFLAGS) -MMD -MP
# A user's elevator, a shared object, calls what the program contains.
LINK = $(CC) $(BASE_CFLAGS) -rdynamic $(CFLAGS) $(LDFLAGS)

# --- Files: a new one needs no edit here -----------------------------------
LIB_SRC := $(wildcard sim/*.c sim/*/*.c models/elevators/*.c \
	models/firmware/*.c traces/*.c)
FRONT_SRC := $(filter-out frontend/main.c,$(wildcard frontend/*.c \
	frontend/*/*.c))
MAIN_SRC := $(wildcard frontend/main.c)
HELP_SRC := $(wildcard tests/*.c)
TEST_DIRS := unit property elevators fidelity golden bad ui
TEST_SRC := $(foreach d,$(TEST_DIRS),$(wildcard tests/$(d)/*.c))
BENCH_SRC := $(wildcard tests/bench/*.c)
FUZZ_MAIN := tests/fuzz/replay.c
FUZZ_SRC := $(filter-out $(FUZZ_MAIN),$(wildcard tests/fuzz/*.c))
ALL_SRC := $(LIB_SRC) $(FRONT_SRC) $(MAIN_SRC) $(HELP_SRC) $(TEST_SRC) \
	$(BENCH_SRC) $(wildcard $(FUZZ_MAIN)) $(FUZZ_SRC)
ALL_HDR := $(wildcard sim/*.h sim/*/*.h models/*/*.h traces/*.h \
	frontend/*.h frontend/*/*.h tests/*.h tests/*/*.h)

obj = $(patsubst %.c,$(O)/%.o,$(1))
bin = $(patsubst %.c,$(O)/%,$(1))
ARCHIVES := $(if $(FRONT_SRC),$(O)/libfrontend.a) $(O)/libncqsim.a
PROGRAM := $(if $(MAIN_SRC),$(O)/ncqsim)

# What a script runs with arguments is no test by itself.
TOOL_SRC := tests/elevators/vectors.c
TESTS := $(call bin,$(filter-out $(TOOL_SRC),$(TEST_SRC)) $(FUZZ_SRC)) \
	$(foreach d,$(TEST_DIRS),$(wildcard tests/$(d)/*.sh)) \
	$(wildcard tests/golden/*.cmd tests/bad/*.cmd)
QUICK := $(call bin,$(filter tests/unit/%,$(TEST_SRC)))
RUN_TESTS = tests/run -j $(JOBS) -b $(O) $(if $(T),-t '$(T)')

# --- Building --------------------------------------------------------------
## all: build the program and the library (the default)
all: $(PROGRAM) $(O)/libncqsim.a
	$(if $(LEFT_OUT),@printf '  WITHOUT %s\n' $(foreach l,$(LEFT_OUT),\
		"$(l): $(LOST.$(l)) left out"))

# Rebuild when the compiler or any flag is another than last time.
FLAGS := $(CC_VERSION) $(BASE_CFLAGS) $(LIB_CFLAGS) $(LIBS) $(CFLAGS) \
	$(LDFLAGS) $(foreach v,$(sort $(filter CFLAGS.%,$(.VARIABLES))),$v=$($v))
ifneq ($(strip $(file <$(O)/.flags)),$(strip $(FLAGS)))
$(O)/.flags: force
endif
$(O)/.flags:
	@mkdir -p $(@D)
	@printf '%s\n' '$(FLAGS)' >$@

$(O)/%.o: %.c $(O)/.flags
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(COMPILE) -c $< -o $@

# The list of members is a prerequisite too: a file removed leaves it.
$(O)/libncqsim.a: $(call obj,$(LIB_SRC)) $(O)/.members
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $(filter %.o,$^)

$(O)/libfrontend.a: $(call obj,$(FRONT_SRC)) $(O)/.members
	$(call say,AR,$@)
	$(Q)rm -f $@ && $(AR) rcs $@ $(filter %.o,$^)

ifneq ($(strip $(file <$(O)/.members)),$(strip $(LIB_SRC) $(FRONT_SRC)))
$(O)/.members: force
endif
$(O)/.members:
	@mkdir -p $(@D)
	@echo '$(LIB_SRC) $(FRONT_SRC)' >$@

$(O)/ncqsim: $(O)/frontend/main.o $(ARCHIVES)
	$(call say,LINK,$@)
	$(Q)+$(LINK) -o $@ $^ $(LIBS)

# A benchmark measures what the program is, so it is linked the same way.
$(call bin,$(BENCH_SRC)): %: %.o $(ARCHIVES)
	$(call say,LINK,$@)
	$(Q)+$(LINK) -o $@ $^ $(LIBS)

$(call bin,$(TEST_SRC)): %: %.o $(call obj,$(HELP_SRC)) $(ARCHIVES)
	$(call say,LINK,$@)
	$(Q)$(LINK) -fno-lto -o $@ $^ -lcmocka $(LIBS)

ifeq ($(BUILD),fuzz)
$(call bin,$(FUZZ_SRC)): %: %.o $(ARCHIVES)
	$(call say,LINK,$@)
	$(Q)$(LINK) -fsanitize=fuzzer -o $@ $^ $(LIBS)
else
$(call bin,$(FUZZ_SRC)): %: %.o $(call obj,$(FUZZ_MAIN)) $(ARCHIVES)
	$(call say,LINK,$@)
	$(Q)$(LINK) -fno-lto -o $@ $^ $(LIBS)
endif

# --- A fresh machine -------------------------------------------------------
# What is built with, then what only the tests and the tools want.
DEPS_BUILD := gcc binutils libc6-dev make pkg-config libarchive-dev \
	libjansson-dev libcairo2-dev libsdl2-dev liburing-dev
DEPS_TEST := libcmocka-dev blktrace clang libclang-rt-14-dev clang-format \
	universal-ctags mandoc xz-utils python3

## deps: install the Debian packages that are missing
deps:
	@.ci/deps $(DEPS_BUILD) $(DEPS_TEST)

deps-build:
	@.ci/deps $(DEPS_BUILD)

## demo: replay a real blktrace capture and print the report
demo: deps-build
	@$(MAKE) demo-run

demo-run: all
	$(O)/ncqsim run traces/samples/randread-qd128 -e deadline

# --- Checking --------------------------------------------------------------
## check: build and run every test (T=pattern picks some)
check: deps
	@$(MAKE) check-run

TOOLS := $(call bin,$(filter $(TOOL_SRC),$(TEST_SRC)))
check-run: all $(TESTS) $(TOOLS)
	@$(RUN_TESTS) $(TESTS) tests/layer-check tests/style-check

## quick-check: both compilers, unit tests, layers, style of what changed
quick-check: $(ARCHIVES) $(QUICK) style
	@! command -v clang >/dev/null || $(MAKE) BUILD=clang CC=clang check-programs
	@$(RUN_TESTS) $(QUICK) tests/layer-check

## check-unit check-property check-golden check-bad ...: one folder of tests
$(filter-out check-elevators,$(TEST_DIRS:%=check-%)): check-%: all $(TESTS) $(TOOLS)
	@$(RUN_TESTS) $(foreach t,$(TESTS),$(if $(findstring /$*/,$t),$t))

## golden-update: accept the present output, in README.md too
golden-update: all
	@$(RUN_TESTS) -u $(filter %.cmd,$(TESTS))
	@UPDATE=1 BUILD_DIR=$(O) tests/golden/readme.sh

## check-elevators: the elevator vectors of the tree, or of VECTORS=DIR
check-elevators: $(O)/tests/elevators/vectors
	$(Q)$(if $(VECTORS),$< $(VECTORS),BUILD_DIR=$(O) tests/elevators/vectors.sh)

## asan: every test under the address and undefined-behaviour sanitizers
asan:
	@$(MAKE) BUILD=asan CC=gcc check-tests

# Only what runs threads has anything to show.
TSAN_TESTS ?= thread|sweep|window
## tsan: the tests of what runs threads, under the thread sanitizer
tsan:
	@$(MAKE) BUILD=tsan CC=gcc T='$(TSAN_TESTS)' check-tests

check-tests: all $(TESTS) $(TOOLS)
	@$(RUN_TESTS) $(TESTS)

DETERMINISM := gcc-O0 release clang
## determinism: gcc -O0, gcc -O2 and clang must give the same results
determinism:
	@$(MAKE) BUILD=gcc-O0 CC=gcc check-programs
	@$(MAKE) BUILD=release CC=gcc check-programs
	@$(MAKE) BUILD=clang CC=clang check-programs
	@tests/determinism $(DETERMINISM:%=build/%)

check-programs: all $(call bin,$(TEST_SRC))

## hdr-check: every header compiles alone, with gcc and with clang
hdr-check:
	@tests/hdr-check gcc clang -- $(BASE_CFLAGS) -- $(ALL_HDR)

## layer-check: includes point down; the library prints nothing, has no state
layer-check: $(call obj,$(LIB_SRC))
	@tests/layer-check -b $(O)

## style: formatting, licence lines, sizes; fails when not clean
style: $(patsubst %,build/style/%.ok,$(ALL_SRC) $(ALL_HDR))
	@tests/style-check

build/style/%.ok: % .clang-format
	@mkdir -p $(@D)
	@if ! command -v clang-format >/dev/null; then :; \
	else clang-format --dry-run -Werror $<; fi
	@touch $@

## format: rewrite the sources with clang-format
format:
	clang-format -i $(ALL_SRC) $(ALL_HDR)

## lint: clang-tidy, longest functions and files, exported but unused
lint: all $(TESTS)
	@tests/lint -b $(O) -j $(JOBS) -- $(BASE_CFLAGS) $(LIB_CFLAGS) -- \
		$(LIB_SRC) $(FRONT_SRC) $(MAIN_SRC)

## bench: measure speed, one line a case
bench: all $(call bin,$(BENCH_SRC))
	@for b in $(call bin,$(BENCH_SRC)); do $$b || exit 1; done

FUZZ_SECONDS ?= 20
## fuzz: FUZZ_SECONDS=20 of libFuzzer on each reader (T=name picks one)
fuzz:
	@$(MAKE) BUILD=fuzz fuzz-run

fuzz-run: $(call bin,$(FUZZ_SRC))
	@tests/fuzz-run -b $(O) -s $(FUZZ_SECONDS) $(filter %$(T),$(FUZZ_SRC:tests/fuzz/%.c=%))

## cov: line coverage of the tests
cov:
	-@$(MAKE) BUILD=cov CC=gcc check-tests
	@tests/cov-report build/cov $(LIB_SRC) $(FRONT_SRC) $(MAIN_SRC)

# Printed by the program from its own tables, so that they cannot drift.
MANUALS := $(if $(PROGRAM),$(O)/ncqsim.1 $(O)/ncqsim-drive.5)
$(MANUALS): $(O)/%: $(PROGRAM)
	$(call say,MAN,$@)
	$(Q)$< help --man=$* >$@

## man: make the manual pages and lint them
man: $(MANUALS)
	$(if $(MANUALS),mandoc -Tlint -Wwarning $(MANUALS))

# --- Installing ------------------------------------------------------------
BINDIR = $(DESTDIR)$(PREFIX)/bin
LIBDIR = $(DESTDIR)$(PREFIX)/lib
INCDIR = $(DESTDIR)$(PREFIX)/include/ncqsim
MANDIR = $(DESTDIR)$(PREFIX)/share/man
DATADIR = $(DESTDIR)$(PREFIX)/share/ncqsim
# Layout below DATADIR is that of the tree.
DATA := $(wildcard models/drives/*.ini traces/samples/* traces/samples/*/* \
	traces/experiments/* traces/experiments/*/*)
PUBLIC_HDR := $(wildcard sim/ncqsim.h sim/probe.h sim/core/*.h \
	models/elevators/elevator.h models/elevators/sorted.h) \
	sim/host/blk_elevator.h sim/host/process.h sim/host/request.h
VERSION := 0.1.0

## install: into DESTDIR/PREFIX (/usr/local)
install: all $(MANUALS)
	$(Q)$(foreach f,$(PROGRAM),install -Dm755 $(f) $(BINDIR)/ncqsim;)
	$(Q)install -Dm644 $(O)/libncqsim.a $(LIBDIR)/libncqsim.a
	$(Q)for f in $(PUBLIC_HDR); do \
		install -Dm644 $$f $(INCDIR)/$$f || exit 1; done
	$(Q)for f in $(DATA); do test -d $$f || \
		install -Dm644 $$f $(DATADIR)/$$f || exit 1; done
	$(Q)for f in $(MANUALS); do \
		install -Dm644 $$f $(MANDIR)/man$${f##*.}/$${f##*/} || exit 1; done
	$(Q)mkdir -p $(LIBDIR)/pkgconfig
	$(Q)printf '%s\n' 'prefix=$(PREFIX)' 'Name: ncqsim' \
		'Description: hard-drive simulator with native command queuing' \
		'Version: $(VERSION)' 'Cflags: -I$${prefix}/include/ncqsim' \
		'Libs: -L$${prefix}/lib -lncqsim -lm -pthread' \
		'Requires: $(filter libarchive,$(HAVE))' \
		>$(LIBDIR)/pkgconfig/ncqsim.pc

## uninstall: remove what install wrote
uninstall:
	rm -f $(BINDIR)/ncqsim $(LIBDIR)/libncqsim.a \
		$(LIBDIR)/pkgconfig/ncqsim.pc
	rm -f $(MANDIR)/man1/ncqsim.1 $(MANDIR)/man5/ncqsim-drive.5
	rm -rf $(INCDIR) $(DATADIR)

# --- The rest --------------------------------------------------------------
## help: this list
help:
	@sed -n 's/^## \([^:]*\): \(.*\)/\1|\2/p' Makefile | \
		awk -F'|' '{ printf "  %-16s %s\n", $$1, $$2 }'

## tags: build/tags for vi and emacs
tags:
	@mkdir -p build && ctags -f build/tags $(ALL_SRC) $(ALL_HDR)

## compdb: build/compile_commands.json for editors
compdb:
	@mkdir -p build
	@{ echo '['; s=; for f in $(ALL_SRC); do printf '%s{"directory":"%s",\
	"file":"%s","command":"$(CC) $(BASE_CFLAGS) $(LIB_CFLAGS) -c %s"}\n' \
	"$$s" "$(CURDIR)" $$f $$f; s=,; done; echo ']'; } \
	>build/compile_commands.json

## clean: remove build/, the only place anything is written
clean:
	rm -rf build

force:
.PHONY: all deps deps-build demo demo-run check check-run quick-check \
	check-tests check-programs golden-update check-elevators asan tsan \
	determinism hdr-check layer-check style format lint bench fuzz fuzz-run \
	cov man install uninstall help tags compdb clean force \
	$(TEST_DIRS:%=check-%)

-include $(patsubst %.o,%.d,$(call obj,$(ALL_SRC)))
