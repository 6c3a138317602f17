/* SPDX-License-Identifier: MIT */
#include "tests/vector_machine.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NSEC(us)     ((us)*NSEC_PER_USEC)
#define STEPS_MAX    UINT64_C(100000000)
#define TOKENS_MAX   12
#define DISK_SECTORS 976773168

/* A growing text. */
struct text {
	char *data;
	size_t used;
	size_t size;
	size_t lines;
};

/* One line of the script: a bio, or the exit of a process. */
struct line {
	struct event event;
	struct bio bio;
	struct machine *machine;
	uint32_t id;
	uint32_t pid;
	bool is_exit;
	uint32_t after; /* 0: at an absolute time */
	int64_t time_us;
	struct line *next_dependant; /* of the same bio, in file order */
	struct line *dependants;
	struct line **dependants_end;
};

struct machine {
	struct calendar cal;
	struct blk_config config;
	struct blk_queue *q;
	uint32_t depth;
	bool peeks;
	char elevator[32];
	struct line *lines;
	size_t line_count;
	uint32_t id_max;
	struct line **by_id;
	/* tunables, set once the queue exists */
	struct setting {
		char name[32];
		char value[32];
	} settings[32];
	size_t setting_count;
	/* the disk */
	struct request **held; /* ring of depth entries, oldest first */
	uint32_t first;
	uint32_t outstanding;
	sector_t head;
	struct event disk_done;
	struct text output;
	struct text events;
	size_t *events_at;
};

/* ---- text ---- */

static void __attribute__((format(printf, 2, 3)))
text_add(struct text *t, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (t->size - t->used < 256) {
		t->size = 2 * t->size + 4096;
		t->data = realloc(t->data, t->size);
		assert(t->data);
	}
	va_start(ap, fmt);
	n = vsnprintf(t->data + t->used, t->size - t->used, fmt, ap);
	va_end(ap);
	assert(n >= 0 && (size_t)n < t->size - t->used);
	t->used += (size_t)n;
	if (n > 0 && t->data[t->used - 1] == '\n')
		t->lines++;
}

static void
text_add_ids(struct text *t, const struct request *rq)
{
	for (const struct bio *b = rq->first; b; b = b->next)
		text_add(t, "%s%u", b == rq->first ? " " : ",",
			 ((const struct line *)b->cookie)->id);
	text_add(t, "\n");
}

static int64_t
now_us(const struct machine *m)
{
	return m->cal.now_ns / NSEC_PER_USEC;
}

static void
put_output(struct machine *m, char what, const struct request *rq)
{
	m->events_at = realloc(m->events_at,
			       (m->output.lines + 1) * sizeof(*m->events_at));
	assert(m->events_at);
	m->events_at[m->output.lines] = m->events.lines;
	text_add(&m->output, "%c %" PRId64 " %" PRIu64 " %u %c", what,
		 now_us(m), rq->lba, rq->sectors,
		 rq->op == IO_READ ? 'R' : 'W');
	text_add_ids(&m->output, rq);
}

static void
put_request(struct machine *m, const char *what, const struct request *rq)
{
	text_add(&m->events, "%" PRId64 " %s %" PRIu64 "+%u", now_us(m), what,
		 rq->lba, rq->sectors);
	text_add_ids(&m->events, rq);
}

static void
put_bio(struct machine *m, const char *what, const struct bio *bio)
{
	text_add(&m->events, "%" PRId64 " %s %u\n", now_us(m), what,
		 ((const struct line *)bio->cookie)->id);
}

static void
observe(void *ctx, enum blk_action action, const struct request *rq,
	const struct bio *bio)
{
	struct machine *m = ctx;

	switch (action) {
	case BLK_Q:
		put_bio(m, "submit", bio);
		break;
	case BLK_I:
		put_request(m, "insert", rq);
		break;
	case BLK_M:
		put_bio(m, "back_merge", bio);
		break;
	case BLK_F:
		put_bio(m, "front_merge", bio);
		break;
	case BLK_D:
		put_request(m, "issue", rq);
		break;
	case BLK_C:
		put_request(m, "complete", rq);
		break;
	case BLK_P:
		text_add(&m->events, "%" PRId64 " plug\n", now_us(m));
		break;
	case BLK_UT:
		text_add(&m->events, "%" PRId64 " timer unplug\n", now_us(m));
		break;
	case BLK_SLEEP:
		text_add(&m->events, "%" PRId64 " sleep_rq\n", now_us(m));
		break;
	default:
		break;
	}
}

/* ---- disk and driver ---- */

static void
disk_begin(struct machine *m)
{
	const struct request *rq = m->held[m->first];
	uint64_t distance =
		rq->lba > m->head ? rq->lba - m->head : m->head - rq->lba;
	uint64_t us = 100 + 8 * (uint64_t)rq->sectors;

	if (distance > 0)
		us += 4000 + 8000 * distance / DISK_SECTORS;
	calendar_add(&m->cal, &m->disk_done, m->cal.now_ns + NSEC((int64_t)us));
}

