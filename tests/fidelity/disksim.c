/* SPDX-License-Identifier: MIT */
/*
 * DiskSim's validation sets, each a drive's parameter files and a trace that
 * was measured on it: every NAME.diskspecs with a NAME.trace in
 * $NCQSIM_REFERENCE/disksim is imported, replayed in a closed loop and
 * scored:
 *
 *   files   as imported, all requests
 *   fitted  with the keys of fitted[] moved to bring the first half of the
 *           trace closer, the second half scored
 *   clock   as fitted, at the measured arrival times
 *
 * With -o DIR the fitted drives are written there.  tests/fidelity/
 * disksim.csv holds DiskSim's own figures and the state of this tree: what
 * gets worse fails.
 */
#include "frontend/disksim_import.h"
#include "traces/replay.h"

#include "sim/ncqsim.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CSV      "tests/fidelity/disksim.csv"
#define SETS_MAX 64
#define SKIP     77

/* One measured request. */
struct measured {
	struct io_record rec;
	nsec_t service_ns;
};

struct set {
	char name[64];
	char drive[256]; /* the imported file */
	struct measured *request;
	size_t count;
};

/* RMS of the distance of two distributions, and request by request. */
struct score {
	double demerit, reads, writes, mean; /* ms */
	double rmse, within;                 /* ms, percent within 0.5 ms */
};

/* ---- reading a set ---- */

struct reading {
	struct set *set;
	size_t capacity, done;
};

static void
note_request(void *ctx, const struct trace_request *request)
{
	struct reading *r = ctx;

	r->set->request[r->done++].service_ns =
		request->complete_ns - request->issue_ns;
}

static int
read_trace(struct set *set, const char *path, struct err *e)
{
	struct reading reading = { .set = set };
	struct match_observer observer = { &reading, NULL, NULL, note_request };
	struct replay_options opt = { .observer = &observer };
	struct trace_replay *replay = NULL;
	struct io_source *source;
	struct io_record rec;
	int r = trace_replay_open(&path, 1, &opt, &replay, e);

	if (r < 0)
		return r;
	source = trace_replay_source(replay);
	while ((r = source->next(source, &rec, e)) > 0) {
		if (set->count == reading.capacity) {
			reading.capacity = 2 * reading.capacity + 1024;
			set->request = realloc(set->request,
					       reading.capacity *
						       sizeof(*set->request));
			if (!set->request)
				abort();
		}
		set->request[set->count++].rec = rec;
	}
	trace_replay_close(replay);
	return r;
}

/* ---- one run ---- */

/*
 * The measured arrivals on the simulated drive's clock.  The platter's phase
 * is not in the trace: it is followed through the requests that are done.
 */
struct lock {
	double offset_ms;
	double late_ms[24]; /* of recent ones: simulated minus measured end */
	size_t count;
};

struct run {
	struct io_source source;
	struct probe probe;
	const struct set *set;
	size_t from, to, next;
	bool is_clock;
	struct lock lock;
	nsec_t *arrived_ns, *simulated_ns; /* by request */
};

static size_t
count_near(const struct lock *lock, double at_ms, double reach_ms, double *mean)
{
	size_t near = 0;

	*mean = 0;
	for (size_t i = 0; i < lock->count; i++) {
		if (fabs(lock->late_ms[i] - at_ms) > reach_ms)
			continue;
		near++;
		*mean += lock->late_ms[i];
	}
	*mean = near ? *mean / (double)near : 0;
	return near;
}

static void
lock_move(struct lock *lock, double by_ms)
{
	lock->offset_ms += by_ms;
	for (size_t i = 0; i < lock->count; i++)
		lock->late_ms[i] -= by_ms;
}

/* A small step while most agree, a jump when they agree on another phase. */
static void
lock_follow(struct lock *lock, double late_ms)
{
	size_t size = sizeof(lock->late_ms) / sizeof(lock->late_ms[0]);
	size_t best = 0, near;
	double mean, to_ms = 0;

	if (lock->count == size)
		memmove(lock->late_ms, lock->late_ms + 1,
			--lock->count * sizeof(lock->late_ms[0]));
	lock->late_ms[lock->count++] = late_ms;
	near = count_near(lock, 0, 0.6, &mean);
	if (near * 10 >= lock->count * 4) {
		lock_move(lock, mean / 10);
		return;
	}
	if (lock->count < 12)
		return;
	for (size_t i = 0; i < lock->count; i++) {
		near = count_near(lock, lock->late_ms[i], 0.6, &mean);
		if (near > best) {
			best = near;
			to_ms = mean;
		}
	}
	if (best * 10 < lock->count * 4)
		return;
	lock_move(lock, to_ms);
	lock->count = 0;
}

