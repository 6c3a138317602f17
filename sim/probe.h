/* SPDX-License-Identifier: MIT */
/*
 * Probes: how statistics, the event log and trace writers see a run.
 *
 * A probe is a struct of functions, any of which may be NULL.  It gets
 * const arguments that live only for the call, and it cannot change the
 * model: attaching one leaves the result hash as it was.  Probes are called
 * in the order in which they were attached, at the simulated time named in
 * their argument.
 */
#ifndef NCQSIM_PROBE_H
#define NCQSIM_PROBE_H

#include "sim/core/io.h"
#include "sim/core/types.h"

/* The actions of blktrace that a run produces, by their letters. */
enum probe_action {
	PROBE_QUEUE = 'Q',       /* a bio reached the block layer */
	PROBE_GETRQ = 'G',       /* a request was allocated for it */
	PROBE_SLEEPRQ = 'S',     /* the pool is empty: its process sleeps */
	PROBE_BACKMERGE = 'M',   /* it was appended to a request */
	PROBE_FRONTMERGE = 'F',  /* it was prepended */
	PROBE_INSERT = 'I',      /* the request entered the elevator */
	PROBE_ISSUE = 'D',       /* the driver issued the request */
	PROBE_REQUEUE = 'R',     /* the driver gave it back */
	PROBE_COMPLETE = 'C',    /* the request completed */
	PROBE_PLUG = 'P',        /* the queue was plugged */
	PROBE_UNPLUG = 'U',      /* it was unplugged */
	PROBE_UNPLUG_TIMER = 'T' /* it was unplugged by the timer */
};

/* One event of the block layer. */
struct probe_block {
	nsec_t time_ns;
	enum probe_action action;
	sector_t lba;     /* of the bio for Q G S M F, else of the request */
	uint32_t sectors; /* likewise */
	uint32_t count;   /* U and UT: requests the queue held */
	uint32_t pid;     /* who submits; for D and C whose request it is */
	uint8_t op;       /* enum io_op */
	uint8_t flags;    /* enum io_flag */
	int16_t status;   /* C: 0, or a negative errno */
};

/* The end of one bio: what its submitter sees. */
struct probe_bio {
	nsec_t queued_ns;    /* Q */
	nsec_t completed_ns; /* C */
	sector_t lba;
	uint32_t sectors;
	uint32_t pid;
	uint32_t number; /* of the record it came from */
	uint8_t op;
	uint8_t flags;
	int16_t status;
};

/* Where a command was served. */
enum probe_source {
	PROBE_MEDIA,  /* an access of its own */
	PROBE_STREAM, /* the look-ahead that was under way */
	PROBE_BUFFER, /* a read hit, or a write kept in the buffer */
};

/* How the drive's time for one command divides; all add up to
 * done_ns - started_ns.  A command served without the media has only
 * overhead and transfer.  */
struct probe_access {
	nsec_t arrived_ns;  /* its FIS was in the drive */
	nsec_t started_ns;  /* the firmware chose it */
	nsec_t done_ns;     /* its last sector had passed the head */
	nsec_t overhead_ns; /* firmware, before the arm moves */
	nsec_t seek_ns;     /* arm movement, settling included */
	nsec_t switch_ns;   /* head switch instead of a seek, and track
			     * and cylinder changes inside the transfer */
	nsec_t rotate_ns;   /* waiting for the sector */
	nsec_t transfer_ns; /* sectors passing the head */
	uint32_t seek_cyl;  /* distance of the seek in cylinders */
	uint32_t depth;     /* commands in the drive, this one included */
	uint32_t passed;    /* older commands left waiting by the choice */
	uint8_t source;     /* enum probe_source */
};

/* The completion of one request, with what the drive did for it. */
struct probe_request {
	nsec_t queued_ns;    /* Q of its first bio */
	nsec_t inserted_ns;  /* I */
	nsec_t issued_ns;    /* D */
	nsec_t completed_ns; /* C */
	sector_t lba;
	uint32_t sectors;
	uint32_t bios;   /* merged into it, 1 and more */
	uint32_t pid;    /* of its first bio */
	uint32_t number; /* ordinal of its issue in this run, from 0 */
	uint8_t tag;
	uint8_t op;
	uint8_t flags;
	int16_t status;
	/* For reads and writes what the media did, else all zero. */
	const struct probe_access *access;
};

/* What took candidates away before the firmware's policy chose. */
enum probe_rule {
	PROBE_RULE_NONE,
	PROBE_RULE_AGE,      /* firmware.age_limit_ms */
	PROBE_RULE_DEADLINE, /* isochronous, its time nearly up */
	PROBE_RULE_PRIORITY, /* NCQ priority high */
	PROBE_RULE_STREAM,   /* firmware.stream_first */
	PROBE_RULE_WINDOW,   /* firmware.window */
};

#define PROBE_CANDIDATES_MAX 32u

/* A command that waits in the drive, and what choosing it now would cost:
 * exactly, not as the firmware estimates it. */
struct probe_candidate {
	nsec_t arrived_ns;
	nsec_t overhead_ns;
	nsec_t seek_ns;   /* arm movement, without: */
	nsec_t settle_ns; /* the time of the shortest seek at most */
	nsec_t switch_ns; /* as in struct probe_access */
	nsec_t rotate_ns;
	nsec_t transfer_ns;
	nsec_t total_ns;    /* of these six */
	nsec_t start_ns;    /* until its first sector begins */
	nsec_t expected_ns; /* the same as the firmware sees it: with guard
			     * time and errors of estimation */
	nsec_t credit_ns;   /* taken off that for its age */
	sector_t lba;
	uint32_t sectors;
	uint32_t seek_cyl;
	uint8_t tag;
	bool is_write;
	bool is_allowed; /* the rules left it to the policy */
	bool is_chained; /* goes on where the media ended */
	bool is_high;    /* NCQ priority high */
};

/* The firmware has chosen the next command. */
struct probe_decision {
	nsec_t time_ns;
	const char *policy;
	const char *why; /* what the policy's choice has: "the oldest" */
	enum probe_rule rule;
	uint32_t count;
	uint32_t chosen;                                        /* index */
	struct probe_candidate candidate[PROBE_CANDIDATES_MAX]; /* by age */
};

struct probe {
	void (*block)(struct probe *probe, const struct probe_block *ev);
	void (*bio)(struct probe *probe, const struct probe_bio *ev);
	void (*request)(struct probe *probe, const struct probe_request *ev);
	void (*decide)(struct probe *probe, const struct probe_decision *ev);
	struct probe *next; /* set by ncqsim_attach() */
};

#endif
