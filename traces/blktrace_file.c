/* SPDX-License-Identifier: MIT */
#include "traces/blktrace_file.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>

/* More CPUs than Linux can be built for; larger numbers are garbage. */
#define CPU_MAX 8192u

/* How far to look for the first event: bfq logs much before it. */
#define GUESS_BYTES_MAX ((size_t)4 << 20)

/* A gap that is believed when looking for the next record after damage. */
#define RESYNC_GAP_NS (UINT64_C(86400) * 1000000000u)

static bool
layout_at(const uint8_t *p, size_t length, struct blk_layout *l)
{
	uint32_t magic;

	if (length < 4)
		return false;
	magic = blk_get32(p, false);
	l->magic = magic;
	l->swap = (magic & BLK_MAGIC_MASK) != BLK_MAGIC;
	if (l->swap)
		magic = __builtin_bswap32(magic);
	if ((magic & BLK_MAGIC_MASK) != BLK_MAGIC)
		return false;
	l->version = (uint8_t)(magic & 0xff);
	l->header = l->version == 7 ? BLK_V7_BYTES : BLK_V8_BYTES;
	return true;
}

bool
blk_layout_find(const uint8_t *p, size_t length, struct blk_layout *l)
{
	memset(l, 0, sizeof(*l));
	if (!layout_at(p, length, l)) {
		if (length < BLK_LEAD_BYTES ||
		    !layout_at(p + BLK_LEAD_BYTES, length - BLK_LEAD_BYTES, l))
			return false;
		l->lead = BLK_LEAD_BYTES;
	}
	/* A device where version 7 has the CPU: version 8 cut to 48 bytes. */
	if (l->version == 7 && length >= l->lead + BLK_V7_BYTES)
		l->cut = blk_get32(p + l->lead + 40, l->swap) >= CPU_MAX &&
			 blk_get32(p + l->lead + 44, l->swap) < CPU_MAX;
	return true;
}

/* Between the file's own pointers and the input's positions. */
static void
file_sync(struct blk_file *f)
{
	f->in->pos = (size_t)(f->p - f->in->buf);
}

static void
file_refresh(struct blk_file *f)
{
	f->p = f->in->buf + f->in->pos;
	f->plain_end = f->may_be_plain ? f->in->buf + f->in->end : f->p;
}

static struct trace_place
file_place(const struct blk_file *f)
{
	return (struct trace_place){ .file = f->index,
				     .offset = input_tell(f->in) };
}

static bool
is_text(const uint8_t *p, size_t length)
{
	if (length > 64)
		length = 64;
	for (size_t i = 0; i < length; i++)
		if (!isprint(p[i]) && !isspace(p[i]))
			return false;
	return length > 0;
}

/* A file that does not begin with a record: look for the first one. */
static int
open_damaged(struct trace_reader *reader, struct blk_file *f, struct err *e)
{
	struct trace_fault fault = { file_place(f), DAMAGE_MAGIC, 0 };
	const uint8_t *p = f->in->buf + f->in->pos;
	size_t ready = input_ready(f->in);
	uint32_t magic = ready >= 4 ? blk_get32(p, false) : 0;

	if (is_text(p, ready))
		return reader_fail(reader, &fault.place, e,
				   "this is text, not a blktrace file");
	while (fault.lost_bytes < ready &&
	       (!layout_at(p + fault.lost_bytes, ready - fault.lost_bytes,
			   &f->layout) ||
		f->layout.version < 7 || f->layout.version > 8))
		fault.lost_bytes++;
	if (fault.lost_bytes == ready)
		return reader_fail(reader, &fault.place, e,
				   "this is not a blktrace file");
	f->in->pos += fault.lost_bytes;
	return reader_fault(reader, &fault, e,
			    "the first record begins with 0x%08x, not with "
			    "the blktrace magic 0x%08x",
			    magic, BLK_MAGIC | f->layout.version);
}

static int
open_layout(struct trace_reader *reader, struct blk_file *f, struct err *e)
{
	int r = input_fill(f->in, INPUT_BUFFER_BYTES / 2, e);

	if (r || input_ready(f->in) == 0)
		return r;
	if (!blk_layout_find(f->in->buf, input_ready(f->in), &f->layout))
		return open_damaged(reader, f, e);
	if (f->layout.version < 7 || f->layout.version > 8) {
		struct trace_place place = file_place(f);

		return reader_fail(reader, &place, e,
				   "blktrace version %u; 7 and 8 are supported",
				   f->layout.version);
	}
	if (f->layout.cut)
		return reader_warn(reader, e,
				   "%s: binary output of Linux 7.2's ftrace "
				   "(version 8 fields marked version 7): "
				   "errors and payloads are not in it",
				   f->in->path);
	return 0;
}

