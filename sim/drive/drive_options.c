/* SPDX-License-Identifier: MIT */
/* The keys of drive files, one table a section. */
#include "sim/drive/drive_config.h"

#define FIELD(member) offsetof(struct drive_config, member)
#define ZONE(member)  offsetof(struct zone_config, member)
#define COUNT_MAX     INT64_C(1000000000000000)
#define LIST_MAX      INT64_MAX
#define SPT_MAX       GEOMETRY_SPT_MAX

static const struct option drive_options[] = {
	{ .name = "model",
	  .type = OPTION_NAME,
	  .help = "Model number, as IDENTIFY DEVICE gives it.",
	  .offset = FIELD(identity.model) },
	{ .name = "firmware_rev",
	  .type = OPTION_NAME,
	  .initial = "",
	  .help = "Firmware revision, as IDENTIFY DEVICE gives it.",
	  .offset = FIELD(identity.firmware_rev) },
	{ .name = "inherit",
	  .type = OPTION_NAME,
	  .initial = "",
	  .help = "Another drive file whose values count where this file "
		  "gives none.",
	  .offset = FIELD(identity.inherit) },
	{ .name = "capacity_sectors",
	  .type = OPTION_INT,
	  .unit = "sectors of 512 bytes",
	  .initial = "0",
	  .min = 0,
	  .max = COUNT_MAX,
	  .help = "Published number of sectors; the last LBA is one less. "
		  "0: all that the zones hold.",
	  .source = "data sheet; IDEMA LBA1-03",
	  .offset = FIELD(identity.capacity_sectors) },
	{ .name = "year",
	  .type = OPTION_INT,
	  .unit = "",
	  .initial = "0",
	  .min = 0,
	  .max = 9999,
	  .help = "Year of introduction, for the reader; 0: not known.",
	  .offset = FIELD(identity.year) },
};

static const char *const mapping_names[] = { "cylinder", "serpentine", "band",
					     NULL };
static const char *const sparing_names[] = { "none", "track", "cylinder",
					     "zone", NULL };

static const struct option mechanism_options[] = {
	{ .name = "rpm",
	  .type = OPTION_INT,
	  .unit = "revolutions/min",
	  .min = 60,
	  .max = 30000,
	  .help = "Speed of rotation; one minute is exactly this many "
		  "revolutions.",
	  .source = "data sheet",
	  .offset = FIELD(mechanism.rpm) },
	{ .name = "heads",
	  .type = OPTION_INT,
	  .unit = "",
	  .min = 1,
	  .max = GEOMETRY_HEADS_MAX,
	  .help = "Heads, that is surfaces in use.",
	  .source = "data sheet",
	  .offset = FIELD(mechanism.heads) },
	{ .name = "mapping",
	  .type = OPTION_CHOICE,
	  .initial = "cylinder",
	  .choices = mapping_names,
	  .help = "Order of tracks: all heads of a cylinder, then the next "
		  "cylinder; or a band of cylinders inwards on one head and "
		  "outwards on the next, the next band in the opposite order "
		  "of heads; or a band inwards on every head in turn.",
	  .offset = FIELD(mechanism.mapping) },
	{ .name = "band_cyl",
	  .type = OPTION_INT,
	  .unit = "cylinders",
	  .initial = "0",
	  .min = 0,
	  .max = 1 << 24,
	  .help = "Cylinders of a band; wanted unless mapping = cylinder.",
	  .offset = FIELD(mechanism.band_cyl) },
	{ .name = "sparing",
	  .type = OPTION_CHOICE,
	  .initial = "none",
	  .choices = sparing_names,
	  .help = "Where the spare sectors are: at the end of each track, "
		  "of each cylinder (or range of cylinders, or band), or of "
		  "each zone.",
	  .offset = FIELD(mechanism.sparing) },
	{ .name = "spare_range_cyl",
	  .type = OPTION_INT,
	  .unit = "cylinders",
	  .initial = "1",
	  .min = 1,
	  .max = 1 << 24,
	  .help = "Cylinders that share spares, with sparing = cylinder and "
		  "mapping = cylinder.",
	  .offset = FIELD(mechanism.spare_range_cyl) },
	{ .name = "physical_sector_bytes",
	  .type = OPTION_INT,
	  .unit = "bytes",
	  .initial = "512",
	  .min = 512,
	  .max = 4096,
	  .help = "Sector on the platter, 512 or 4096; zones count these.",
	  .offset = FIELD(mechanism.physical_sector_bytes) },
	{ .name = "logical_sector_bytes",
	  .type = OPTION_INT,
	  .unit = "bytes",
	  .initial = "512",
	  .min = 512,
	  .max = 4096,
	  .help = "Sector of the interface: 512, or 4096 on a 4Kn drive.",
	  .offset = FIELD(mechanism.logical_sector_bytes) },
	{ .name = "zero_latency",
	  .type = OPTION_BOOL,
	  .initial = "no",
	  .help = "Whether a transfer may begin with any of its sectors on "
		  "a track, not only with the first.",
	  .offset = FIELD(mechanism.zero_latency) },
	{ .name = "slipped",
	  .type = OPTION_LIST,
	  .unit = "",
	  .initial = "",
	  .min = 0,
	  .max = LIST_MAX,
	  .help = "Bad sectors that the following ones of their track, "
		  "cylinder or zone move up over: cylinder head sector, ...",
	  .offset = FIELD(mechanism.slipped) },
	{ .name = "slipped_tracks",
	  .type = OPTION_LIST,
	  .unit = "",
	  .initial = "",
	  .min = 0,
	  .max = LIST_MAX,
	  .help = "Tracks of which every sector is slipped: cylinder head, "
		  "...",
	  .offset = FIELD(mechanism.slipped_tracks) },
	{ .name = "remapped",
	  .type = OPTION_LIST,
	  .unit = "",
	  .initial = "",
	  .min = 0,
	  .max = LIST_MAX,
	  .help = "Bad sectors and the spares that stand in: cylinder head "
		  "sector cylinder head sector, ...",
	  .offset = FIELD(mechanism.remapped) },
};

