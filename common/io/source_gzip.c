#include "common/io/source_gzip.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { IN_BYTES = 65536, GZIP_ONLY = 15 + 16 };

enum state {
	SNIFF, /* the next two bytes say what this is */
	PLAIN,
	MEMBER,  /* inside a gzip member */
	BETWEEN, /* behind one: another member, or padding */
	PADDING, /* whatever follows means nothing */
	LOST,    /* damage or a gap in compressed data: nothing can be read behind it */
};

struct pv_gzip {
	pv_stored_fn stored;
	void *ctx;
	enum state state;
	bool many_writers, compressed, cut, have_z, more_out;
	z_stream z;
	size_t at, filled; /* of in[] */
	uint8_t in[IN_BYTES];
};

struct pv_gzip *pv_gzip_create(pv_stored_fn stored, void *ctx)
{
	struct pv_gzip *z = calloc(1, sizeof *z);
	if (!z)
		return NULL;
	z->stored = stored;
	z->ctx = ctx;
	z->state = SNIFF;
	return z;
}

void pv_gzip_destroy(struct pv_gzip *z)
{
	if (z && z->have_z)
		inflateEnd(&z->z);
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

bool pv_gzip_cut(const struct pv_gzip *z)
{
	return z->cut;
}

static size_t held(const struct pv_gzip *z)
{
	return z->filled - z->at;
}

/* In SNIFF and BETWEEN: are there enough bytes to tell? */
static bool can_tell(const struct pv_gzip *z)
{
	return held(z) >= 2 || (held(z) == 1 && z->in[z->at] != 0x1f);
}

static bool begin_member(struct pv_gzip *z)
{
	int ok = z->have_z ? inflateReset(&z->z) : inflateInit2(&z->z, GZIP_ONLY);
	z->have_z |= ok == Z_OK;
	z->state = MEMBER;
	z->compressed = true;
	z->cut = z->more_out = false;
	return ok == Z_OK;
}

static bool tell(struct pv_gzip *z)
{
	if (held(z) >= 2 && z->in[z->at] == 0x1f && z->in[z->at + 1] == 0x8b)
		return begin_member(z);
	if (z->state == SNIFF)
		z->compressed = z->cut = false;
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

/* What came out of the bytes held; the state moves on at the member's end or damage. */
static size_t inflate_held(struct pv_gzip *z, void *to, size_t size)
{
	uInt room = size > 1u << 30 ? 1u << 30 : (uInt)size;
	z->z.next_in = z->in + z->at;
	z->z.avail_in = (uInt)held(z);
	z->z.next_out = to;
	z->z.avail_out = room;
	int what = inflate(&z->z, Z_SYNC_FLUSH);
	z->at = z->filled - z->z.avail_in;
	z->more_out = z->z.avail_out == 0;
	if (what == Z_STREAM_END)
		z->state = BETWEEN;
	else if (what != Z_OK && what != Z_BUF_ERROR)
		z->state = LOST;
	z->cut = z->state == LOST;
	return room - z->z.avail_out;
}

/* Works on what is held; true when that gave bytes. */
static bool digest(struct pv_gzip *z, void *to, size_t size, uint64_t *ret_n, bool *ret_failed)
{
	while (held(z) > 0 || (z->state == MEMBER && z->more_out)) {
		size_t n = 0;
		if (z->state == SNIFF || z->state == BETWEEN) {
			if (!can_tell(z))
				return false;
			*ret_failed = !tell(z);
			if (*ret_failed)
				return false;
		} else if (z->state == PLAIN) {
			n = give_held(z, to, size);
		} else if (z->state == MEMBER) {
			n = inflate_held(z, to, size);
		} else {
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
}

/* No bytes came, but `what`. Returns what to tell instead; BYTES to go round once more. */
static enum pv_read no_bytes(struct pv_gzip *z, enum pv_read what)
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
			z->state = PLAIN; /* the whole stream is a byte that gzip too begins with */
			return PV_READ_BYTES;
		}
		if (z->state == MEMBER || (z->state == BETWEEN && held(z) > 0))
			z->cut = true;
		if (z->many_writers)
			sniff_again(z);
		break;
	case PV_READ_NOTHING:
		if (z->state == LOST && !z->many_writers)
			return PV_READ_END;
		break;
	default:
		break;
	}
	return what;
}

/* More stored bytes, straight to `to` where nothing is to be done with them. */
static enum pv_read fetch(
	struct pv_gzip *z, void *to, size_t size, uint64_t *ret_n, struct pv_error *reterr)
{
	if (z->state == PLAIN)
		return z->stored(z->ctx, to, size, ret_n, reterr);
	if (held(z) > 0)
		z->in[0] = z->in[z->at];
	z->filled = held(z);
	z->at = 0;
	/* No more than is needed to tell: the bytes of a plain stream shall not lie about here. */
	size_t wanted = (z->state == SNIFF ? 2 : IN_BYTES) - z->filled;
	uint64_t n = 0;
	enum pv_read what = z->stored(z->ctx, z->in + z->filled, wanted, &n, reterr);
	if (what == PV_READ_BYTES)
		z->filled += (size_t)n;
	else
		*ret_n = n;
	return what;
}

enum pv_read pv_gzip_read(
	struct pv_gzip *z, void *to, size_t size, uint64_t *ret_n, struct pv_error *reterr)
{
	for (;;) {
		bool failed = false;
		if (digest(z, to, size, ret_n, &failed))
			return PV_READ_BYTES;
		if (failed) {
			pv_fail(reterr, PV_ENOMEM, 0, "out of memory to inflate with");
			return PV_READ_ERROR;
		}
		bool plain = z->state == PLAIN;
		enum pv_read what = fetch(z, to, size, ret_n, reterr);
		if (what == PV_READ_BYTES && plain)
			return what;
		if (what != PV_READ_BYTES)
			what = no_bytes(z, what);
		if (what != PV_READ_BYTES)
			return what;
	}
}