static void
disk_done_fire(struct event *ev, nsec_t now_ns)
{
	struct machine *m = container_of(ev, struct machine, disk_done);
	struct request *rq = m->held[m->first];

	(void)now_ns;
	put_output(m, 'C', rq);
	m->head = rq_end(rq);
	m->first = (m->first + 1) % m->depth;
	m->outstanding--;
	if (m->outstanding > 0)
		disk_begin(m);
	blk_complete(m->q, rq, 0);
}

static void
driver_run(void *ctx)
{
	struct machine *m = ctx;
	struct request *rq;

	while (m->peeks || m->outstanding < m->depth) {
		rq = blk_peek(m->q);
		if (!rq || m->outstanding == m->depth)
			break;
		blk_start(m->q, rq);
		put_output(m, 'D', rq);
		m->held[(m->first + m->outstanding) % m->depth] = rq;
		if (m->outstanding++ == 0)
			disk_begin(m);
	}
}

/* ---- processes ---- */

static void
line_fire(struct event *ev, nsec_t now_ns)
{
	struct line *l = container_of(ev, struct line, event);
	struct machine *m = l->machine;
	struct process *p = blk_process(m->q, l->pid, NULL);

	(void)now_ns;
	assert(p);
	if (l->is_exit) {
		text_add(&m->events, "%" PRId64 " exit %u\n", now_us(m),
			 l->pid);
		blk_process_exit(m->q, p);
		return;
	}
	l->bio.process = p;
	blk_submit(m->q, &l->bio);
}

static void
bio_ended(struct bio *bio, nsec_t now_ns, int status)
{
	struct line *l = bio->cookie;

	(void)status;
	for (struct line *d = l->dependants; d; d = d->next_dependant)
		calendar_add(&l->machine->cal, &d->event,
			     now_ns + NSEC(d->time_us));
}

/* ---- the script ---- */

static int
parse_queue(struct machine *m, const char *name, uint32_t value, struct err *e)
{
	if (strcmp(name, "nr_requests") == 0)
		m->config.nr_requests = value;
	else if (strcmp(name, "max_sectors") == 0)
		m->config.max_sectors = value;
	else if (strcmp(name, "unplug_thresh") == 0)
		m->config.unplug_thresh = value;
	else if (strcmp(name, "unplug_delay_ms") == 0)
		m->config.unplug_delay_ms = value;
	else if (strcmp(name, "nonrot") == 0)
		m->config.is_nonrot = value != 0;
	else
		return err_set(e, ERR_INPUT, "unknown: queue %s", name);
	return 0;
}

static void
parse_time(struct line *l, const char *token)
{
	int64_t us;

	if (sscanf(token, "after:%" SCNu32 "+%" SCNd64, &l->after, &us) == 2)
		l->time_us = us;
	else
		l->time_us = strtoll(token, NULL, 10);
}

static void
parse_bio(struct line *l, char **token)
{
	struct bio *bio = &l->bio;

	l->id = (uint32_t)strtoul(token[0], NULL, 10);
	parse_time(l, token[1]);
	l->pid = (uint32_t)strtoul(token[2], NULL, 10);
	bio->io_class = (uint8_t)strtoul(token[3], NULL, 10);
	bio->io_level = (uint8_t)strtoul(token[4], NULL, 10);
	bio->op = token[5][0] == 'R' ? IO_READ : IO_WRITE;
	if (bio->op == IO_WRITE && strcmp(token[6], "sync") == 0)
		bio->flags |= IO_SYNC;
	bio->lba = strtoull(token[7], NULL, 10);
	bio->sectors = (uint32_t)strtoul(token[8], NULL, 10);
	if (strchr(token[9], 'u'))
		bio->flags |= IO_UNPLUG;
	if (strchr(token[9], 'n'))
		bio->flags |= IO_NOIDLE;
	if (strchr(token[9], 'm'))
		bio->flags |= IO_META;
	bio->end = bio_ended;
	bio->cookie = l;
}

static struct line *
new_line(struct machine *m)
{
	struct line *l = &m->lines[m->line_count++];

	l->machine = m;
	event_init(&l->event, PRIO_SUBMIT, line_fire);
	l->dependants_end = &l->dependants;
	return l;
}

static int
parse_header(struct machine *m, char **token, int tokens, struct err *e)
{
	const char *value = token[tokens - 1];

	if (strcmp(token[0], "elevator") == 0 && tokens == 2) {
		snprintf(m->elevator, sizeof(m->elevator), "%s", value);
	} else if (strcmp(token[0], "depth") == 0 && tokens == 2) {
		m->depth = (uint32_t)strtoul(value, NULL, 10);
	} else if (strcmp(token[0], "peek") == 0 && tokens == 2) {
		m->peeks = strcmp(value, "1") == 0;
	} else if (strcmp(token[0], "queue") == 0 && tokens == 3) {
		return parse_queue(m, token[1],
				   (uint32_t)strtoul(value, NULL, 10), e);
	} else if (strcmp(token[0], "set") == 0 && tokens == 3 &&
		   m->setting_count < ARRAY_LEN(m->settings)) {
		struct setting *s = &m->settings[m->setting_count++];

		snprintf(s->name, sizeof(s->name), "%s", token[1]);
		snprintf(s->value, sizeof(s->value), "%s", value);
	} else {
		return err_set(e, ERR_INPUT, "unknown line: %s", token[0]);
	}
	return 0;
}