#define SKEW_OPTION(key, what, where)                                          \
	{                                                                      \
		.name = key, .type = OPTION_INT, .unit = "sectors",            \
		.initial = "-1", .min = -1, .max = SPT_MAX, .help = what,      \
		.offset = where                                                \
	}
#define SKEW_TIME_OPTION(key, what, where)                                     \
	{                                                                      \
		.name = key, .type = OPTION_TIME, .unit = "us",                \
		.initial = "0", .min = 0, .max = NSEC_PER_SEC, .help = what,   \
		.offset = where                                                \
	}

static const struct option zones_options[] = {
	{ .name = "count",
	  .type = OPTION_INT,
	  .unit = "",
	  .initial = "0",
	  .min = 0,
	  .max = GEOMETRY_ZONES_MAX,
	  .help = "Make this many zones of nearly equal width, their sectors "
		  "per track falling evenly. 0: see [zone N].",
	  .offset = FIELD(all_zones.count) },
	{ .name = "cylinders",
	  .type = OPTION_INT,
	  .unit = "cylinders",
	  .initial = "0",
	  .min = 0,
	  .max = 1 << 24,
	  .help = "Cylinders of the drive, wanted with a count.",
	  .offset = FIELD(all_zones.cylinders) },
	{ .name = "spt_outer",
	  .type = OPTION_INT,
	  .unit = "sectors",
	  .initial = "0",
	  .min = 0,
	  .max = SPT_MAX,
	  .help = "Sectors per track of the first zone, wanted with a count.",
	  .offset = FIELD(all_zones.spt_outer) },
	{ .name = "spt_inner",
	  .type = OPTION_INT,
	  .unit = "sectors",
	  .initial = "0",
	  .min = 0,
	  .max = SPT_MAX,
	  .help = "Sectors per track of the last zone, wanted with a count.",
	  .offset = FIELD(all_zones.spt_inner) },
	{ .name = "spare_sectors",
	  .type = OPTION_INT,
	  .unit = "sectors",
	  .initial = "0",
	  .min = 0,
	  .max = UINT32_MAX,
	  .help = "Spares of each track, cylinder or zone (see sparing).",
	  .offset = FIELD(all_zones.spare_sectors) },
	SKEW_OPTION("track_skew",
		    "Skew at a head switch, for every zone. -1: see "
		    "track_skew_us.",
		    FIELD(all_zones.skew.track_slots)),
	SKEW_TIME_OPTION("track_skew_us",
			 "The same as a time, rounded up to sectors. "
			 "0: none.",
			 FIELD(all_zones.skew.track_ns)),
	SKEW_OPTION("cyl_skew",
		    "Skew at a step to the next cylinder. -1: see "
		    "cyl_skew_us.",
		    FIELD(all_zones.skew.cyl_slots)),
	SKEW_TIME_OPTION("cyl_skew_us",
			 "The same as a time, rounded up to sectors. "
			 "0: as the track skew.",
			 FIELD(all_zones.skew.cyl_ns)),
	SKEW_OPTION("band_skew",
		    "Skew at a step to the next band. -1: see band_skew_us.",
		    FIELD(all_zones.skew.band_slots)),
	SKEW_TIME_OPTION("band_skew_us",
			 "The same as a time, rounded up to sectors. "
			 "0: the larger of the two others.",
			 FIELD(all_zones.skew.band_ns)),
};

