/* SPDX-License-Identifier: MIT */
/* Recognising logs of the family by their headers, and finding blocks again after damage. */
#include <string.h>

#include "common/format/block07/block07_parts.h"

enum { SURE_BLOCK = 1 << 20 }; /* larger blocks are not waited for */

/* --- the kind of log */

static const uint8_t mark[] = { 0x81, 'm', 'o', 'n', 'o', 0 };

static bool mark_at(const uint8_t *bytes, size_t n, size_t at)
{
	if (n <= at)
		return true; /* as far as visible */
	size_t part = n - at < sizeof mark ? n - at : sizeof mark;
	return memcmp(bytes + at, mark, part) == 0;
}

/* Whether an intro's header may begin here: code 1, and a size below 256, as far as visible. */
static bool intro_header(const uint8_t *bytes, size_t n, unsigned header)
{
	if (n < 1)
		return true;
	if (header == 1)
		return bytes[0] == 1 || bytes[0] == 0x81;
	if (bytes[0] != 1 || (n > 1 && bytes[1] != 0))
		return false;
	return header == 2 || n < 6 || (bytes[3] == 0 && bytes[4] == 0 && bytes[5] == 0);
}

unsigned b07_header_size(const uint8_t *bytes, size_t n, bool *ret_sure)
{
	static const unsigned sizes[] = { 10, 6, 2, 1 };
	unsigned fits = 0;
	for (size_t i = 0; i < PV_COUNT_OF(sizes); i++) {
		unsigned size = sizes[i];
		if (!intro_header(bytes, n, size) || !mark_at(bytes, n, size))
			continue;
		if (n >= size + sizeof mark) {
			*ret_sure = true;
			return size;
		}
		fits = size;
	}
	*ret_sure = false;
	return fits;
}

enum pv_sniffed b07_sniff(const uint8_t *bytes, size_t n, bool ended)
{
	(void)ended;
	bool sure;
	unsigned size = b07_header_size(bytes, n, &sure);
	return sure ? PV_SNIFF_YES : size ? PV_SNIFF_UNSURE : PV_SNIFF_NO;
}

/* --- searching for a block */

enum b07_likely b07_header_at(const struct b07 *d, size_t at, size_t *ret_total)
{
	if (at == d->in->filled && d->in->ended)
		return B07_LIKELY;
	if (at + d->header_size > d->in->filled)
		return b07_over(d) ? B07_UNLIKELY : B07_UNKNOWN;
	struct pv_cursor c = { .at = d->in->bytes + at, .end = d->in->bytes + d->in->filled };
	unsigned code = pv_get_u16(&c);
	uint32_t size = pv_get_u32(&c);
	*ret_total = d->header_size + (size_t)size;
	return code >= B07_INTRO && code <= B07_DIRECTIVES && size >= 3 && size <= B07_MAX_BLOCK
		       ? B07_LIKELY
		       : B07_UNLIKELY;
}

enum b07_likely b07_block_at(const struct b07 *d, size_t at)
{
	size_t total = 0, after;
	enum b07_likely l = b07_header_at(d, at, &total);
	if (l != B07_LIKELY || total == 0)
		return l;
	if (at + total > d->in->filled && (b07_over(d) || total > SURE_BLOCK))
		return B07_UNLIKELY;
	if (at + total > d->in->filled)
		return B07_UNKNOWN;
	return b07_header_at(d, at + total, &after);
}
