/* SPDX-License-Identifier: MIT */
#include "sim/host/process.h"

#include <stdlib.h>

#define TABLE_SLOTS_MIN 64u

int
process_table_init(struct process_table *t, struct err *e)
{
	t->slots = calloc(TABLE_SLOTS_MIN, sizeof(*t->slots));
	if (!t->slots)
		return err_nomem(e);
	t->mask = TABLE_SLOTS_MIN - 1;
	t->count = 0;
	t->recent = NULL;
	return 0;
}

void
process_table_free(struct process_table *t)
{
	if (!t->slots)
		return;
	for (uint32_t i = 0; i <= t->mask; i++) {
		struct process *p = t->slots[i];

		if (p && p->context)
			io_context_put(p->context);
		free(p);
	}
	free(t->slots);
	t->slots = NULL;
}

/* The slot that holds @pid, or the free one where it belongs. */
static uint32_t
slot_of(struct process *const *slots, uint32_t mask, uint32_t pid)
{
	uint32_t i = (pid * UINT32_C(0x9e3779b1)) & mask;

	while (slots[i] && slots[i]->pid != pid)
		i = (i + 1) & mask;
	return i;
}

struct process *
process_find(struct process_table *t, uint32_t pid)
{
	struct process *p = t->recent;

	if (likely(p && p->pid == pid))
		return p;
	p = t->slots[slot_of(t->slots, t->mask, pid)];
	if (p)
		t->recent = p;
	return p;
}

static int
grow(struct process_table *t, struct err *e)
{
	uint32_t mask = 2 * t->mask + 1;
	struct process **slots = calloc((size_t)mask + 1, sizeof(*slots));

	if (!slots)
		return err_nomem(e);
	for (uint32_t i = 0; i <= t->mask; i++) {
		struct process *p = t->slots[i];

		if (p)
			slots[slot_of(slots, mask, p->pid)] = p;
	}
	free(t->slots);
	t->slots = slots;
	t->mask = mask;
	return 0;
}

struct process *
process_add(struct process_table *t, uint32_t pid, struct err *e)
{
	struct process *p;
	uint32_t slot;

	if (2 * (t->count + 1) > t->mask && grow(t, e) < 0)
		return NULL;
	p = calloc(1, sizeof(*p));
	if (!p) {
		err_nomem(e);
		return NULL;
	}
	p->pid = pid;
	p->parked_end = &p->parked;
	slot = slot_of(t->slots, t->mask, pid);
	assert(!t->slots[slot]);
	t->slots[slot] = p;
	t->count++;
	t->recent = p;
	return p;
}

struct io_context *
io_context_new(uint32_t pid, size_t elevator_bytes)
{
	struct io_context *context;

	context = calloc(1, sizeof(*context) + elevator_bytes);
	if (!context)
		return NULL;
	context->pid = pid;
	context->refs = 1;
	return context;
}

void
io_context_put(struct io_context *context)
{
	assert(context->refs > 0);
	if (--context->refs == 0)
		free(context);
}