static const struct option zone_options[] = {
	{ .name = "cylinders",
	  .type = OPTION_INT,
	  .unit = "cylinders",
	  .min = 1,
	  .max = 1 << 24,
	  .help = "Cylinders of the zone.",
	  .offset = ZONE(cylinders) },
	{ .name = "spt",
	  .type = OPTION_LIST,
	  .unit = "sectors",
	  .min = 2000000,
	  .max = INT64_C(1000000) * SPT_MAX,
	  .help = "Sectors per track: one number, or one for each head.",
	  .offset = ZONE(spt) },
	{ .name = "spare_sectors",
	  .type = OPTION_INT,
	  .unit = "sectors",
	  .initial = "-1",
	  .min = -1,
	  .max = UINT32_MAX,
	  .help = "Spares of each track or cylinder of the zone, or of the "
		  "zone (see sparing). -1: as [zones].",
	  .offset = ZONE(spare_sectors) },
	{ .name = "front_tracks",
	  .type = OPTION_INT,
	  .unit = "tracks",
	  .initial = "0",
	  .min = 0,
	  .max = UINT32_MAX,
	  .help = "Tracks at the beginning of the zone that hold no data of "
		  "the user; all of them make a gap between zones.",
	  .offset = ZONE(front_tracks) },
	{ .name = "front_sectors",
	  .type = OPTION_INT,
	  .unit = "sectors",
	  .initial = "0",
	  .min = 0,
	  .max = UINT32_MAX,
	  .help = "Sectors after them that hold none either, spares not "
		  "counted.",
	  .offset = ZONE(front_sectors) },
	{ .name = "first_slot",
	  .type = OPTION_INT,
	  .unit = "",
	  .initial = "-1",
	  .min = -1,
	  .max = SPT_MAX,
	  .help = "Angle of the zone's first track, counted in its sectors. "
		  "-1: so that no revolution is lost at the border.",
	  .offset = ZONE(first_slot) },
	SKEW_OPTION("track_skew",
		    "Skew at a head switch. -1: see track_skew_us.",
		    ZONE(skew.track_slots)),
	SKEW_TIME_OPTION("track_skew_us",
			 "The same as a time, rounded up to sectors. "
			 "0: as [zones].",
			 ZONE(skew.track_ns)),
	SKEW_OPTION("cyl_skew",
		    "Skew at a step to the next cylinder. -1: see "
		    "cyl_skew_us.",
		    ZONE(skew.cyl_slots)),
	SKEW_TIME_OPTION("cyl_skew_us",
			 "The same as a time, rounded up to sectors. "
			 "0: as [zones].",
			 ZONE(skew.cyl_ns)),
	SKEW_OPTION("band_skew",
		    "Skew at a step to the next band. -1: see band_skew_us.",
		    ZONE(skew.band_slots)),
	SKEW_TIME_OPTION("band_skew_us",
			 "The same as a time, rounded up to sectors. "
			 "0: as [zones].",
			 ZONE(skew.band_ns)),
};

#define SEEK_TIME(key, what, where)                                            \
	{                                                                      \
		.name = key, .type = OPTION_TIME, .unit = "ms",                \
		.initial = "0", .min = 0, .max = 2 * NSEC_PER_SEC,             \
		.help = what, .offset = FIELD(seek.where)                      \
	}
#define SEEK_LIST(key, what, where)                                            \
	{                                                                      \
		.name = key, .type = OPTION_LIST, .unit = "", .initial = "",   \
		.min = 0, .max = LIST_MAX, .help = what,                       \
		.offset = FIELD(seek.where)                                    \
	}

