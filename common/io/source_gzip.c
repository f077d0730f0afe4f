/* SPDX-License-Identifier: MIT */
/* Gzip on a source's way: recognised, inflated member by member, with access points for seeks. */
#include "common/io/source_gzip.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "common/base/mem.h"

enum { IN_BYTES = 65536, GZIP_ONLY = 15 + 16, DEFLATE_ONLY = -15, TRAILER = 8 };
#define USUAL_SPACING (UINT64_C(16) << 20)

enum state {
	SNIFF, /* the next two bytes decide */
	PLAIN,
	MEMBER,   /* inside a gzip member */
	TRAILING, /* after a member entered in its middle: the trailer cannot be verified */
	BETWEEN,  /* after a member: another member, or padding */
	PADDING,  /* further bytes mean nothing */
	LOST,     /* after damage or a gap in compressed data nothing can be read */
};

struct pv_gzip {
	pv_stored_fn stored;
	void *ctx;
	enum state state;
	bool many_writers, compressed, cut, have_z, more_out;
	const char *damage;        /* NULL, or the fault of the compressed data */
	uint64_t damaged_at, rest; /* stored bytes before the damage, and from there on */
	bool entered;   /* in the middle of the present member: bare deflate, without header */
	size_t trailer; /* bytes of the trailer left */
	uint64_t in_at, out_at; /* stored bytes taken into in[], bytes of the log given */
	PV_ARRAY(struct pv_source_point) point; /* ascending */
	uint64_t spacing, first_spacing;        /* bytes of the log between access points */
	z_stream z;
	size_t at, filled; /* of in[] */
	uint8_t in[IN_BYTES];
};

struct pv_gzip *pv_gzip_create(pv_stored_fn stored, void *ctx, uint64_t spacing)
{
	struct pv_gzip *z = calloc(1, sizeof *z);
	if (!z)
		return NULL;
	z->stored = stored;
	z->ctx = ctx;
	z->state = SNIFF;
	z->spacing = z->first_spacing = spacing ? spacing : USUAL_SPACING;
	return z;
}

void pv_gzip_destroy(struct pv_gzip *z)
{
	if (z && z->have_z)
		inflateEnd(&z->z);
	if (z)
		pv_array_finish(&z->point);
	free(z);
}

void pv_gzip_set_many_writers(struct pv_gzip *z, bool many_writers)
{
	z->many_writers = many_writers;
}

bool pv_gzip_compressed(const struct pv_gzip *z)
{
	return z->compressed;
}

bool pv_gzip_plain(const struct pv_gzip *z)
{
	return z->state == PLAIN && z->at == z->filled;
}

void pv_gzip_info(const struct pv_gzip *z, struct pv_source_info *ret)
{
	ret->compressed = z->compressed;
	ret->compressed_cut = z->cut;
	ret->compressed_damage = z->damage;
	ret->damaged_at = z->damaged_at;
	ret->damaged_bytes = z->rest;
}

static size_t held(const struct pv_gzip *z)
{
	return z->filled - z->at;
}

/* Only the first damage counts: nothing is read afterwards. */
static void damaged(struct pv_gzip *z, const char *what)
{
	if (z->damage)
		return;
	z->damage = what;
	z->damaged_at = z->in_at - held(z);
	z->rest = 0;
}

/* In SNIFF and BETWEEN: whether there are enough bytes to decide. */
static bool can_tell(const struct pv_gzip *z)
{
	return held(z) >= 2 || (held(z) == 1 && z->in[z->at] != 0x1f);
}

static bool begin_member(struct pv_gzip *z)
{
	int ok = z->have_z ? inflateReset2(&z->z, GZIP_ONLY) : inflateInit2(&z->z, GZIP_ONLY);
	z->have_z |= ok == Z_OK;
	z->state = MEMBER;
	z->entered = false;
	z->compressed = true;
	z->cut = z->more_out = false;
	return ok == Z_OK;
}

static bool tell_member(struct pv_gzip *z)
{
	if (held(z) >= 2 && z->in[z->at] == 0x1f && z->in[z->at + 1] == 0x8b)
		return begin_member(z);
	if (z->state == SNIFF)
		z->compressed = z->cut = false;
	else if (z->in[z->at] != 0) /* tape blocks end in zeros */
		damaged(z, "bytes that are not gzip");
	z->state = z->state == SNIFF ? PLAIN : PADDING;
	return true;
}

static size_t give_held(struct pv_gzip *z, void *to, size_t size)
{
	size_t n = held(z) < size ? held(z) : size;
	memcpy(to, z->in + z->at, n);
	z->at += n;
	return n;
}

/* --- access points */

/* Drops every second point; new ones come half as often. */
static void thin_points(struct pv_gzip *z)
{
	size_t n = 0;
	for (size_t i = 1; i < z->point.n; i += 2)
		z->point.v[n++] = z->point.v[i];
	z->point.n = n;
	z->spacing *= 2;
}

