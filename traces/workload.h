/* SPDX-License-Identifier: MIT */
/*
 * A load without a trace: one process that reads or writes at random or in
 * sequence.  Described in one line, in fio's words:
 *
 *	randread,bs=4k,count=100000
 *	rw,bs=128k,offset=1g,size=10g,rwmixread=70,count=5000,rate_iops=200
 *
 * First the pattern: read write rw randread randwrite randrw.  Then any of
 *
 *	bs=SIZE         of one transfer, a multiple of 512     4k
 *	count=N         transfers                              10000
 *	offset=SIZE     where the span begins                  0
 *	size=SIZE       its length; 0: to the drive's end      0
 *	rwmixread=N     percent of reads in rw and randrw      50
 *	rate_iops=N     arrivals a second, evenly spaced; 0:
 *	                all at once, for a closed loop         0
 *	cmdprio_percentage=N  percent of transfers in the
 *	                real-time class, by a process of
 *	                their own (see host.ncq_prio)          0
 *	seed=N          of positions and mix                   1
 *
 * SIZE takes k m g t, powers of 1024.  Random positions are multiples of bs
 * from the offset on; a sequence that reaches the end begins again.
 */
#ifndef NCQSIM_TRACES_WORKLOAD_H
#define NCQSIM_TRACES_WORKLOAD_H

#include "sim/core/io.h"

/* What a line says, resolved for one drive. */
struct workload {
	bool random;
	uint64_t read_percent;
	uint64_t block_sectors;
	uint64_t count;
	sector_t offset_sectors;
	sector_t size_sectors; /* 0: to the drive's end */
	uint64_t rate_iops;
	uint64_t urgent_percent; /* in the real-time class */
	uint64_t seed;
};

/* Read a line.  ERR_CONFIG names the word and what would be right. */
int workload_parse(const char *text, struct workload *workload, struct err *e);

/*
 * Open the source for a drive of @drive_sectors.  ERR_CONFIG when the span
 * does not hold one transfer.  The caller closes it.
 */
int workload_open(const struct workload *workload, sector_t drive_sectors,
		  struct io_source **source, struct err *e);

#endif