static const struct option seek_options[] = {
	SEEK_LIST("table_ms",
		  "Measured seek curve: distance in cylinders and time, "
		  "distance and time, ...; straight lines between.",
		  table_ms),
	SEEK_LIST("write_table_ms",
		  "The same for writes; empty: the reads' and write_settle_ms.",
		  write_table_ms),
	SEEK_LIST("short_ms",
		  "Distances and times of the shortest seeks, which replace "
		  "what the curve says up to the last of them.",
		  short_ms),
	SEEK_TIME("single_ms", "One cylinder, read. 0: as the curve.",
		  single_ns),
	SEEK_TIME("average_ms",
		  "Mean over all pairs of cylinders, read; the curve is fitted "
		  "to it. 0: not given.",
		  average_ns),
	SEEK_TIME("full_ms", "Full stroke, read. 0: not given.", full_ns),
	SEEK_TIME("short_a_ms", "a of a + b * sqrt(distance).", short_a_ns),
	SEEK_TIME("short_b_ms", "b of a + b * sqrt(distance).", short_b_ns),
	SEEK_TIME("long_c_ms", "c of c + e * distance.", long_c_ns),
	{ .name = "long_e_ps",
	  .type = OPTION_INT,
	  .unit = "ps/cylinder",
	  .initial = "0",
	  .min = 0,
	  .max = INT64_C(1000000000000),
	  .help = "e of c + e * distance.",
	  .offset = FIELD(seek.long_e_ps) },
	{ .name = "break_cyl",
	  .type = OPTION_INT,
	  .unit = "cylinders",
	  .initial = "0",
	  .min = 0,
	  .max = 1 << 24,
	  .help = "Distance from which on the curve is straight. 0: a "
		  "quarter of the stroke, when the curve is fitted to "
		  "single_ms, average_ms and full_ms.",
	  .offset = FIELD(seek.break_cyl) },
	{ .name = "write_settle_ms",
	  .type = OPTION_TIME,
	  .unit = "ms",
	  .initial = "0",
	  .min = -NSEC_PER_SEC,
	  .max = NSEC_PER_SEC,
	  .help = "What a write settles longer than a read.",
	  .offset = FIELD(seek.write_settle_ns) },
	SEEK_TIME("head_switch_ms", "To another head on the same cylinder.",
		  head_switch_ns),
	{ .name = "aam_percent",
	  .type = OPTION_INT,
	  .unit = "%",
	  .initial = "100",
	  .min = 100,
	  .max = 1000,
	  .help = "Acoustic management: how long a seek takes above the time "
		  "of one cylinder; 100 is the fastest.",
	  .offset = FIELD(seek.aam_percent) },
};

static const char *const interface_names[] = { "sata", "pata", NULL };

static const struct option interface_options[] = {
	{ .name = "kind",
	  .type = OPTION_CHOICE,
	  .initial = "sata",
	  .choices = interface_names,
	  .help = "Serial or parallel ATA.",
	  .offset = FIELD(interface.kind) },
	{ .name = "link_mbps",
	  .type = OPTION_INT,
	  .unit = "Mbit/s",
	  .initial = "3000",
	  .min = 8,
	  .max = 100000,
	  .help = "Speed of the link: on the wire (1500, 3000, 6000) for "
		  "sata, of the data (1067 for UDMA/133) for pata.",
	  .offset = FIELD(interface.link_mbps) },
	{ .name = "queue_depth",
	  .type = OPTION_INT,
	  .unit = "commands",
	  .initial = "32",
	  .min = 1,
	  .max = 32,
	  .help = "Commands the drive queues; 1: no NCQ.",
	  .offset = FIELD(interface.queue_depth) },
	{ .name = "command_us",
	  .type = OPTION_TIME,
	  .unit = "us",
	  .initial = "200",
	  .min = 0,
	  .max = NSEC_PER_SEC,
	  .help = "Firmware overhead of a command that goes to the media.",
	  .offset = FIELD(interface.command_ns) },
	{ .name = "turnaround_us",
	  .type = OPTION_TIME,
	  .unit = "us",
	  .initial = "0.5",
	  .min = 0,
	  .max = NSEC_PER_SEC,
	  .help = "Handshake of one frame on the link.",
	  .offset = FIELD(interface.turnaround_ns) },
};

