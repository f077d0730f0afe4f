/* SPDX-License-Identifier: MIT */
/*
 * Bytes -> file header and buffer header: every prefix of a header is SHORT, never BAD and never
 * read past; what was read and written again reads the same. Also the first look at a stream,
 * which tells the family of 2007 from this one.
 */
#include <stdlib.h>

#include "common/format/mlpd/mlpd.h"
#include "common/format/readers/readers.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void must(bool holds)
{
	if (!holds)
		abort();
}

/* In a block of its own, so that a sanitizer sees the first byte past it. */
static enum mlpd_status read_part(const uint8_t *bytes, size_t n, struct mlpd_header *ret)
{
	struct pv_error e = { 0 };
	uint8_t *part = malloc(n ? n : 1);
	if (!part)
		return MLPD_NOMEM;
	if (n)
		memcpy(part, bytes, n);
	struct pv_cursor c = { .at = part, .end = part + n };
	enum mlpd_status s = mlpd_get_header(&c, ret, &e);
	must((s != MLPD_OK || c.at != part) && (s != MLPD_SHORT || c.at == part) && c.at <= c.end);
	must((s == MLPD_BAD) == (e.code != PV_OK) && (s != MLPD_BAD || e.what[0]));
	free(part);
	return s;
}

static bool same_text(struct pv_text a, struct pv_text b)
{
	return a.len == b.len && memcmp(a.at, b.at, a.len) == 0;
}

static void write_again(const struct mlpd_header *h)
{
	size_t room = 128 + h->args.len + h->arch.len + h->os.len;
	uint8_t *out = malloc(room);
	struct mlpd_header again;
	struct pv_error e = { 0 };
	if (!out)
		return;
	size_t n = mlpd_put_header(out, room, h);
	struct pv_cursor c = { .at = out, .end = out + n };
	must(n > 0 && mlpd_put_header(out, n - 1, h) == 0);
	must(mlpd_get_header(&c, &again, &e) == MLPD_OK && c.at == c.end);
	must(again.start_time_ms == h->start_time_ms && again.startup_ns == h->startup_ns);
	must(again.pid == h->pid && again.port == h->port);
	must(again.format.data_version == h->format.data_version);
	must(same_text(again.args, h->args) && same_text(again.os, h->os));
	free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct pv_cursor c = { .at = bytes, .end = bytes + n };
	struct mlpd_header h, cut;
	struct mlpd_buffer_header b;
	struct pv_error e = { 0 };
	must(mlpd_get_buffer_header(&c, &b) != MLPD_OK || c.at == bytes + MLPD_BUFFER_HEADER);
	pv_reader_block07.sniff(bytes, n, false);
	c.at = bytes;
	enum mlpd_status s = mlpd_get_header(&c, &h, &e);
	must(read_part(bytes, n, &cut) == s);
	if (s != MLPD_OK)
		return 0;
	size_t used = (size_t)(c.at - bytes);
	write_again(&h);
	must(read_part(bytes, used, &cut) == MLPD_OK);
	for (size_t part = 0; part < used; part += 1 + part / 16)
		must(read_part(bytes, part, &cut) == MLPD_SHORT);
	must(read_part(bytes, used - 1, &cut) == MLPD_SHORT);
	return 0;
}
