/* SPDX-License-Identifier: MIT */
#include "frontend/explain.h"

#include "frontend/output.h"
#include "frontend/text.h"

#include <inttypes.h>
#include <string.h>

/* By enum probe_rule: its name, and the words that go before a choice. */
static const struct {
	const char *name;
	const char *alone; /* "tag 3 ...": the rule left nothing else */
	const char *among; /* it left several to the policy */
} rules[] = {
	[PROBE_RULE_NONE] = { "none", "is the only command", "" },
	[PROBE_RULE_AGE] = { "age-limit",
			     "has waited longer than the age limit", "" },
	[PROBE_RULE_DEADLINE] = { "deadline", "is close to its deadline", "" },
	[PROBE_RULE_PRIORITY] = { "priority",
				  "is the only one of high priority",
				  "of those of high priority, " },
	[PROBE_RULE_STREAM] = { "stream",
				"goes on where the media ended, and the "
				"stream goes first",
				"" },
	[PROBE_RULE_WINDOW] = { "window", "is the oldest, and the window one",
				"of the oldest in the window, " },
};

static uint32_t
count_allowed(const struct probe_decision *d)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < d->count; i++)
		n += d->candidate[i].is_allowed;
	return n;
}

static nsec_t
score_ns(const struct probe_candidate *c)
{
	return c->expected_ns - c->credit_ns;
}

/* The best score of those that might have been chosen and were not. */
static const struct probe_candidate *
runner_up(const struct probe_decision *d)
{
	const struct probe_candidate *best = NULL;

	for (uint32_t i = 0; i < d->count; i++) {
		const struct probe_candidate *c = &d->candidate[i];

		if (i != d->chosen && c->is_allowed &&
		    (!best || score_ns(c) < score_ns(best)))
			best = c;
	}
	return best;
}

/* One that could really begin sooner, but is thought to take longer. */
static const struct probe_candidate *
mistaken(const struct probe_decision *d)
{
	const struct probe_candidate *chosen = &d->candidate[d->chosen];
	const struct probe_candidate *best = NULL;

	for (uint32_t i = 0; i < d->count; i++) {
		const struct probe_candidate *c = &d->candidate[i];

		if (c->is_allowed && c->start_ns < chosen->start_ns &&
		    score_ns(c) > score_ns(chosen) &&
		    (!best || c->start_ns < best->start_ns))
			best = c;
	}
	return best;
}

/* ---- why, in a sentence ---- */

struct sentence {
	char text[512];
};

static void
add_comparison(struct sentence *s, const struct probe_decision *d)
{
	const struct probe_candidate *chosen = &d->candidate[d->chosen];
	const struct probe_candidate *next = runner_up(d);
	const struct probe_candidate *sooner = mistaken(d);
	size_t at = strlen(s->text);
	nsec_t ahead_ns = score_ns(next) - score_ns(chosen);

	if (sooner)
		snprintf(s->text + at, sizeof(s->text) - at,
			 "; tag %u could begin %s sooner, but the firmware "
			 "counts it %s later%s",
			 sooner->tag,
			 text_time(chosen->start_ns - sooner->start_ns).s,
			 text_time(score_ns(sooner) - score_ns(chosen)).s,
			 chosen->credit_ns ? ", with the credit for age" : "");
	else if (ahead_ns >= 0)
		snprintf(s->text + at, sizeof(s->text) - at,
			 ", %s ahead of tag %u", text_time(ahead_ns).s,
			 next->tag);
	else
		snprintf(s->text + at, sizeof(s->text) - at,
			 "; tag %u could begin %s sooner", next->tag,
			 text_time(-ahead_ns).s);
}

static struct sentence
why(const struct probe_decision *d)
{
	const struct probe_candidate *chosen = &d->candidate[d->chosen];
	struct sentence s;
	size_t at;

	if (count_allowed(d) == 1) {
		snprintf(s.text, sizeof(s.text), "Tag %u %s", chosen->tag,
			 rules[d->rule].alone);
	} else {
		snprintf(s.text, sizeof(s.text), "By %s, %stag %u is %s",
			 d->policy, rules[d->rule].among, chosen->tag, d->why);
		add_comparison(&s, d);
	}
	at = strlen(s.text);
	if (d->chosen)
		snprintf(s.text + at, sizeof(s.text) - at,
			 "; %u older command%s left waiting.", d->chosen,
			 d->chosen == 1 ? " is" : "s are");
	else
		snprintf(s.text + at, sizeof(s.text) - at, ".");
	return s;
}

/* ---- for people ---- */

static struct text
ms(nsec_t ns)
{
	return text_decimal(ns, 6, 3);
}

static void
write_candidate(FILE *out, const struct probe_decision *d, uint32_t i)
{
	const struct probe_candidate *c = &d->candidate[i];
	char mark = i == d->chosen ? '>' : c->is_allowed ? ' ' : '-';

	fprintf(out, "%c%3u %c %11" PRIu64 " %5u", mark, c->tag,
		c->is_write ? 'W' : 'R', c->lba, c->sectors);
	fprintf(out, " %8s", text_decimal(d->time_ns - c->arrived_ns, 6, 2).s);
	fprintf(out, " %6s %5s", ms(c->seek_ns).s,
		text_decimal(c->settle_ns, 6, 2).s);
	fprintf(out, " %6s %6s", text_decimal(c->switch_ns, 6, 2).s,
		ms(c->rotate_ns).s);
	fprintf(out, " %6s %7s\n", ms(score_ns(c)).s, ms(c->total_ns).s);
}