static int
run_next(struct io_source *source, struct io_record *rec, struct err *e)
{
	struct run *run = container_of(source, struct run, source);
	double ms;

	(void)e;
	if (run->next == run->to)
		return 0;
	*rec = run->set->request[run->next].rec;
	rec->number = (uint32_t)(run->next - run->from);
	rec->time_ns -= run->set->request[run->from].rec.time_ns;
	rec->flags |= IO_UNPLUG;
	if (run->next == run->from)
		rec->think_ns = 0;
	if (run->is_clock) {
		ms = (double)rec->time_ns / 1e6 + 1e3 + run->lock.offset_ms;
		rec->time_ns = (nsec_t)(ms * 1e6);
	}
	run->arrived_ns[rec->number] = rec->time_ns;
	run->next++;
	return 1;
}

static void
run_bio(struct probe *probe, const struct probe_bio *ev)
{
	struct run *run = container_of(probe, struct run, probe);
	const struct measured *m = &run->set->request[run->from + ev->number];
	nsec_t service_ns = ev->completed_ns - ev->queued_ns;

	if (run->is_clock)
		service_ns = ev->completed_ns - run->arrived_ns[ev->number];
	if (service_ns > run->simulated_ns[ev->number])
		run->simulated_ns[ev->number] = service_ns;
	/* What the media did shows its phase. */
	if (run->is_clock && m->service_ns > 3000000)
		lock_follow(&run->lock,
			    (double)(service_ns - m->service_ns) / 1e6);
}

static int
compare_double(const void *pa, const void *pb)
{
	double a = *(const double *)pa, b = *(const double *)pb;

	return (a > b) - (a < b);
}

/* Of the requests of one direction, or of both (2). */
static double
demerit_of(const struct run *run, int write)
{
	size_t n = run->to - run->from, k = 0;
	double *a = calloc(n, sizeof(*a)), *b = calloc(n, sizeof(*b)), sum = 0;

	if (!a || !b)
		abort();
	for (size_t i = 0; i < n; i++) {
		const struct measured *m = &run->set->request[run->from + i];

		if (write != 2 && write != (m->rec.op == IO_WRITE))
			continue;
		a[k] = (double)run->simulated_ns[i] / 1e6;
		b[k++] = (double)m->service_ns / 1e6;
	}
	qsort(a, k, sizeof(*a), compare_double);
	qsort(b, k, sizeof(*b), compare_double);
	for (size_t i = 0; i < k; i++)
		sum += (a[i] - b[i]) * (a[i] - b[i]);
	free(a);
	free(b);
	return k ? sqrt(sum / (double)k) : 0;
}

static struct score
score_run(const struct run *run)
{
	struct score s = { .demerit = demerit_of(run, 2),
			   .reads = demerit_of(run, 0),
			   .writes = demerit_of(run, 1) };
	double n = (double)(run->to - run->from);

	for (size_t i = 0; i < run->to - run->from; i++) {
		const struct measured *m = &run->set->request[run->from + i];
		double d = (double)(run->simulated_ns[i] - m->service_ns) / 1e6;

		s.mean += (double)m->service_ns / 1e6 / n;
		s.rmse += d * d / n;
		s.within += (fabs(d) <= 0.5) * 100 / n;
	}
	s.rmse = sqrt(s.rmse);
	return s;
}

static int
replay(const struct ncqsim_config *cfg, struct run *run, struct score *score,
       struct err *e)
{
	size_t n = run->to - run->from;
	struct ncqsim *sim = ncqsim_create(cfg, e);
	int r = 1;