/*
 * A file alone that was given the name of another CPU is read as if its name
 * said nothing: nobody else can have its records.
 */
static int
check_renamed(struct trace_reader *reader, struct blk_file *f, struct err *e)
{
	const struct blk_layout *l = &f->layout;
	struct trace_event ev;
	struct blk_header h;
	uint32_t cpu = (uint32_t)f->cpu;

	if (f->cpu < 0 || reader->input_count > 1 ||
	    input_ready(f->in) < (size_t)l->lead + l->header)
		return 0;
	blk_decode(f->in->buf + f->in->pos + l->lead, l->swap,
		   l->version == 8 || l->cut, &ev, &h);
	if (h.cpu == cpu || h.cpu >= CPU_MAX)
		return 0;
	f->cpu = -1;
	return reader_warn(reader, e,
			   "%s: begins with a record of CPU %u; its name is "
			   "taken to mean nothing",
			   f->in->path, h.cpu);
}

int
blk_file_open(struct trace_reader *reader, struct blk_file *f, uint32_t index,
	      struct err *e)
{
	const struct blk_layout *l = &f->layout;
	int r;

	memset(f, 0, sizeof(*f));
	f->in = &reader->inputs[index];
	f->index = index;
	f->cpu = trace_member_cpu(f->in->path);
	f->order = ORDER_SORTED;
	r = open_layout(reader, f, e);
	if (!r && l->header)
		r = check_renamed(reader, f, e);
	f->may_be_plain = f->cpu >= 0 && l->version == 7 && !l->swap &&
			  !l->cut && l->lead == 0;
	file_refresh(f);
	return r;
}

/*
 * Look for the first event from @pos on in what is read.  Returns whether
 * there is one; @pos is left at the record that could not be looked at.
 */
static bool
find_event(const struct blk_file *f, size_t *pos, uint64_t *note_ns,
	   uint64_t *event_ns)
{
	const struct blk_layout *l = &f->layout;
	size_t need = (size_t)l->lead + l->header;

	while (*pos + need <= f->in->end) {
		const uint8_t *p = f->in->buf + *pos + l->lead;

		*event_ns = blk_time_ns(p, l);
		if (blk_get32(p, false) != l->magic ||
		    (!blk_is_note(p, l) && !blk_is_cgroup_message(p, l)))
			return true;
		*note_ns = *event_ns;
		*pos += need + blk_payload_bytes(p, l);
	}
	return false;
}

int
blk_file_guess_order(struct blk_file *f, struct err *e)
{
	size_t look = INPUT_BUFFER_BYTES;
	size_t pos = f->in->pos;
	uint64_t note_ns = 0;
	uint64_t event_ns = UINT64_MAX;
	bool found;

	while (!(found = find_event(f, &pos, &note_ns, &event_ns)) &&
	       !f->in->eof && look < GUESS_BYTES_MAX) {
		int r;

		pos -= f->in->pos;
		look *= 2;
		r = input_fill(f->in, look, e);
		if (r)
			return r;
		file_refresh(f);
	}
	/* A dump has relative times, but notes have absolute ones. */
	f->order = found && (event_ns == 0 || note_ns / 2 > event_ns)
			   ? ORDER_DUMP
			   : ORDER_NONE;
	return 0;
}

/* Have @bytes of the head ready; false when the file ends before. */
static bool
file_ready(struct blk_file *f, size_t bytes, int *r, struct err *e)
{
	if (likely(input_ready(f->in) >= bytes))
		return true;
	*r = f->in->eof ? 0 : input_fill(f->in, bytes, e);
	if (*r)
		return false;
	if (input_ready(f->in) >= bytes)
		return true;
	f->head = input_ready(f->in) == 0 ? HEAD_END : HEAD_CUT;
	f->time_ns = f->last_ns;
	f->size = 0;
	return false;
}

/* Notes are not in order with the events, nor on the same clock in a dump. */
static inline bool
has_other_clock(const struct blk_file *f, const uint8_t *p)
{
	return blk_is_note(p, &f->layout) ||
	       (f->order == ORDER_DUMP && blk_is_cgroup_message(p, &f->layout));
}

/*
 * The time of a head that is a note, or that is before the last record.  A
 * note comes as soon as it is reached: names are wanted before their events.
 */
