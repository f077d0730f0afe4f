/* SPDX-License-Identifier: MIT */
/* A stream that compresses its bytes into another stream. */
#include "common/export/gzip_out.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { ROOM = 1 << 16 };

struct gzip {
	z_stream z;
	FILE *out;
	unsigned char packed[ROOM];
};

/* Compresses the input given; false: the stream below failed. */
static bool pack(struct gzip *g, int flush)
{
	int state;
	do {
		g->z.next_out = g->packed;
		g->z.avail_out = ROOM;
		state = deflate(&g->z, flush);
		size_t n = ROOM - g->z.avail_out;
		if (state == Z_STREAM_ERROR || fwrite(g->packed, 1, n, g->out) != n)
			return false;
	} while (g->z.avail_out == 0);
	return flush != Z_FINISH || state == Z_STREAM_END;
}

static ssize_t write_packed(void *cookie, const char *bytes, size_t n)
{
	struct gzip *g = cookie;
	g->z.next_in = (z_const Bytef *)(uintptr_t)bytes;
	g->z.avail_in = (unsigned)n; /* the stream's buffer is small */
	return pack(g, Z_NO_FLUSH) ? (ssize_t)n : -1;
}

static int close_packed(void *cookie)
{
	struct gzip *g = cookie;
	g->z.avail_in = 0;
	bool ok = pack(g, Z_FINISH);
	int error = errno;
	deflateEnd(&g->z);
	free(g);
	errno = error;
	return ok ? 0 : -1;
}

FILE *pv_gzip_begin(FILE *out)
{
	enum { GZIP = 16 + MAX_WBITS };
	struct gzip *g = calloc(1, sizeof *g);
	if (!g)
		return NULL;
	g->out = out;
	if (deflateInit2(&g->z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP, 8, Z_DEFAULT_STRATEGY) !=
		Z_OK) {
		free(g);
		return NULL;
	}
	FILE *f = fopencookie(
		g, "w", (cookie_io_functions_t){ .write = write_packed, .close = close_packed });
	if (!f) {
		deflateEnd(&g->z);
		free(g);
	}
	return f;
}

bool pv_gzip_end(FILE *f)
{
	bool ok = !ferror(f);
	return fclose(f) == 0 && ok;
}

bool pv_gzip_wanted(const char *path)
{
	static const char gz[] = ".gz", own[] = ".pb.gz";
	size_t n = strlen(path);
	return n >= sizeof gz && strcmp(path + n - (sizeof gz - 1), gz) == 0 &&
	       !(n >= sizeof own && strcmp(path + n - (sizeof own - 1), own) == 0);
}