static int
parse_line(struct machine *m, char *text, struct err *e)
{
	char *token[TOKENS_MAX];
	char *save = NULL;
	int tokens = 0;

	for (char *t = strtok_r(text, " \t", &save); t && tokens < TOKENS_MAX;
	     t = strtok_r(NULL, " \t", &save))
		token[tokens++] = t;
	if (tokens == 0 || token[0][0] == '#')
		return 0;
	if (tokens == 10) {
		parse_bio(new_line(m), token);
		return 0;
	}
	if (tokens == 4 && strcmp(token[0], "exit") == 0) {
		struct line *l = new_line(m);

		l->is_exit = true;
		l->id = (uint32_t)strtoul(token[1], NULL, 10);
		parse_time(l, token[2]);
		l->pid = (uint32_t)strtoul(token[3], NULL, 10);
		return 0;
	}
	return parse_header(m, token, tokens, e);
}

static int
parse(struct machine *m, const char *in, struct err *e)
{
	char *copy = strdup(in);
	char *save = NULL;
	size_t lines = 1;
	int rc = 0;

	for (const char *p = in; *p; p++)
		lines += *p == '\n';
	m->lines = calloc(lines, sizeof(*m->lines));
	assert(copy && m->lines);
	for (char *t = strtok_r(copy, "\n", &save); t && rc == 0;
	     t = strtok_r(NULL, "\n", &save))
		rc = parse_line(m, t, e);
	free(copy);
	if (rc == 0 && m->depth == 0)
		rc = err_set(e, ERR_INPUT, "no depth is given");
	return rc;
}

/* Arm the lines with a time of their own, chain the others. */
static int
link_lines(struct machine *m, struct err *e)
{
	for (size_t i = 0; i < m->line_count; i++)
		if (m->lines[i].id > m->id_max)
			m->id_max = m->lines[i].id;
	m->by_id = calloc((size_t)m->id_max + 1, sizeof(struct line *));
	assert(m->by_id);
	for (size_t i = 0; i < m->line_count; i++)
		m->by_id[m->lines[i].id] = &m->lines[i];
	for (size_t i = 0; i < m->line_count; i++) {
		struct line *l = &m->lines[i];
		struct line *on;

		if (l->after == 0) {
			calendar_add(&m->cal, &l->event, NSEC(l->time_us));
			continue;
		}
		on = l->after <= m->id_max ? m->by_id[l->after] : NULL;
		if (!on)
			return err_set(e, ERR_INPUT,
				       "line %u waits for %u, which is not "
				       "there",
				       l->id, l->after);
		*on->dependants_end = l;
		on->dependants_end = &l->next_dependant;
	}
	return 0;
}

static int
build(struct machine *m, const char *in, enum host_era era, struct err *e)
{
	struct blk_driver driver = { .run = driver_run, .ctx = m };
	struct blk_observer observer = { .event = observe, .ctx = m };

	blk_config_init(&m->config);
	if (parse(m, in, e) < 0)
		return e->code;
	m->config.era = era;
	m->config.elevator = elevator_find(m->elevator, era, e);
	m->held = calloc(m->depth, sizeof(struct request *));
	assert(m->held);
	event_init(&m->disk_done, PRIO_COMPLETE, disk_done_fire);
	if (!m->config.elevator ||
	    calendar_reserve(&m->cal, (uint32_t)m->line_count + 1, e) < 0)
		return e->code;
	m->q = blk_create(&m->config, &m->cal, &driver, e);
	if (!m->q)
		return e->code;
	blk_observe(m->q, &observer);
	for (size_t i = 0; i < m->setting_count; i++)
		if (blk_set(m->q, m->settings[i].name, m->settings[i].value,
			    NULL, e) < 0)
			return e->code;
	return link_lines(m, e);
}

int
machine_run(const char *in, enum host_era era, struct machine_result *r,
	    struct err *e)
{
	struct machine *m = calloc(1, sizeof(*m));
	uint64_t steps = 0;
	int rc;

	assert(m);
	calendar_init(&m->cal);
	rc = build(m, in, era, e);
	if (rc == 0) {
		while (calendar_step(&m->cal) && steps < STEPS_MAX)
			steps++;
		text_add(&m->output, "%s", "");
		text_add(&m->events, "%s", "");
		*r = (struct machine_result){ m->output.data, m->events.data,
					      m->events_at, m->output.lines };
	}
	blk_destroy(m->q);
	calendar_free(&m->cal);
	free(m->held);
	free(m->by_id);
	free(m->lines);
	free(m);
	return rc;
}

void
machine_result_free(struct machine_result *r)
{
	free(r->output);
	free(r->events);
	free(r->events_at);
}

size_t
machine_events_before(const struct machine_result *r, unsigned line)
{
	if (line > r->lines)
		return SIZE_MAX;
	return r->events_at[line - 1];
}
