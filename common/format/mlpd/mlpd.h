/* SPDX-License-Identifier: MIT */
/*
 * The Mono log profiler's wire format (MLPD): header, rows, decode, encode; checked against logs of
 * stock Mono 6.8 (data version 17). Functions without state: any thread, one at a time for a batch.
 * Times are ns on the log's clock.
 */
#ifndef PV_FORMAT_MLPD_H
#define PV_FORMAT_MLPD_H

#include "common/base/cursor.h"
#include "common/base/status.h"
#include "common/format/batch.h"

enum {
	MLPD_FILE_ID = 0x4D505A01,
	MLPD_BUFFER_ID = 0x4D504C01,
	MLPD_BUFFER_HEADER = 48,
	MLPD_NEWEST = 17, /* data version */
};

/*
 * Layouts of development builds and foreign writers that reuse the number of a data version. They
 * are bits: a build between two changes has one change and not the other. 0 is what releases write.
 */
enum mlpd_layout {
	MLPD_SYNC_12 = 1,        /* 12's rules and sync points: the first builds that say 13 */
	MLPD_NARROW_ROOTS = 2,   /* 14 with one byte for the type of a root */
	MLPD_TYPED_HITS = 4,     /* 14 with the type byte in hits */
	MLPD_HELPERS_13 = 8,     /* 14 with the JIT helper numbers of 13 */
	MLPD_NEW_ROOTS = 16,     /* 14 with 15's roots */
	MLPD_WIDE_COUNTERS = 32, /* 14's rules with 15's counters: the first builds that say 15 */
	MLPD_EARLY_16 = 64,      /* 16 without MVID and generations */
	MLPD_OPEN_PSS = 128,     /* "5" of another writer: JIT start and JIT end apart */
};

/* Parameters of the encoding of events. */
struct mlpd_format {
	uint8_t data_version; /* 1 to 17: the rules that hold, maybe not the header's number */
	uint8_t header_major;
	uint8_t pointer_size; /* 4 or 8, of the profiled process */
	uint8_t layout;       /* bits of enum mlpd_layout */
};

struct mlpd_header {
	struct mlpd_format format;
	uint8_t header_minor;
	uint64_t start_time_ms; /* since the Unix epoch */
	uint64_t startup_ns;    /* monotonic; 0 when the header (major < 3) does not give it */
	uint32_t timer_overhead_ns;
	uint32_t flags;
	uint32_t pid;
	uint16_t port;                 /* control port, 0 if none */
	struct pv_text args, arch, os; /* point into the decoded bytes; "" below major 1 */
};

struct mlpd_buffer_header {
	uint32_t length; /* payload bytes */
	uint64_t time_base, ptr_base;
	uint64_t obj_base; /* already shifted right by 3 */
	uint64_t thread, method_base;
};

enum mlpd_status {
	MLPD_OK,
	MLPD_SHORT, /* needs more bytes than there are */
	MLPD_BAD,   /* not this format, or contradictory */
	MLPD_NOMEM,
};

/*
 * Decodes the file header at the cursor, which moves past the header on MLPD_OK. On MLPD_BAD,
 * *reterr gives the reason and the byte in the header (id, data version 0 or newer, pointer size,
 * flags, length of a string); if the id is right, *ret has the fields read so far, and the cursor
 * stands after these. On MLPD_SHORT after the fixed fields, *ret is filled in the same way.
 */
enum mlpd_status mlpd_get_header(
	struct pv_cursor *c, struct mlpd_header *ret, struct pv_error *reterr);
enum mlpd_status mlpd_get_buffer_header(struct pv_cursor *c, struct mlpd_buffer_header *ret);

/* Running state inside one buffer: the bases of differences. */
struct mlpd_bases {
	uint64_t time, method; /* chained */
	uint64_t ptr, obj;     /* fixed; obj already shifted right by 3 */
};

/* The state at a buffer's first byte. */
void mlpd_bases_init(struct mlpd_bases *b, const struct mlpd_buffer_header *h);

/*
 * Decodes one event by its row, all or nothing: cursor and bases move and the batch's pools grow
 * only on MLPD_OK; else *ret means nothing. Spans index batch->pool (descs, values); ret->offset is
 * not set. *ret may lie in the batch's array of events, beyond the last one.
 */
enum mlpd_status mlpd_decode(struct pv_cursor *c, struct mlpd_bases *b, const struct mlpd_format *f,
	struct pv_batch *pools, struct pv_event *ret);

/*
 * Decodes the payload in b->bytes (b->offset, thread, time_base set by the caller) into the batch:
 * the fast loop for the hot kinds, rows for the others. A byte that cannot be decoded costs the
 * payload's tail and is described in b->damage_*. With `partial` set, an event cut by the end of
 * the bytes is left: *ret_used says how many bytes were consumed. False when out of memory.
 */
bool mlpd_decode_batch(struct pv_batch *b, struct mlpd_bases *bases, const struct mlpd_format *f,
	bool partial, size_t *ret_used);

