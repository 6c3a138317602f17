# SPDX-License-Identifier: MIT
# ncqsim.  "make help" lists the targets; V=1 shows the commands.

BUILD ?= release
CC ?= gcc
O := build/$(BUILD)

WARN := -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror
OPT.release := -O2 -g
OPT.debug := -O0 -g
OPT.asan := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all
OPT.tsan := -O1 -g -fsanitize=thread
ALL_CFLAGS := -std=c11 -D_GNU_SOURCE $(WARN) -I. $(OPT.$(BUILD)) $(CFLAGS)
Q := $(if $(V),,@)

LIB_SRC := $(wildcard sim/*.c sim/*/*.c models/elevators/*.c \
	models/firmware/*.c traces/*.c)
LIB_OBJ := $(LIB_SRC:%.c=$(O)/%.o)

all: $(O)/libncqsim.a

$(O)/%.o: %.c
	@mkdir -p $(@D)
	$(if $(V),,@echo "  CC      $<")
	$(Q)$(CC) $(ALL_CFLAGS) -MMD -MP -c $< -o $@

$(O)/libncqsim.a: $(LIB_OBJ)
	$(if $(V),,@echo "  AR      $@")
	$(Q)rm -f $@ && $(AR) rcs $@ $^

clean:
	rm -rf build

.PHONY: all clean
-include $(LIB_OBJ:.o=.d)