static const struct option firmware_options[] = {
	{ .name = "policy",
	  .type = OPTION_NAME,
	  .initial = "sptf",
	  .help = "How the next command is chosen; a name in "
		  "models/firmware.",
	  .offset = FIELD(firmware.policy) },
	{ .name = "guard_us",
	  .type = OPTION_TIME,
	  .unit = "us",
	  .initial = "0",
	  .min = 0,
	  .max = NSEC_PER_SEC,
	  .help = "Guard time: a command whose sector comes sooner than this "
		  "after the seek is thought to miss it and counted one "
		  "revolution later. Chosen anyhow, it is not missed.",
	  .source = "US6725327, US6681289: expected access time",
	  .offset = FIELD(firmware.guard_ns) },
	{ .name = "age_limit_ms",
	  .type = OPTION_TIME,
	  .unit = "ms",
	  .initial = "0",
	  .min = 0,
	  .max = 3600 * NSEC_PER_SEC,
	  .help = "A command that has waited longer is served at once, the "
		  "oldest first, before any other rule. 0: no limit.",
	  .offset = FIELD(firmware.age_limit_ns) },
	{ .name = "age_credit",
	  .type = OPTION_INT,
	  .unit = "us/ms",
	  .initial = "0",
	  .min = 0,
	  .max = 10000,
	  .help = "What each millisecond of waiting takes off a command's "
		  "expected time, with the policies that compare times (sstf, "
		  "sptf and its kind). 0: as the policy says.",
	  .source = "Jacobson and Wilkes, HPL-CSP-91-7",
	  .offset = FIELD(firmware.age_credit) },
	{ .name = "window",
	  .type = OPTION_INT,
	  .unit = "commands",
	  .initial = "0",
	  .min = 0,
	  .max = 32,
	  .help = "Choose among so many of the oldest commands only. 0: as "
		  "the policy says, mostly all.",
	  .offset = FIELD(firmware.window) },
	{ .name = "stream_first",
	  .type = OPTION_BOOL,
	  .initial = "no",
	  .help = "While a command that goes on where the media ended is "
		  "queued, serve it first; age_limit_ms is what saves the "
		  "others.",
	  .offset = FIELD(firmware.stream_first) },
	{ .name = "priority",
	  .type = OPTION_BOOL,
	  .initial = "yes",
	  .help = "Serve NCQ commands of high priority before all others, "
		  "and isochronous ones when their deadline is near "
		  "(host.ncq_prio sends them).",
	  .source = "ACS-3, READ FPDMA QUEUED: PRIO, ICC",
	  .offset = FIELD(firmware.priority) },
	{ .name = "deadline_margin_ms",
	  .type = OPTION_TIME,
	  .unit = "ms",
	  .initial = "30",
	  .min = 0,
	  .max = 60 * NSEC_PER_SEC,
	  .help = "How long before its deadline an isochronous command comes "
		  "before all others.",
	  .offset = FIELD(firmware.deadline_margin_ns) },
	{ .name = "seek_error_us",
	  .type = OPTION_TIME,
	  .unit = "us",
	  .initial = "0",
	  .min = 0,
	  .max = NSEC_PER_SEC,
	  .help = "Standard deviation of the error with which the firmware "
		  "estimates a command's seek, drawn once a command from a "
		  "random stream of its own. The seek itself is exact.",
	  .offset = FIELD(firmware.seek_error_ns) },
	{ .name = "rotate_error_us",
	  .type = OPTION_TIME,
	  .unit = "us",
	  .initial = "0",
	  .min = 0,
	  .max = NSEC_PER_SEC,
	  .help = "The same for where it thinks a command's first sector is "
		  "on the track.",
	  .offset = FIELD(firmware.rotate_error_ns) },
	{ .name = "vector",
	  .type = OPTION_BOOL,
	  .initial = "yes",
	  .help = "Whether the simulator may choose with AVX2 where there is "
		  "any: only its speed depends on it.",
	  .offset = FIELD(firmware.vector) },
};

#define TABLE(name, options, what)                                             \
	{                                                                      \
		name, what, options, ARRAY_LEN(options)                        \
	}

const struct option_table drive_config_tables[] = {
	TABLE("drive", drive_options, "Which drive it is."),
	TABLE("mechanism", mechanism_options,
	      "Platters, heads and how LBAs are laid out on them."),
	TABLE("zones", zones_options,
	      "What all zones share; with a count, all zones at once."),
	TABLE("seek", seek_options,
	      "Seek times: a table, a curve, or the numbers of a data sheet."),
	TABLE("interface", interface_options,
	      "The link and what a command costs."),
	TABLE("firmware", firmware_options, "How commands are ordered."),
	{ .section = NULL },
};

const struct option_table drive_zone_table =
	TABLE("zone", zone_options,
	      "One zone, from the outer edge: [zone 0], [zone 1], ...");