/* --- writing: used by the probe, by convert and by tests --- */

/* Writes a header of the given major version; returns the length, or 0 if `room` is too small. */
size_t mlpd_put_header(uint8_t *to, size_t room, const struct mlpd_header *h);
size_t mlpd_put_buffer_header(uint8_t to[MLPD_BUFFER_HEADER], const struct mlpd_buffer_header *h);

/* Upper bound of the bytes mlpd_encode() needs for this event. */
size_t mlpd_encode_max(const struct pv_event *e, const struct pv_batch *pools);

/*
 * Encodes one event by its row for this format; 0 when the data version has no such event or
 * `room` is too small. Bases are chained as a reader will.
 */
size_t mlpd_encode(uint8_t *to, size_t room, struct mlpd_bases *b, const struct mlpd_format *f,
	const struct pv_event *e, const struct pv_batch *pools);

/* --- rows, for dump, coverage and tests --- */

enum mlpd_type {
	MLPD_END,
	MLPD_SET /* 1, without a byte */,
	MLPD_SUB /* the byte that chose the row, again */,
	MLPD_ULEB,
	MLPD_SIZE,
	MLPD_HANDLE,
	MLPD_SLEB,
	MLPD_BYTE,
	MLPD_PTR,
	MLPD_SPTR /* absolute sleb */,
	MLPD_OBJ,
	MLPD_METH,
	MLPD_CSTR,
	MLPD_FLAGS,
	MLPD_BT,
	MLPD_OBJS,
	MLPD_REFS,
	MLPD_ROOTS,
	MLPD_OLD_ROOTS,
	MLPD_IPS,
	MLPD_STEPS /* pairs of numbers, as signed steps from the pair before */,
	MLPD_FRAMES,
	MLPD_DESCS,
	MLPD_VALUES,
	MLPD_HELPER_NAME
};

/* Older encodings of a type. */
enum mlpd_form {
	MLPD_PLAIN,
	MLPD_POINTERS,    /* BT: a flags word in front, methods as pointers */
	MLPD_OFFSETS,     /* FRAMES: with IL and native offset */
	MLPD_BARE,        /* REFS: without offsets; DESCS: never a section name */
	MLPD_NARROW,      /* one byte where others have a uleb: root type, counter words */
	MLPD_OLD_NUMBERS, /* HELPER_NAME: the type with a name is 6, not 5; BYTE: one more;
	                   * OLD_ROOTS: one byte, the number of the bit that 14 sets */
};

struct mlpd_field {
	uint8_t type; /* enum mlpd_type; MLPD_END ends the list */
	uint8_t form; /* enum mlpd_form */
	uint8_t since, until;
	uint16_t member; /* offset in struct pv_event */
	const char *name;
};

enum { MLPD_MAX_FIELDS = 8, MLPD_SUB_NONE = 0xff, MLPD_SUB_ANY = 0xfe, MLPD_EXT_TYPE = 15 };

struct mlpd_row {
	const char *symbol;
	uint8_t kind;
	uint8_t byte; /* type | ex << 4 */
	uint8_t sub;  /* METADATA mtype, MONITOR event, kind number of an extension; MLPD_SUB_* */
	uint8_t since, until; /* data versions */
	uint8_t time_since;   /* first data version in which the event carries `t` */
	uint8_t layout;       /* bits of enum mlpd_layout that must hold */
	bool written;         /* false: never chosen by the encoder */
	struct mlpd_field field[MLPD_MAX_FIELDS + 1];
};

extern const struct mlpd_row mlpd_rows[];
extern const size_t mlpd_row_count;

/*
 * The row (a constant) for an event byte, and sub where the byte has rows by sub, in a format; NULL
 * when there is none. mlpd_byte_has_sub() says whether a sub byte follows the time.
 */
const struct mlpd_row *mlpd_find_row(uint8_t byte, uint8_t sub, const struct mlpd_format *f);
bool mlpd_byte_has_sub(uint8_t byte, const struct mlpd_format *f);

/*
 * For each byte the row's index in mlpd_rows; MLPD_BY_SUB for bytes with a sub, MLPD_NO_ROW for
 * extensions and bytes without a row. A constant; NULL in layouts of development builds.
 */
enum { MLPD_NO_ROW = UINT16_MAX, MLPD_BY_SUB = UINT16_MAX - 1 };
const uint16_t *mlpd_plain_rows(const struct mlpd_format *f);

/* Whether a JIT helper of this type has a name, in a form of the field. */
bool mlpd_helper_named(uint64_t type, uint8_t form);

/*
 * The row (a constant) to write an event by, with or without stack; NULL when the format has none.
 */
const struct mlpd_row *mlpd_row_for(const struct pv_event *e, const struct mlpd_format *f);
/* Iterates over such rows (constants) of any format: the next after `r`, NULL at both ends. */
const struct mlpd_row *mlpd_next_row(const struct pv_event *e, const struct mlpd_row *r);

#endif