/* Between two deflate blocks only the last 32 KiB are needed to go on. */
static void note_point(struct pv_gzip *z)
{
	uint64_t before = z->point.n ? z->point.v[z->point.n - 1].out : 0;
	if (z->many_writers || z->out_at < before + z->spacing)
		return;
	if (z->point.n == PV_SOURCE_POINTS)
		thin_points(z);
	if (!pv_reserve(&z->point, 1))
		return; /* seeks take longer then */
	struct pv_source_point *p = &z->point.v[z->point.n];
	uInt n = 0;
	p->out = z->out_at;
	p->in = z->in_at - held(z);
	p->bits = (uint32_t)z->z.data_type & 7;
	if (inflateGetDictionary(&z->z, p->window, &n) != Z_OK)
		return;
	p->window_n = n;
	z->point.n++;
}

/* Inflates from the bytes held; the state moves on at the member's end or at damage. */
static size_t inflate_held(struct pv_gzip *z, void *to, size_t size)
{
	uInt room = size > 1u << 30 ? 1u << 30 : (uInt)size;
	z->z.next_in = z->in + z->at;
	z->z.avail_in = (uInt)held(z);
	z->z.next_out = to;
	z->z.avail_out = room;
	/* Stops after each deflate block, else inflates as much as possible. */
	int what = inflate(&z->z, Z_BLOCK);
	z->at = z->filled - z->z.avail_in;
	z->out_at += room - z->z.avail_out;
	z->more_out = z->z.avail_out == 0;
	if (what == Z_OK && (z->z.data_type & (128 | 64)) == 128)
		note_point(z);
	z->trailer = TRAILER;
	if (what == Z_STREAM_END)
		z->state = z->entered ? TRAILING : BETWEEN;
	else if (what != Z_OK && what != Z_BUF_ERROR) {
		z->state = LOST;
		damaged(z, z->z.msg && strncmp(z->z.msg, "incorrect", 9) == 0
				   ? "gzip data of a wrong checksum"
				   : "damaged gzip data");
	}
	z->cut = z->state == LOST;
	return room - z->z.avail_out;
}

static void pass_trailer(struct pv_gzip *z)
{
	size_t n = held(z) < z->trailer ? held(z) : z->trailer;
	z->at += n;
	z->trailer -= n;
	if (z->trailer == 0)
		z->state = BETWEEN;
}

/* Works on the bytes held; true when there is output. */
static bool deliver(struct pv_gzip *z, void *to, size_t size, uint64_t *ret_n, bool *ret_failed)
{
	while (held(z) > 0 || (z->state == MEMBER && z->more_out)) {
		size_t n = 0;
		if (z->state == SNIFF || z->state == BETWEEN) {
			if (!can_tell(z))
				return false;
			*ret_failed = !tell_member(z);
			if (*ret_failed)
				return false;
		} else if (z->state == PLAIN) {
			n = give_held(z, to, size);
		} else if (z->state == MEMBER) {
			n = inflate_held(z, to, size);
		} else if (z->state == TRAILING) {
			pass_trailer(z);
		} else {
			z->rest += held(z);
			z->at = z->filled;
		}
		*ret_n = n;
		if (n > 0)
			return true;
	}
	return false;
}

static void forget_held(struct pv_gzip *z)
{
	z->at = z->filled = 0;
	z->more_out = false;
}

static void sniff_again(struct pv_gzip *z)
{
	forget_held(z);
	z->state = SNIFF;
	z->damage = NULL;
	z->in_at = z->out_at = 0;
	z->point.n = 0;
	z->spacing = z->first_spacing;
}

/* Handles `what` in place of bytes. Returns the result for the caller; BYTES to try once more. */
enum pv_read pv_gzip_no_bytes(struct pv_gzip *z, enum pv_read what)
{
	switch (what) {
	case PV_READ_RESTART:
		sniff_again(z);
		z->compressed = z->cut = false;
		break;
	case PV_READ_GAP:
		forget_held(z);
		z->cut = z->state != PLAIN && z->state != SNIFF;
		z->state = z->cut ? LOST : PLAIN;
		break;
	case PV_READ_END:
		if (z->state == SNIFF && held(z) > 0) {
			z->state = PLAIN; /* a whole stream of one byte that also begins gzip */
			return PV_READ_BYTES;
		}
		if (z->state == MEMBER || z->state == TRAILING ||
			(z->state == BETWEEN && held(z) > 0))
			z->cut = true;
		if (z->many_writers)
			sniff_again(z);
		break;
	case PV_READ_NOTHING:
	case PV_READ_QUIET:
		if (z->state == LOST && !z->many_writers)
			return PV_READ_END;
		break;
	default:
		break;
	}
	return what;
}

/* Reads more stored bytes into in[]. */
static enum pv_read fetch(struct pv_gzip *z, uint64_t *ret_n, struct pv_error *reterr)
{
	if (held(z) > 0)
		z->in[0] = z->in[z->at];
	z->filled = held(z);
	z->at = 0;
	/* No more than needed to decide: bytes of a plain stream shall not be left here. */
	size_t wanted = (z->state == SNIFF ? 2 : IN_BYTES) - z->filled;
	uint64_t n = 0;
	enum pv_read what = z->stored(z->ctx, z->in + z->filled, wanted, &n, reterr);
	if (what == PV_READ_BYTES) {
		z->filled += (size_t)n;
		z->in_at += n;
	} else {
		*ret_n = n;
	}
	return what;
}