	if (!sim)
		return e->code;
	run->source.next = run_next;
	run->probe.bio = run_bio;
	run->next = run->from;
	run->lock = (struct lock){ 0 };
	run->arrived_ns = calloc(n, sizeof(nsec_t));
	run->simulated_ns = calloc(n, sizeof(nsec_t));
	if (!run->arrived_ns || !run->simulated_ns)
		abort();
	ncqsim_attach(sim, &run->probe);
	ncqsim_feed(sim, &run->source);
	while (r > 0)
		r = ncqsim_run(sim, 1 << 20, e);
	if (r == 0)
		*score = score_run(run);
	free(run->arrived_ns);
	free(run->simulated_ns);
	ncqsim_destroy(sim);
	return r;
}

/* ---- fitting ---- */

/* What may be moved, in us, and by how much at first. */
static const struct {
	const char *key;
	double step, least;
} fitted[] = {
	{ "interface.command_us", 400, 0 },
	{ "interface.read_after_write_us", 400, 0 },
	{ "interface.write_us", 400, 0 },
	{ "interface.write_after_write_us", 400, 0 },
	{ "interface.read_done_us", 100, 0 },
	{ "interface.write_done_us", 100, 0 },
	{ "interface.block_us", 10, 0 },
	{ "interface.read_start_sectors", 8, 1 },
	{ "cache.hit_us", 100, 0 },
	{ "cache.sequential_hit_us", 100, 0 },
	{ "cache.write_us", 100, 0 },
	{ "cache.sequential_write_us", 100, 0 },
	{ "cache.near_write_us", 100, 0 },
	{ "cache.write_after_write_us", 100, 0 },
};
#define FITTED (sizeof(fitted) / sizeof(fitted[0]))

static int
set_value(struct ncqsim_config *cfg, size_t i, double value, struct err *e)
{
	char text[32];

	snprintf(text, sizeof(text), i == 7 ? "%.0f" : "%.3f", value);
	return ncqsim_config_set(cfg, fitted[i].key, text, NULL, e);
}

static double
get_value(const struct ncqsim_config *cfg, size_t i)
{
	char text[64] = "";

	ncqsim_config_get(cfg, fitted[i].key, text, sizeof(text), NULL);
	return strtod(text, NULL);
}

/* How far apart first halves are, with the value tried. */
static int
cost_of(struct ncqsim_config *cfg, const struct set *set, double *cost,
	struct err *e)
{
	struct run run = { .set = set, .to = set->count / 2 };
	struct score s;
	int r = replay(cfg, &run, &s, e);

	if (r == 0)
		*cost = s.demerit + s.reads / 2 + s.writes / 2 + s.rmse / 4 -
			s.within / 200;
	return r;
}

static int
try_value(struct ncqsim_config *cfg, const struct set *set, size_t i,
	  double value, double *best, struct err *e)
{
	double before = get_value(cfg, i), cost;
	int r;

	if (value < fitted[i].least || (before < 0 && i != 0))
		return 0;
	r = set_value(cfg, i, value, e);
	if (r == 0)
		r = cost_of(cfg, set, &cost, e);
	if (r < 0)
		return r;
	if (cost < *best * 0.997) { /* less is chance */
		*best = cost;
		return 1;
	}
	return set_value(cfg, i, before, e);
}

static int
fit(struct ncqsim_config *cfg, const struct set *set, struct err *e)
{
	double best;
	int r = cost_of(cfg, set, &best, e);

	for (int round = 0; r >= 0 && round < 7; round++) {
		for (size_t i = 0; r >= 0 && i < FITTED; i++) {
			double step = ldexp(fitted[i].step, -round);

			if (i == 7 && step < 1)
				continue;
			r = try_value(cfg, set, i, get_value(cfg, i) + step,
				      &best, e);
			if (r == 0)
				r = try_value(cfg, set, i,
					      get_value(cfg, i) - step, &best,
					      e);
			if (r > 0)
				i--; /* once more the same way */
		}
	}
	return r < 0 ? r : 0;
}

/* The keys that moved, as a drive file that inherits the rest. */
static int
write_fitted(const struct ncqsim_config *cfg, const struct set *set,
	     const char *folder)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s-fitted.ini", folder, set->name);
	f = fopen(path, "w");
	if (!f)
		return -1;
	fprintf(f,
		"# Fitted on the first half of %s's measured trace.\n"
		"[drive]\nmodel = %s\ninherit = %s.ini\n",
		set->name, set->name, set->name);
	for (size_t i = 0; i < FITTED; i++) {
		const char *dot = strchr(fitted[i].key, '.');

		if (i == 0 || i == 8)
			fprintf(f, "\n[%.*s]\n", (int)(dot - fitted[i].key),
				fitted[i].key);
		if (get_value(cfg, i) >= 0)
			fprintf(f, "%s = %.10g # fitted(disksim/%s)\n", dot + 1,
				get_value(cfg, i), set->name);
	}
	return fclose(f);
}

