/* SPDX-License-Identifier: MIT */
/*
 * What parallel SCSI and its drives add.  The bus moves a block in block_ns,
 * blocks in order, while the media goes on.  A read's transfer begins when
 * enough of it is in the buffer, and each block goes out after it came in:
 *
 *	media	|--1--|--2--|--3--|--4--|
 *	bus	      |-1-| |-2-| |-3-| |-4-|	a bus that is faster
 *	bus	      |---1---|---2---|---3---|---4---|	one that is slower
 *
 * A write's data crosses while the arm moves.  The firmware's times depend on
 * the direction of a command and on that of the one before it (DiskSim 4.0's
 * parameters, extracted from drives).
 */
#include "sim/drive/drive_impl.h"

static nsec_t
given(nsec_t ns, nsec_t otherwise)
{
	return ns < 0 ? otherwise : ns;
}

void
drive_bus_init(struct drive *drive, const struct interface_config *bus)
{
	nsec_t read_ns = bus->command_ns;
	nsec_t write_ns = given(bus->write_ns, read_ns);

	drive->bus = *bus;
	drive->apart_ns[0][0] = read_ns;
	drive->apart_ns[0][1] = given(bus->read_after_write_ns, read_ns);
	drive->apart_ns[1][0] = write_ns;
	drive->apart_ns[1][1] = given(bus->write_after_write_ns, write_ns);
	drive->is_apart = bus->kind == INTERFACE_SCSI;
}

static nsec_t
bus_ns(const struct drive *drive, uint64_t bytes)
{
	return (nsec_t)(bytes / SECTOR_BYTES) * drive->bus.block_ns;
}

static nsec_t
later(nsec_t a, nsec_t b)
{
	return a > b ? a : b;
}

/* Physical sectors of a read of @count that the bus waits for. */
static uint64_t
start_sectors(const struct drive *drive, uint64_t count)
{
	uint64_t percent = (uint64_t)drive->bus.read_start_percent;
	uint64_t start = (count * percent + 50) / 100;
	uint64_t least = (uint64_t)drive->bus.read_start_sectors;

	start = start > least ? start : least;
	return start < count ? start : count;
}

nsec_t
drive_bus_tail_ns(const struct drive *drive, uint32_t tag, nsec_t delay_ns,
		  const struct mech_access *access)
{
	const struct command *command = &drive->command[tag];
	nsec_t end_ns = access->end_ns, start_ns,
	       all = bus_ns(drive, command->bytes);
	uint64_t count = command->range.count, start;
	uint64_t each = (uint64_t)drive->sector_bytes << drive->sector_shift;

	if (command->range.write)
		return later(end_ns, delay_ns + all) - end_ns +
		       drive->bus.write_done_ns;
	start = start_sectors(drive, count);
	start_ns = end_ns;
	if (start < count && start <= access->first_count)
		start_ns = access->start_ns +
			   access->transfer_ns * (nsec_t)start / (nsec_t)count;
	return later(start_ns + all, end_ns + bus_ns(drive, each)) - end_ns +
	       drive->bus.read_done_ns;
}

nsec_t
drive_bus_served_ns(const struct drive *drive, uint32_t tag, nsec_t hit_ns,
		    nsec_t done_ns)
{
	const struct command *command = &drive->command[tag];
	nsec_t now_ns = drive->cal->now_ns;

	if (command->range.write)
		return done_ns + bus_ns(drive, command->bytes) +
		       drive->bus.write_done_ns;
	return later(done_ns + bus_ns(drive, drive->sector_bytes),
		     now_ns + hit_ns + bus_ns(drive, command->bytes)) +
	       drive->bus.read_done_ns;
}

void
drive_skip_front(struct drive *drive, uint32_t tag)
{
	struct mech_range *range = &drive->command[tag].range;
	struct cache_hit hit =
		cache_lookup(&drive->buffer.cache, range->sector, range->count);

	assert(hit.count < range->count);
	range->sector += hit.count;
	range->count -= hit.count;
}

nsec_t
drive_write_ns(const struct drive *drive, uint32_t tag)
{
	const struct cache_config *c = &drive->buffer.cache.config;
	const struct mech_range *range = &drive->command[tag].range;
	bool is_next = range->sector == drive->buffer.cache.write_end;
	struct mech_target target;
	bool is_near;

	if (c->near_write_ns < 0)
		return is_next ? c->sequential_write_ns : c->write_ns;
	mech_aim(&drive->mech, range->sector, &target);
	is_near = target.place.cyl == drive->mech.cyl;
	if (!drive->is_after_write)
		return is_near ? c->near_write_ns : c->write_ns;
	if (is_next || (is_near && target.place.head == drive->mech.head))
		return c->sequential_write_ns;
	return given(c->write_after_write_ns, c->write_ns);
}