static void
file_odd_time(struct blk_file *f, const uint8_t *p, uint64_t time_ns)
{
	if (has_other_clock(f, p)) {
		f->time_ns = f->last_ns;
		return;
	}
	if (f->order == ORDER_NONE && !(time_ns >> BLK_TIME_BITS)) {
		f->time_ns = time_ns;
		return;
	}
	if (time_ns < f->last_ns)
		f->head = HEAD_ORDER;
	f->time_ns = f->last_ns;
}

static int
load_head(struct blk_file *f, struct err *e)
{
	const struct blk_layout *l = &f->layout;
	size_t need = (size_t)l->lead + l->header;
	const uint8_t *p;
	uint64_t time_ns;
	int r = 0;

	assert(l->header || f->in->eof);
	if (unlikely(!file_ready(f, need ? need : 1, &r, e)))
		return r;
	p = f->in->buf + f->in->pos + l->lead;
	f->head = HEAD_WHOLE;
	if (unlikely(blk_get32(p, false) != l->magic)) {
		f->head = HEAD_MAGIC;
		f->time_ns = f->last_ns;
		f->size = 0;
		return 0;
	}
	need += blk_payload_bytes(p, l);
	if (unlikely(!file_ready(f, need, &r, e)))
		return r;
	p = f->in->buf + f->in->pos + l->lead;
	f->size = (uint32_t)need;
	time_ns = blk_time_ns(p, l);
	if (unlikely((time_ns - f->last_ns) >> BLK_TIME_BITS ||
		     has_other_clock(f, p))) {
		file_odd_time(f, p, time_ns);
		return 0;
	}
	f->time_ns = time_ns;
	f->last_ns = time_ns;
	return 0;
}

int
blk_file_load(struct blk_file *f, struct err *e)
{
	int r;

	f->is_plain = false;
	file_sync(f);
	r = load_head(f, e);
	file_refresh(f);
	return r;
}

/* Whether a record may start at @p, after damage. */
static bool
plausible(const struct blk_file *f, const uint8_t *p)
{
	const struct blk_layout *l = &f->layout;
	struct trace_event ev;
	struct blk_header h;

	if (blk_get32(p, false) != l->magic)
		return false;
	blk_decode(p, l->swap, l->version == 8 || l->cut, &ev, &h);
	if (h.cpu >= CPU_MAX || (f->cpu >= 0 && h.cpu != (uint32_t)f->cpu))
		return false;
	if (h.action >> 16 & TRACE_NOTIFY || f->order == ORDER_NONE)
		return true;
	return h.time_ns >= f->last_ns &&
	       h.time_ns - f->last_ns < RESYNC_GAP_NS;
}

/* Move to the next plausible record, or to the end. */
static int
file_resync(struct blk_file *f, uint64_t *lost_bytes, struct err *e)
{
	const struct blk_layout *l = &f->layout;
	size_t need = (size_t)l->lead + l->header;
	uint64_t start = input_tell(f->in);

	f->in->pos++;
	for (;;) {
		if (input_ready(f->in) < need) {
			int r = input_fill(f->in, need, e);

			if (r)
				return r;
			if (input_ready(f->in) < need) {
				f->in->pos = f->in->end;
				break;
			}
		}
		if (plausible(f, f->in->buf + f->in->pos + l->lead))
			break;
		f->in->pos++;
	}
	*lost_bytes = input_tell(f->in) - start;
	return 0;
}

/* Zero bytes at the read position, as far as they can be seen. */
static size_t
count_zeroes(const struct trace_input *in)
{
	size_t n = 0;

	while (in->pos + n < in->end && in->buf[in->pos + n] == 0)
		n++;
	return n;
}

/* What stands where a record should, in words. */
static const char *
describe_magic(const struct blk_file *f, char *buf, size_t size)
{
	uint32_t raw = blk_get32(f->in->buf + f->in->pos + f->layout.lead,
				 f->layout.swap);
	uint32_t good = BLK_MAGIC | f->layout.version;

	if (raw == __builtin_bswap32(good))
		snprintf(buf, size,
			 "a record in the other byte order; are these two "
			 "traces in one file?");
	else if ((raw & BLK_MAGIC_MASK) == BLK_MAGIC)
		snprintf(buf, size, "a version %u record among version %u",
			 raw & 0xff, f->layout.version);
	else
		snprintf(buf, size,
			 "0x%08x where a record with magic 0x%08x should begin",
			 raw, good);
	return buf;
}