/* ---- a set ---- */

struct result {
	struct score files, fitted, clock, clock_files;
};

static struct ncqsim_config *
open_drive(const struct set *set, const char *replay_mode, struct err *e)
{
	struct ncqsim_config *cfg = ncqsim_config_new("models", e);
	int r = cfg ? 0 : -1;

	if (r == 0)
		r = ncqsim_config_set(cfg, "run.replay", replay_mode, NULL, e);
	if (r == 0)
		r = ncqsim_config_drive(cfg, set->drive, e);
	if (r == 0)
		return cfg;
	ncqsim_config_free(cfg);
	return NULL;
}

static int
score_set(const struct set *set, const char *folder, struct result *result,
	  struct err *e)
{
	struct ncqsim_config *cfg = open_drive(set, "think", e);
	struct run all = { .set = set, .to = set->count };
	struct run half = { .set = set,
			    .from = set->count / 2,
			    .to = set->count };
	struct run clock = { .set = set, .to = set->count, .is_clock = true };
	struct ncqsim_config *timed;
	int r;

	if (!cfg)
		return e->code;
	r = replay(cfg, &all, &result->files, e);
	timed = r ? NULL : ncqsim_config_copy(cfg, e);
	if (timed) {
		r = ncqsim_config_set(timed, "run.replay", "timed", NULL, e);
		if (r == 0)
			r = replay(timed, &clock, &result->clock_files, e);
		ncqsim_config_free(timed);
	}
	if (r == 0)
		r = fit(cfg, set, e);
	if (r == 0 && folder)
		r = write_fitted(cfg, set, folder);
	if (r == 0)
		r = replay(cfg, &half, &result->fitted, e);
	clock.from = half.from;
	if (r == 0)
		r = ncqsim_config_set(cfg, "run.replay", "timed", NULL, e);
	if (r == 0)
		r = replay(cfg, &clock, &result->clock, e);
	ncqsim_config_free(cfg);
	return r;
}

static int
import_set(struct set *set, const char *reference, const char *folder,
	   struct err *e)
{
	char path[512];
	FILE *f;
	int r;

	snprintf(set->drive, sizeof(set->drive), "%s/%s.ini", folder,
		 set->name);
	f = fopen(set->drive, "w");
	if (!f)
		return err_set(e, ERR_OUTPUT, "%s: cannot be written",
			       set->drive);
	snprintf(path, sizeof(path), "%s/%s.diskspecs", reference, set->name);
	r = disksim_import(path, f, NULL, e);
	fclose(f);
	snprintf(path, sizeof(path), "%s/%s.trace", reference, set->name);
	return r ? r : read_trace(set, path, e);
}

/* ---- the table ---- */

/* A line of the CSV: DiskSim's figures, then this tree's. */
struct known {
	char name[64];
	double disksim[5]; /* demerit, rmse, within, reads, writes */
	double ours[3];    /* files: demerit; fitted: demerit, clock: within */
};

static size_t
read_known(struct known *known)
{
	FILE *f = fopen(CSV, "r");
	char line[256];
	size_t n = 0;

	while (f && n < SETS_MAX && fgets(line, sizeof(line), f)) {
		struct known *k = &known[n];

		*k = (struct known){ .name = "" };
		if (sscanf(line, "%63[^,],%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf",
			   k->name, &k->disksim[0], &k->disksim[1],
			   &k->disksim[2], &k->disksim[3], &k->disksim[4],
			   &k->ours[0], &k->ours[1], &k->ours[2]) >= 6)
			n++;
	}
	if (f)
		fclose(f);
	return n;
}

static void
print_score(const char *what, const struct score *s)
{
	printf("  %-8s %7.3f %5.1f%% %7.3f %7.3f %7.2f %6.1f%%\n", what,
	       s->demerit, 100 * s->demerit / s->mean, s->reads, s->writes,
	       s->rmse, s->within);
}