enum pv_read pv_gzip_read(
	struct pv_gzip *z, void *to, size_t size, uint64_t *ret_n, struct pv_error *reterr)
{
	for (;;) {
		bool failed = false;
		if (deliver(z, to, size, ret_n, &failed))
			return PV_READ_BYTES;
		if (failed) {
			pv_fail(reterr, PV_ENOMEM, 0, "out of memory to inflate with");
			return PV_READ_ERROR;
		}
		enum pv_read what = fetch(z, ret_n, reterr);
		if (what != PV_READ_BYTES)
			what = pv_gzip_no_bytes(z, what);
		if (what != PV_READ_BYTES)
			return what;
	}
}

/* --- seeking */

size_t pv_gzip_points(const struct pv_gzip *z, const struct pv_source_point **ret)
{
	*ret = z->point.v;
	return z->point.n;
}

bool pv_gzip_set_points(struct pv_gzip *z, const struct pv_source_point *points, size_t n)
{
	z->point.n = 0;
	if (!pv_reserve(&z->point, n))
		return false;
	for (; z->point.n < n; z->point.n++)
		z->point.v[z->point.n] = points[z->point.n];
	while (n > 1 && z->spacing < points[0].out)
		z->spacing *= 2;
	return true;
}

/* The last point at or before `offset`; NULL: from the beginning. */
static const struct pv_source_point *point_before(const struct pv_gzip *z, uint64_t offset)
{
	size_t i = z->point.n;
	while (i > 0 && z->point.v[i - 1].out > offset)
		i--;
	return i ? &z->point.v[i - 1] : NULL;
}

/* Enters a member at a point between two blocks. */
static bool enter_member(struct pv_gzip *z, pv_stored_seek_fn seek, const struct pv_source_point *p)
{
	uint8_t shared;
	uint64_t n = 0;
	int ok = z->have_z ? inflateReset2(&z->z, DEFLATE_ONLY) : inflateInit2(&z->z, DEFLATE_ONLY);
	z->have_z |= ok == Z_OK;
	bool sane = p->window_n <= PV_GZIP_WINDOW && p->bits <= 7 && p->in > 0;
	if (ok != Z_OK || !sane || !seek(z->ctx, p->in - (p->bits > 0)))
		return false;
	if (p->bits && (z->stored(z->ctx, &shared, 1, &n, NULL) != PV_READ_BYTES ||
			       inflatePrime(&z->z, (int)p->bits, shared >> (8 - p->bits)) != Z_OK))
		return false;
	z->state = MEMBER;
	z->entered = z->compressed = true;
	z->in_at = p->in;
	z->out_at = p->out;
	return inflateSetDictionary(&z->z, p->window, p->window_n) == Z_OK;
}

/* Finds out whether the stream is gzip, before its first byte is read. */
static bool sniff(struct pv_gzip *z, struct pv_error *reterr)
{
	uint64_t n;
	bool failed = false;
	while (z->state == SNIFF && !can_tell(z)) {
		enum pv_read what = fetch(z, &n, reterr);
		if (what == PV_READ_GAP)
			pv_gzip_no_bytes(
				z, what); /* of compressed data nothing could be read afterwards */
		else if (what != PV_READ_BYTES)
			return false;
	}
	if (z->state == SNIFF)
		failed = !tell_member(z);
	return !failed;
}

/* Inflates and drops the bytes before `offset`. */
static bool skip_to(struct pv_gzip *z, uint64_t offset, struct pv_error *reterr)
{
	uint8_t dropped[16384];
	uint64_t n = 0;
	while (z->out_at < offset) {
		uint64_t want = offset - z->out_at;
		size_t size = want < sizeof dropped ? (size_t)want : sizeof dropped;
		if (pv_gzip_read(z, dropped, size, &n, reterr) != PV_READ_BYTES)
			return false;
	}
	return true;
}

bool pv_gzip_seek(
	struct pv_gzip *z, pv_stored_seek_fn seek, uint64_t offset, struct pv_error *reterr)
{
	struct pv_error why;
	if (!sniff(z, &why))
		return pv_fail(reterr, PV_EIO, offset, "it cannot be read from here");
	forget_held(z);
	if (z->state == PLAIN)
		return seek(z->ctx, offset) ||
		       pv_fail(reterr, PV_EIO, offset, "it cannot be read anew");
	const struct pv_source_point *p = point_before(z, offset);
	z->cut = false;
	z->damage = NULL;
	bool ok = p ? enter_member(z, seek, p) : seek(z->ctx, 0) && begin_member(z);
	if (!p)
		z->in_at = z->out_at = 0;
	if (!ok || !skip_to(z, offset, &why))
		return pv_fail(reterr, PV_EIO, offset, "it cannot be inflated from here");
	return true;
}