static int
fault_cut(struct trace_reader *reader, struct blk_file *f, struct err *e)
{
	struct trace_fault fault = { file_place(f), DAMAGE_TRUNCATED, 0 };
	size_t ready = input_ready(f->in);
	size_t header = (size_t)f->layout.lead + f->layout.header;
	bool in_header = ready < header;
	size_t whole = header;

	if (!in_header)
		whole += blk_payload_bytes(
			f->in->buf + f->in->pos + f->layout.lead, &f->layout);
	fault.lost_bytes = ready;
	f->in->pos = f->in->end;
	return reader_fault(reader, &fault, e,
			    "the file ends inside a %s: %zu of %zu bytes",
			    in_header ? "record header" : "record's payload",
			    ready, whole);
}

static int
fault_magic(struct trace_reader *reader, struct blk_file *f, struct err *e)
{
	struct trace_fault fault = { file_place(f), DAMAGE_MAGIC, 0 };
	size_t zeroes = count_zeroes(f->in);
	char text[120];
	int r = 0;

	describe_magic(f, text, sizeof(text));
	if (reader->opt.lenient)
		r = file_resync(f, &fault.lost_bytes, e);
	if (r)
		return r;
	if (zeroes < 4)
		return reader_fault(reader, &fault, e, "%s", text);
	fault.kind = DAMAGE_ZEROES;
	return reader_fault(reader, &fault, e,
			    "zero bytes where a record should begin; was it "
			    "copied while blktrace was still writing?");
}

/* Returns 1 when the record is kept, else as blk_file_take. */
static int
take_odd_head(struct trace_reader *reader, struct blk_file *f, struct err *e)
{
	struct trace_fault fault = { file_place(f), DAMAGE_ORDER, 0 };
	uint64_t back_ns;
	int r;

	if (f->head == HEAD_CUT)
		return fault_cut(reader, f, e);
	if (f->head == HEAD_MAGIC)
		return fault_magic(reader, f, e);
	assert(f->head == HEAD_ORDER);
	back_ns = f->last_ns -
		  blk_time_ns(f->in->buf + f->in->pos + f->layout.lead,
			      &f->layout);
	r = reader_fault(reader, &fault, e, "the time goes back by %llu ns",
			 (unsigned long long)back_ns);
	return r ? r : 1;
}

static int
fault_time(struct trace_reader *reader, const struct blk_file *f,
	   uint64_t time_ns, struct err *e)
{
	struct trace_fault fault = { file_place(f), DAMAGE_VALUE, f->size };

	return reader_fault(reader, &fault, e, "the time is %llu ns",
			    (unsigned long long)time_ns);
}

/* Report a field that cannot be; a lenient reader drops the record. */
static int
fault_value(struct trace_reader *reader, const struct blk_file *f,
	    const struct trace_event *ev, uint32_t action, struct err *e)
{
	struct trace_fault fault = { file_place(f), DAMAGE_VALUE, f->size };

	bool known = ev->category & TRACE_NOTIFY ? action <= BLK_NOTE_MESSAGE
						 : action - 1 < BLK_ACTION_MAX;

	if (!known)
		return reader_fault(reader, &fault, e,
				    "unknown action %u (category 0x%x)", action,
				    ev->category);
	if (ev->sector >> BLK_SECTOR_BITS)
		return reader_fault(reader, &fault, e,
				    "sector %llu is beyond 2^48",
				    (unsigned long long)ev->sector);
	if (ev->payload_bytes)
		return reader_fault(reader, &fault, e,
				    "a payload of %u bytes is too short for "
				    "action %u",
				    ev->payload_bytes, action);
	return reader_fault(reader, &fault, e,
			    "%u bytes are not a whole number of 512-byte "
			    "sectors",
			    ev->bytes);
}

/* The two words of a timestamp note, in whichever order makes sense. */
static uint64_t
note_wall_ns(const uint8_t *p, bool swap)
{
	if (blk_get32(p + 4, swap) >= NSEC_PER_SEC)
		swap = !swap;
	return blk_get32(p, swap) * (uint64_t)NSEC_PER_SEC +
	       blk_get32(p + 4, swap);
}

/* Returns the action, or 0 when the payload is too short for it. */
static uint8_t
decode_note(struct trace_event *ev, const struct blk_header *h, bool swap)
{
	const uint8_t *p = (const uint8_t *)ev->payload;

	/* These fields of a note are what was in memory. */
	ev->sector = 0;
	ev->bytes = 0;
	ev->error = 0;
	switch (h->action & 0xffff & ~BLK_CGROUP) {
	case BLK_NOTE_PROCESS:
		return TRACE_PROCESS;
	case BLK_NOTE_TIME:
		if (ev->payload_bytes < 8)
			return 0;
		ev->arg = note_wall_ns(p, swap);
		return TRACE_TIMESTAMP;
	case BLK_NOTE_MESSAGE:
		if (h->action & BLK_CGROUP) {
			if (ev->payload_bytes < BLK_CGROUP_BYTES)
				return 0;
			ev->payload += BLK_CGROUP_BYTES;
			ev->payload_bytes = (uint16_t)(ev->payload_bytes -
						       BLK_CGROUP_BYTES);
		}
		return TRACE_MESSAGE;
	default:
		return 0;
	}
}