static void
print_result(const struct set *set, const struct result *r,
	     const struct known *k)
{
	printf("%s, %zu requests, %.2f ms on average\n", set->name, set->count,
	       r->files.mean);
	if (k)
		printf("  %-8s %7.3f %5.1f%% %7.3f %7.3f %7.2f %6.1f%%\n",
		       "DiskSim", k->disksim[0],
		       100 * k->disksim[0] / r->files.mean, k->disksim[3],
		       k->disksim[4], k->disksim[1], k->disksim[2]);
	print_score("files", &r->files);
	print_score("clock", &r->clock_files);
	print_score("fitted", &r->fitted);
	print_score("fit+clock", &r->clock);
}

/* Worse than what this tree had, by more than a hundredth. */
static bool
is_worse(const struct set *set, const struct result *r, const struct known *k)
{
	bool worse = false;

	if (k && k->ours[0] > 0)
		worse = r->files.demerit > k->ours[0] * 1.01 + 0.0005 ||
			r->fitted.demerit > k->ours[1] * 1.01 + 0.0005 ||
			r->clock.within < k->ours[2] - 0.5;
	if (worse)
		printf("  WORSE: %s had %.3f as imported, %.3f fitted, %.1f %% "
		       "by the clock\n",
		       set->name, k->ours[0], k->ours[1], k->ours[2]);
	return worse;
}

/* ---- all sets ---- */

static int
compare_names(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* Names of the sets in a folder. */
static size_t
find_sets(const char *reference, char names[][64])
{
	DIR *dir = opendir(reference);
	struct dirent *entry;
	size_t n = 0;

	while (dir && n < SETS_MAX && (entry = readdir(dir))) {
		char path[512], *dot = strrchr(entry->d_name, '.');

		if (!dot || strcmp(dot, ".diskspecs") != 0 ||
		    dot - entry->d_name >= 64)
			continue;
		snprintf(names[n], 64, "%.*s", (int)(dot - entry->d_name),
			 entry->d_name);
		snprintf(path, sizeof(path), "%s/%s.trace", reference,
			 names[n]);
		n += access(path, R_OK) == 0;
	}
	if (dir)
		closedir(dir);
	qsort(names, n, 64, compare_names);
	return n;
}

static bool
do_set(const char *name, const char *reference, const char *folder, bool keep)
{
	struct known known[SETS_MAX], *k = NULL;
	size_t count = read_known(known);
	struct result result = { 0 };
	struct set set = { 0 };
	struct err e = { 0 };
	bool bad = true;
	int r;

	snprintf(set.name, sizeof(set.name), "%s", name);
	for (size_t i = 0; i < count; i++)
		if (strcmp(known[i].name, name) == 0)
			k = &known[i];
	r = import_set(&set, reference, folder, &e);
	if (r == 0)
		r = score_set(&set, keep ? folder : NULL, &result, &e);
	if (r == 0) {
		print_result(&set, &result, k);
		bad = is_worse(&set, &result, k);
	} else {
		printf("%s: %s\n", name, e.text);
	}
	fflush(stdout);
	free(set.request);
	return bad;
}

int
main(int argc, char **argv)
{
	const char *from = getenv("NCQSIM_REFERENCE");
	char reference[400], folder[] = "/tmp/ncqsim-fidelity-XXXXXX";
	const char *out =
		argc == 3 && strcmp(argv[1], "-o") == 0 ? argv[2] : NULL;
	static char names[SETS_MAX][64];
	bool bad = false;
	size_t n;

	snprintf(reference, sizeof(reference), "%s/disksim",
		 from ? from : "../shared/reference");
	n = find_sets(reference, names);
	if (!n) {
		printf("no sets in %s\n", reference);
		return SKIP;
	}
	if (!out && !mkdtemp(folder))
		return 1;
	printf("  %-8s %7s %6s %7s %7s %7s %7s\n", "", "demerit", "", "reads",
	       "writes", "rmse", "<0.5ms");
	for (size_t i = 0; i < n; i++)
		bad |= do_set(names[i], reference, out ? out : folder,
			      out != NULL);
	for (size_t i = 0; !out && i < n; i++) {
		char path[128];

		snprintf(path, sizeof(path), "%s/%s.ini", folder, names[i]);
		unlink(path);
	}
	if (!out)
		rmdir(folder);
	return bad;
}
