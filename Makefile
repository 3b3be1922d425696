# SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
# Entry point: the module, the provider, the suites, installation. All results go to
# build/; what a target lacks it names. 'make help' lists the targets.

KDIR ?= /lib/modules/$(shell uname -r)/build
PREFIX ?= /usr
LIBDIR ?= $(PREFIX)/lib/$(shell $(CC) -print-multiarch)
DESTDIR ?=

# libibverbs looks for providers of its own private ABI number only.
RDMAV := rdmav34
PROVIDER := build/provider/libmetaroce-$(RDMAV).so

# The provider is also a library that programs link, for its direct verbs.
DV_LIB := build/provider/libmetaroce.so.1

.DEFAULT_GOAL := all
.PHONY: all module provider tools unit check quick demo bench bench-fabric install uninstall clean help
MAKEFLAGS += --no-print-directory

all: module provider ## module for KDIR (the running kernel) and provider

module: ## metaroce.ko for KDIR, e.g. make module KDIR=$(scripts/uml kdir)
	@scripts/setup --quiet build
	@scripts/module "$(KDIR)"

# ---- provider ------------------------------------------------------------------------

P := providers/metaroce
P_SRCS := $(sort $(wildcard $(P)/*.c))
P_MAP := $(P)/libmetaroce.map
P_CFLAGS := -std=gnu11 -O2 -g -fPIC -fvisibility=hidden -Wall -Wextra -Werror \
	-Iinclude -Iinclude/uapi -I$(P) $(CFLAGS)
P_LDFLAGS := -shared -Wl,-soname,$(notdir $(DV_LIB)) -Wl,--no-undefined -Wl,-z,defs -Wl,--version-script=$(P_MAP) $(LDFLAGS)
P_OBJS := $(P_SRCS:$(P)/%.c=build/provider/%.o)

provider: build/provider/.packages $(if $(P_SRCS),$(PROVIDER)) ## libmetaroce for the installed libibverbs

build/provider/.packages: scripts/setup
	@scripts/setup --quiet build
	@mkdir -p $(@D) && touch $@

build/provider/%.o: $(P)/%.c Makefile | build/provider/.packages
	@echo "  CC   $<"
	@$(CC) $(P_CFLAGS) -MMD -MP -c -o $@ $<

$(DV_LIB): $(P_OBJS) $(P_MAP)
	@echo "  LD   $@"
	@$(CC) $(P_LDFLAGS) -o $@ $(P_OBJS) -libverbs -lpthread
	@ln -sf $(@F) $(@D)/libmetaroce.so

$(PROVIDER): $(DV_LIB)
	@ln -sf $(<F) $@

-include $(wildcard build/provider/*.d)

# ---- programs that suites use ---------------------------------------------------------

TOOLS := $(patsubst tests/tools/%.c,build/tools/%,$(wildcard tests/tools/*.c)) build/tools/rdma_fabric
TOOL_CC = $(CC) -std=gnu11 -O2 -g -Wall -Wextra -Werror -I$(P) $(CFLAGS)
TOOL_HDRS := $(wildcard tests/tools/*.h)
FABRIC := $(sort $(wildcard tests/tools/fabric/*.c))

tools: $(TOOLS) ## programs that suites use: tests/tools

build/tools/%: tests/tools/%.c $(TOOL_HDRS) | build/provider/.packages
	@mkdir -p $(@D)
	@echo "  CC   $@"
	@$(TOOL_CC) -o $@ $< -libverbs $(LIBS_$(@F))

build/tools/rdma_fabric: $(FABRIC) tests/tools/fabric/fabric.h $(TOOL_HDRS) | build/provider/.packages
	@mkdir -p $(@D)
	@echo "  CC   $@"
	@$(TOOL_CC) -o $@ $(FABRIC) -libverbs $(LIBS_$(@F))

# Those that use direct verbs find the library beside the provider.
LIBS_dv := -Lbuild/provider -lmetaroce -Wl,-rpath,$(CURDIR)/build/provider
LIBS_rdma_fabric := $(LIBS_dv)
build/tools/dv build/tools/rdma_fabric: $(DV_LIB) $(P)/metaroce_dv.h

# ---- suites --------------------------------------------------------------------------

unit: ## transport core in user space, with ASan and UBSan
	@scripts/setup --quiet tests
	@$(MAKE) -C tests/unit
	@if [ -e tests/provider/Makefile ]; then $(MAKE) -C tests/provider check; fi

quick: ## unit tests and the system suite on the fast kernel
	@scripts/check quick

check: ## everything: lint, units, builds, KUnit, system suites, QEMU
	@scripts/check all

demo: ## two hosts, four paths, clean and lossy, beside rxe
	@scripts/demo

bench: ## numbers for Documentation/performance.rst
	@scripts/bench

bench-fabric: ## every scenario of tests/fabric, into Documentation/performance.rst (hours)
	@scripts/bench-fabric

# ---- installation --------------------------------------------------------------------

KREL = $(shell scripts/module --release "$(KDIR)")
IBV_DIR := $(DESTDIR)$(LIBDIR)/libibverbs
DRIVER_FILE := $(DESTDIR)/etc/libibverbs.d/metaroce.driver
MAN_DIR := $(DESTDIR)$(PREFIX)/share/man
P_MAN := $(sort $(wildcard $(P)/man/*.[0-9]))
MOD_DIR = $(DESTDIR)/lib/modules/$(KREL)/updates

install: all ## into the running system (or DESTDIR)
	install -D -m 644 "build/$(KREL)/metaroce.ko" "$(MOD_DIR)/metaroce.ko"
	install -D -m 644 "$(DV_LIB)" "$(DESTDIR)$(LIBDIR)/$(notdir $(DV_LIB))"
	ln -sf $(notdir $(DV_LIB)) "$(DESTDIR)$(LIBDIR)/libmetaroce.so"
	install -d "$(dir $(DRIVER_FILE))" "$(IBV_DIR)"
	ln -sf ../$(notdir $(DV_LIB)) "$(IBV_DIR)/$(notdir $(PROVIDER))"
	echo "driver metaroce" >"$(DRIVER_FILE)"
	install -D -m 644 include/uapi/rdma/metaroce-abi.h "$(DESTDIR)$(PREFIX)/include/rdma/metaroce-abi.h"
	install -D -m 644 $(P)/metaroce_dv.h "$(DESTDIR)$(PREFIX)/include/infiniband/metaroce_dv.h"
	for m in $(P_MAN); do \
		install -D -m 644 "$$m" "$(MAN_DIR)/man$${m##*.}/$$(basename $$m)"; done
	depmod $(if $(DESTDIR),-b "$(DESTDIR)") "$(KREL)"
	@echo
	@echo "Installed. Next, as root:"
	@echo "  modprobe metaroce"
	@echo "  rdma link add mr0 type metaroce netdev DEV      # DEV: a network interface"
	@echo "  ibv_devinfo -d mr0"

uninstall: ## take away what install put there
	rm -f "$(MOD_DIR)/metaroce.ko" "$(IBV_DIR)/$(notdir $(PROVIDER))" "$(DRIVER_FILE)"
	rm -f "$(DESTDIR)$(LIBDIR)/$(notdir $(DV_LIB))" "$(DESTDIR)$(LIBDIR)/libmetaroce.so"
	rm -f "$(DESTDIR)$(PREFIX)/include/rdma/metaroce-abi.h"
	rm -f "$(DESTDIR)$(PREFIX)/include/infiniband/metaroce_dv.h"
	for m in $(P_MAN); do rm -f "$(MAN_DIR)/man$${m##*.}/$$(basename $$m)"; done
	-depmod $(if $(DESTDIR),-b "$(DESTDIR)") "$(KREL)"

clean: ## remove build/ (the cached kernels stay)
	rm -rf build
	@if [ -e tests/unit/Makefile ]; then $(MAKE) -s -C tests/unit clean; fi

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' Makefile | expand -t 16
	@echo "The test bed by itself: scripts/uml --help, scripts/vm --help, scripts/setup --help"