/* The numbers in a payload; false when it is too short for its action. */
static bool
decode_payload(struct trace_event *ev)
{
	const uint8_t *p = (const uint8_t *)ev->payload;

	switch (ev->action) {
	case TRACE_REMAP:
		if (ev->payload_bytes < 16)
			return false;
		ev->arg_device = blk_get_be32(p);
		ev->arg = blk_get_be64(p + 8);
		return true;
	case TRACE_SPLIT:
	case TRACE_UNPLUG:
	case TRACE_UNPLUG_TIMER:
		if (ev->payload_bytes < 8)
			return false;
		ev->arg = blk_get_be64(p);
		return true;
	default:
		return true;
	}
}

/* Returns 1 when the record is kept, else as blk_file_take. */
static int
check_cpu(struct trace_reader *reader, const struct blk_file *f, uint32_t cpu,
	  struct err *e)
{
	struct trace_fault fault = { file_place(f), DAMAGE_CPU, 0 };
	int r = reader_fault(reader, &fault, e,
			     "a record of CPU %u in the file of CPU %d; was "
			     "the file renamed?",
			     cpu, f->cpu);

	return r ? r : 1;
}

static int
take_head(struct trace_reader *reader, struct blk_file *f,
	  struct trace_event *ev, struct err *e)
{
	const struct blk_layout *l = &f->layout;
	const uint8_t *p = f->in->buf + f->in->pos + l->lead;
	struct blk_header h;
	uint32_t action;
	int r;

	if (unlikely(f->head != HEAD_WHOLE)) {
		r = take_odd_head(reader, f, e);
		if (r <= 0)
			return r;
	}
	if (likely(l->header == BLK_V7_BYTES && !l->swap && !l->cut))
		blk_decode(p, false, false, ev, &h);
	else
		blk_decode(p, l->swap, l->version == 8 || l->cut, ev, &h);
	reader->at.file = f->index;
	reader->at.offset = input_tell(f->in);
	if (unlikely(h.time_ns >> BLK_TIME_BITS && !has_other_clock(f, p)))
		return fault_time(reader, f, h.time_ns, e);
	ev->time_ns = (nsec_t)f->time_ns;
	ev->arg = 0;
	ev->arg_device = 0;
	ev->payload = NULL;
	ev->category = (uint32_t)(h.action >> 16);
	ev->cpu = (uint16_t)h.cpu;
	ev->error = 0;
	ev->payload_bytes = 0;
	ev->reserved = 0;
	action = (uint32_t)h.action & 0xffff & ~BLK_CGROUP;
	if (likely(!l->cut))
		ev->error = (int16_t)blk_get16(
			p + l->header - (l->version == 7 ? 4 : 16), l->swap);
	if (unlikely(f->cpu >= 0 && h.cpu != (uint32_t)f->cpu)) {
		r = check_cpu(reader, f, h.cpu, e);
		if (r <= 0)
			return r;
	}
	if (f->size != (uint32_t)l->lead + l->header) {
		ev->payload = (const char *)p + l->header;
		ev->payload_bytes = (uint16_t)(f->size - l->lead - l->header);
	}
	if (unlikely(ev->category & TRACE_NOTIFY)) {
		ev->action = decode_note(ev, &h, l->swap);
		if (!ev->action)
			return fault_value(reader, f, ev, action, e);
		if (ev->action != TRACE_MESSAGE && f->order != ORDER_DUMP)
			ev->time_ns = (nsec_t)h.time_ns;
		return 1;
	}
	ev->action = (uint8_t)action;
	if (unlikely(action - 1 >= BLK_ACTION_MAX ||
		     ((ev->sector >> BLK_SECTOR_BITS || ev->bytes & 511) &&
		      !(ev->category & TRACE_PC))))
		return fault_value(reader, f, ev, action, e);
	if (unlikely(ev->payload_bytes) && !decode_payload(ev))
		return fault_value(reader, f, ev, action, e);
	return 1;
}

int
blk_file_take(struct trace_reader *reader, struct blk_file *f,
	      struct trace_event *ev, struct err *e)
{
	int r;

	file_sync(f);
	r = take_head(reader, f, ev, e);
	file_refresh(f);
	return r;
}
