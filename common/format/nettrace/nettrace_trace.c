/* SPDX-License-Identifier: MIT */
/* The Trace object, or block: clock, process, size of a pointer. */
#include "common/format/nettrace/nettrace_parts.h"
#include "common/format/nettrace/nettrace_six.h"

enum { TRACE = 48 };

static void read_clock(struct nettrace *d, struct pv_cursor *c)
{
	unsigned part[8];
	for (int i = 0; i < 8; i++)
		part[i] = pv_get_u16(c);
	d->sync_ticks = pv_get_u64(c);
	d->frequency = pv_get_u64(c);
	d->pointer = pv_get_u32(c);
	/* Days since 1970, by H. Hinnant's civil calendar. */
	int64_t year = (int64_t)part[0] - (part[1] <= 2), era = year / 400, of_era = year % 400;
	int64_t day = (153 * ((int64_t)part[1] + (part[1] > 2 ? -3 : 9)) + 2) / 5 + part[3] - 1;
	int64_t days = era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + day - 719468;
	int64_t seconds = days * 86400 + (int64_t)part[4] * 3600 + part[5] * 60 + part[6];
	bool possible = part[0] < 10000 && part[1] >= 1 && part[1] <= 12 && part[3] >= 1 &&
			part[3] <= 31 && part[4] < 24 && part[5] < 60 && part[6] < 62 &&
			part[7] < 1000;
	d->sync_ms = possible && seconds > 0 ? (uint64_t)seconds * 1000 + part[7] : 0;
}

static bool goes_on(const struct nettrace *d, uint32_t pid, uint32_t pointer)
{
	if (d->frequency == 0 || (d->pointer != 4 && d->pointer != 8))
		return false;
	return !d->begun || (d->pid == pid && d->pointer == pointer);
}

bool nt_trace(struct nettrace *d, const uint8_t *at)
{
	uint32_t pid = d->pid, pointer = d->pointer;
	struct pv_cursor c = { .at = at, .end = at + TRACE };
	read_clock(d, &c);
	d->pid = pv_get_u32(&c);
	return goes_on(d, pid, pointer);
}

static uint32_t number_in_text(const struct pv_text *t)
{
	uint64_t n = 0;
	for (size_t i = 0; i < t->len && t->at[i] >= '0' && t->at[i] <= '9'; i++)
		n = n * 10 + (uint64_t)(t->at[i] - '0') % 10;
	return (uint32_t)n;
}

bool nt_six_trace(struct nettrace *d, const uint8_t *bytes, size_t n)
{
	uint32_t pid = d->pid, pointer = d->pointer;
	struct pv_cursor c = { .at = bytes, .end = bytes + n };
	read_clock(d, &c);
	d->pid = 0; /* several processes */
	for (uint32_t left = pv_get_u32(&c); left && pv_cursor_ok(&c); left--) {
		struct pv_text key = nt_utf8(&c), value = nt_utf8(&c);
		if (pv_cursor_ok(&c) && key.len == 9 && memcmp(key.at, "ProcessId", 9) == 0)
			d->pid = number_in_text(&value);
	}
	return goes_on(d, pid, pointer);
}