static void
write_table(FILE *out, const struct probe_decision *d)
{
	fputs(" tag          LBA  sect      age   seek  settl switch rotate "
	      " score   total\n",
	      out);
	for (uint32_t i = 0; i < d->count; i++)
		write_candidate(out, d, i);
	fputs("\n", out);
	fputs("  ", out);
	text_wrap(out,
		  "Oldest first, times in ms. score: what the firmware "
		  "compares, the time to the first sector with guard time "
		  "and errors, less credit for age. total: overhead and "
		  "transfer included. > chosen, - ruled out.",
		  2, 2);
}

static void
write_outcome(FILE *out, const struct explanation *x)
{
	const struct probe_access *a = x->request->access;
	const struct probe_candidate *c =
		&x->decision->candidate[x->decision->chosen];
	nsec_t took_ns = a->done_ns - a->started_ns;
	char text[512];

	snprintf(text, sizeof(text),
		 "It took %s ms: overhead %s, seek and settling %s over %u "
		 "cylinders, switches %s, rotation %s, transfer %s; %s. "
		 "Request %u completed at %s ms, %s ms after it was issued.",
		 ms(took_ns).s, ms(a->overhead_ns).s, ms(a->seek_ns).s,
		 a->seek_cyl, ms(a->switch_ns).s, ms(a->rotate_ns).s,
		 ms(a->transfer_ns).s,
		 took_ns == c->total_ns ? "as predicted" : "not as predicted",
		 x->request->number, ms(x->request->completed_ns).s,
		 ms(x->request->completed_ns - x->request->issued_ns).s);
	fputs("  ", out);
	text_wrap(out, text, 2, 2);
}

void
explain_write_human(FILE *out, const struct explanation *x)
{
	const struct probe_decision *d = x->decision;
	struct sentence sentence = why(d);

	fprintf(out, "%s: at %s ms the drive chose tag %u, ", x->input,
		ms(d->time_ns).s, d->candidate[d->chosen].tag);
	if (d->count > 1)
		fprintf(out, "one of %u waiting\n", d->count);
	else
		fputs("the only one waiting\n", out);
	fprintf(out, "  drive   %s\n  stack   %s\n\n", x->drive, x->stack);
	write_table(out, d);
	fputs("\n", out);
	fputs("  ", out);
	text_wrap(out, sentence.text, 2, 2);
	fputs("\n", out);
	write_outcome(out, x);
}

/* ---- JSON ---- */

static void
json_candidate(struct json *json, const struct probe_decision *d,
	       const struct probe_candidate *c)
{
	json_begin_object(json, NULL);
	json_uint(json, "tag", c->tag);
	json_string(json, "op", c->is_write ? "write" : "read");
	json_uint(json, "lba", c->lba);
	json_uint(json, "sectors", c->sectors);
	json_int(json, "age_ns", d->time_ns - c->arrived_ns);
	json_int(json, "overhead_ns", c->overhead_ns);
	json_uint(json, "seek_cyl", c->seek_cyl);
	json_int(json, "seek_ns", c->seek_ns);
	json_int(json, "settle_ns", c->settle_ns);
	json_int(json, "switch_ns", c->switch_ns);
	json_int(json, "rotate_ns", c->rotate_ns);
	json_int(json, "transfer_ns", c->transfer_ns);
	json_int(json, "total_ns", c->total_ns);
	json_int(json, "start_ns", c->start_ns);
	json_int(json, "expected_ns", c->expected_ns);
	json_int(json, "credit_ns", c->credit_ns);
	json_bool(json, "allowed", c->is_allowed);
	json_bool(json, "chained", c->is_chained);
	json_bool(json, "high_priority", c->is_high);
	json_end_object(json);
}

static void
json_outcome(struct json *json, const struct probe_request *r)
{
	const struct probe_access *a = r->access;

	json_begin_object(json, "actual");
	json_uint(json, "request", r->number);
	json_int(json, "overhead_ns", a->overhead_ns);
	json_uint(json, "seek_cyl", a->seek_cyl);
	json_int(json, "seek_and_settle_ns", a->seek_ns);
	json_int(json, "switch_ns", a->switch_ns);
	json_int(json, "rotate_ns", a->rotate_ns);
	json_int(json, "transfer_ns", a->transfer_ns);
	json_int(json, "total_ns", a->done_ns - a->started_ns);
	json_int(json, "issued_ns", r->issued_ns);
	json_int(json, "done_ns", a->done_ns);
	json_int(json, "completed_ns", r->completed_ns);
	json_end_object(json);
}

int
explain_write_json(FILE *out, const struct explanation *x)
{
	const struct probe_decision *d = x->decision;
	struct sentence sentence = why(d);
	struct json json;

	json_init(&json, JSON_PRETTY, output_json_sink, out);
	json_begin_object(&json, NULL);
	json_string(&json, "schema", EXPLAIN_SCHEMA);
	json_int(&json, "schema_version", EXPLAIN_SCHEMA_VERSION);
	json_string(&json, "input", x->input);
	json_string(&json, "drive", x->drive);
	json_string(&json, "stack", x->stack);
	json_int(&json, "time_ns", d->time_ns);
	json_string(&json, "policy", d->policy);
	json_string(&json, "rule", rules[d->rule].name);
	json_uint(&json, "chosen_tag", d->candidate[d->chosen].tag);
	json_string(&json, "why", sentence.text);
	json_begin_array(&json, "queue");
	for (uint32_t i = 0; i < d->count; i++)
		json_candidate(&json, d, &d->candidate[i]);
	json_end_array(&json);
	json_outcome(&json, x->request);
	json_end_object(&json);
	return json_finish(&json);
}
