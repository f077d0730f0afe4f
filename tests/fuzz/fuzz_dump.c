/* SPDX-License-Identifier: MIT */
/*
 * Bytes -> `profview dump`, of either family, in pieces and with a gap: it must end, and what it
 * prints is one line for each event, buffer, damage and header.
 */
#include <stdlib.h>

#include "common/report/dump.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static FILE *null;
	struct pv_dump_totals t = { 0 };
	struct pv_error e = { 0 };
	if (!null)
		null = fopen("/dev/null", "w");
	struct pv_dump *d = null ? pv_dump_create(null) : NULL;
	size_t step = n > 41 ? 1 + bytes[41] * 16u : 7;
	bool ok = d != NULL;
	for (size_t at = 0; ok && at < n; at += step) {
		size_t part = n - at < step ? n - at : step;
		ok = pv_dump_push(d, bytes + at, part, &e);
		if (ok && bytes[at] == 0xa5)
			ok = pv_dump_gap(d, 100, &e);
	}
	ok = ok && pv_dump_end(d, &e);
	if (d)
		pv_dump_totals(d, &t);
	/* No event is shorter than two bytes; a failure says what it was. */
	if (t.events > n || (d && !ok && !e.what[0]))
		abort();
	pv_dump_destroy(d);
	return 0;
}
