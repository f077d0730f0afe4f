/* SPDX-License-Identifier: MIT */
/* Compresses the log by zlib, found at run time, in pieces that can be undone. */
#include "probe/sink/gzip.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { NO_HEADER = -MAX_WBITS, MEMORY = 8 };

/* The functions of zlib used. Never unloaded: the program may use zlib by then. */
struct zlib {
	__typeof__(deflateInit2_) *init;
	__typeof__(deflate) *deflate;
	__typeof__(deflateReset) *reset;
	__typeof__(deflateEnd) *end;
	__typeof__(crc32) *crc32;
};

/*
 * The stream is raw deflate; checksum and length are kept here, twice: an unwritten piece leaves
 * both, and the stream, as if never put.
 */
struct pvp_gzip {
	struct zlib lib;
	z_stream stream;
	uint32_t crc, crc_new;
	uint32_t bytes, bytes_new; /* of the member, and with what is not settled */
};

static bool find_symbol(void *library, const char *name, void *ret_function)
{
	void *found = dlsym(library, name);
	memcpy(ret_function, &found, sizeof found);
	return found;
}

static bool load_zlib(struct zlib *z)
{
	void *library = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	return library && find_symbol(library, "deflateInit2_", &z->init) &&
	       find_symbol(library, "deflate", &z->deflate) &&
	       find_symbol(library, "deflateReset", &z->reset) &&
	       find_symbol(library, "deflateEnd", &z->end) &&
	       find_symbol(library, "crc32", &z->crc32);
}

int pvp_gzip_create(struct pvp_gzip **ret_gzip)
{
	struct pvp_gzip *z = calloc(1, sizeof *z);
	*ret_gzip = NULL;
	if (!z)
		return ENOMEM;
	int error = load_zlib(&z->lib) ? 0 : ELIBACC;
	if (!error && z->lib.init(&z->stream, Z_BEST_SPEED, Z_DEFLATED, NO_HEADER, MEMORY,
			      Z_DEFAULT_STRATEGY, ZLIB_VERSION, (int)sizeof z->stream) != Z_OK)
		error = ENOMEM;
	if (error)
		free(z);
	else
		*ret_gzip = z;
	return error;
}

void pvp_gzip_destroy(struct pvp_gzip *z)
{
	if (z)
		z->lib.end(&z->stream);
	free(z);
}

size_t pvp_gzip_begin(struct pvp_gzip *z, uint8_t to[PVP_GZIP_HEAD])
{
	static const uint8_t head[PVP_GZIP_HEAD] = { 0x1f, 0x8b, Z_DEFLATED, [9] = 3 /* Unix */ };
	memcpy(to, head, sizeof head);
	z->lib.reset(&z->stream);
	z->crc = z->crc_new = 0;
	z->bytes = z->bytes_new = 0;
	return sizeof head;
}

size_t pvp_gzip_put(struct pvp_gzip *z, const uint8_t *from, size_t n, uint8_t to[PVP_GZIP_OUT])
{
	z->stream.next_in = (Bytef *)(uintptr_t)from; /* zlib's type lacks the const */
	z->stream.avail_in = (uInt)n;
	z->stream.next_out = to;
	z->stream.avail_out = PVP_GZIP_OUT;
	z->lib.deflate(&z->stream, Z_SYNC_FLUSH); /* cannot fail: there is room for all */
	z->crc_new = (uint32_t)z->lib.crc32(z->crc_new, from, (uInt)n);
	z->bytes_new += (uint32_t)n;
	return PVP_GZIP_OUT - z->stream.avail_out;
}

void pvp_gzip_commit(struct pvp_gzip *z, bool written)
{
	if (written) {
		z->crc = z->crc_new;
		z->bytes = z->bytes_new;
	} else { /* the next piece begins with an empty window */
		z->lib.reset(&z->stream);
		z->crc_new = z->crc;
		z->bytes_new = z->bytes;
	}
}

size_t pvp_gzip_head(const uint8_t *from, size_t n, uint8_t *to, size_t room)
{
	enum { GZIP = MAX_WBITS + 16 };
	__typeof__(inflateInit2_) *init;
	__typeof__(inflate) *inflate_some;
	__typeof__(inflateEnd) *end;
	z_stream s = { .next_in = (Bytef *)(uintptr_t)from,
		.avail_in = (uInt)n,
		.next_out = to,
		.avail_out = (uInt)room };
	if (n < 2 || from[0] != 0x1f || from[1] != 0x8b)
		return 0;
	void *library = dlopen("libz.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	if (!library || !find_symbol(library, "inflateInit2_", &init) ||
		!find_symbol(library, "inflate", &inflate_some) ||
		!find_symbol(library, "inflateEnd", &end) ||
		init(&s, GZIP, ZLIB_VERSION, (int)sizeof s) != Z_OK)
		return 0;
	inflate_some(&s, Z_SYNC_FLUSH);
	end(&s);
	return room - s.avail_out;
}

static void put_u32(uint8_t *to, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		to[i] = (uint8_t)(value >> 8 * i);
}

size_t pvp_gzip_end(struct pvp_gzip *z, uint8_t to[PVP_GZIP_TAIL])
{
	to[0] = 3; /* the last block, with fixed codes, empty */
	to[1] = 0;
	put_u32(to + 2, z->crc);
	put_u32(to + 6, z->bytes);
	return PVP_GZIP_TAIL;
}
