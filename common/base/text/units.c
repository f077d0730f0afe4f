/* SPDX-License-Identifier: MIT */
/* Numbers with units as text, and back. */
#include "common/base/text/units.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct step {
	double size;
	const char *name;
};

/* Three significant figures for what is below 1000, none after the point from 100 on. */
static const char *scaled(char *buf, size_t size, double v, const char *unit)
{
	int decimals = v < 9.995 ? 2 : v < 99.95 ? 1 : 0;
	snprintf(buf, size, "%.*f%s", decimals, v, unit);
	return buf;
}

static int byte_units; /* atomic */

void pv_units_use(enum pv_byte_units units)
{
	__atomic_store_n(&byte_units, (int)units, __ATOMIC_RELAXED);
}

enum pv_byte_units pv_units_used(void)
{
	return (enum pv_byte_units)__atomic_load_n(&byte_units, __ATOMIC_RELAXED);
}

const char *pv_units_word(enum pv_byte_units units)
{
	return units == PV_BYTES_DECIMAL ? "decimal" : "binary";
}

bool pv_units_of(const char *word, enum pv_byte_units *ret)
{
	bool decimal = strcmp(word, "decimal") == 0;
	*ret = decimal ? PV_BYTES_DECIMAL : PV_BYTES_BINARY;
	return decimal || strcmp(word, "binary") == 0;
}

const char *pv_units_bytes(char *buf, size_t size, uint64_t bytes)
{
	enum { STEPS = 7 };
	static const char *const unit[][STEPS] = {
		{ " B", " KiB", " MiB", " GiB", " TiB", " PiB", " EiB" },
		{ " B", " kB", " MB", " GB", " TB", " PB", " EB" },
	};
	size_t i = 0;
	double v = (double)bytes;
	enum pv_byte_units in = pv_units_used();
	while (v >= 999.5 && i + 1 < STEPS) {
		v /= in == PV_BYTES_DECIMAL ? 1000 : 1024;
		i++;
	}
	if (i == 0) {
		snprintf(buf, size, "%" PRIu64 " B", bytes);
		return buf;
	}
	return scaled(buf, size, v, unit[in][i]);
}

const char *pv_units_exact(char *buf, size_t size, uint64_t n)
{
	char digits[24];
	int len = snprintf(digits, sizeof digits, "%" PRIu64, n);
	size_t out = 0;
	for (int i = 0; i < len && out + 2 < size; i++) {
		if (i && (len - i) % 3 == 0)
			buf[out++] = ' ';
		buf[out++] = digits[i];
	}
	if (size)
		buf[out] = 0;
	return buf;
}

const char *pv_units_count(char *buf, size_t size, uint64_t n)
{
	static const struct step steps[] = { { 1e15, "P" }, { 1e12, "T" }, { 1e9, "G" },
		{ 1e6, "M" }, { 1e3, "k" } };
	if (n < 100000)
		return pv_units_exact(buf, size, n);
	size_t i = 0;
	while ((double)n < steps[i].size * 0.9995)
		i++;
	return scaled(buf, size, (double)n / steps[i].size, steps[i].name);
}

const char *pv_units_hex(char buf[PV_UNIT_MAX], uint64_t v)
{
	char *at = buf + 2 + (v ? (67 - __builtin_clzll(v)) / 4 : 1);
	memcpy(buf, "0x", 2);
	*at = 0;
	do {
		*--at = "0123456789abcdef"[v & 15];
		v >>= 4;
	} while (v);
	return buf;
}

const char *pv_units_ns(char *buf, size_t size, int64_t ns)
{
	const char *sign = ns < 0 ? "-" : "";
	double v = fabs((double)ns);
	char text[PV_UNIT_MAX];
	if (v < 999.5)
		snprintf(text, sizeof text, "%.0f ns", v);
	else if (v < 999.5e3)
		scaled(text, sizeof text, v / 1e3, " us");
	else if (v < 999.5e6)
		scaled(text, sizeof text, v / 1e6, " ms");
	else if (v < 99.95e9)
		scaled(text, sizeof text, v / 1e9, " s");
	else if (v < 7200e9)
		snprintf(text, sizeof text, "%.0f m %02.0f s", floor(v / 60e9),
			floor(fmod(v / 1e9, 60)));
	else
		snprintf(text, sizeof text, "%.0f h %02.0f m", floor(v / 3600e9),
			floor(fmod(v / 60e9, 60)));
	snprintf(buf, size, "%s%s", sign, text);
	return buf;
}

const char *pv_units_clock(char *buf, size_t size, int64_t ns)
{
	uint64_t ms = (ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns) / 1000000;
	snprintf(buf, size, "%s%02" PRIu64 ":%02" PRIu64 ":%02" PRIu64 ".%03" PRIu64,
		ns < 0 ? "-" : "", ms / 3600000, ms / 60000 % 60, ms / 1000 % 60, ms % 1000);
	return buf;
}

const char *pv_units_percent(char *buf, size_t size, uint64_t part, uint64_t whole)
{
	if (whole == 0)
		snprintf(buf, size, "-");
	else
		snprintf(buf, size, "%.1f", 100.0 * (double)part / (double)whole);
	return buf;
}

/* "1:02:03.5" or "02:03": sexagesimal. */
static bool parse_clock(const char *text, double *ret)
{
	double total = 0;
	for (;;) {
		char *end;
		double v = strtod(text, &end);
		if (end == text || v < 0 || !isfinite(v))
			return false;
		total = total * 60 + v;
		if (*end == 0)
			break;
		if (*end != ':')
			return false;
		text = end + 1;
	}
	*ret = total * 1e9;
	return true;
}

static bool parse_unit(const char *text, double *ret)
{
	static const struct step units[] = { { 1e9, "" }, { 1e9, "s" }, { 1e6, "ms" },
		{ 1e3, "us" }, { 1, "ns" }, { 60e9, "m" }, { 60e9, "min" }, { 3600e9, "h" } };
	char *end;
	double v = strtod(text, &end);
	if (end == text || !isfinite(v))
		return false;
	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
		if (strcmp(end, units[i].name) == 0) {
			*ret = v * units[i].size;
			return true;
		}
	}
	return false;
}

bool pv_units_parse_time(const char *text, size_t len, int64_t *ret_ns)
{
	char copy[48];
	bool negative = len > 0 && text[0] == '-';
	if (negative)
		text++, len--;
	if (len == 0 || len >= sizeof copy)
		return false;
	memcpy(copy, text, len);
	copy[len] = 0;
	if (strspn(copy, "0123456789.") == 0)
		return false;
	double ns;
	if (!(strchr(copy, ':') ? parse_clock(copy, &ns) : parse_unit(copy, &ns)))
		return false;
	if (!(ns >= 0 && ns < 9.2e18))
		return false;
	int64_t rounded = (int64_t)(ns + 0.5);
	*ret_ns = negative ? -rounded : rounded;
	return true;
}

bool pv_units_parse_bytes(const char *text, uint64_t *ret_bytes)
{
	char *end;
	if (strspn(text, "0123456789.") == 0)
		return false;
	double v = strtod(text, &end);
	static const char letters[] = "kMGT";
	if (*end) {
		char c = strchr("kK", *end) ? 'k' : (char)toupper((unsigned char)*end);
		const char *at = strchr(letters, c);
		if (!at || !*at)
			return false;
		v *= pow(1024, (double)(at - letters + 1));
		end++;
		if (strcasecmp(end, "") != 0 && strcasecmp(end, "b") != 0 &&
			strcasecmp(end, "ib") != 0)
			return false;
	}
	if (!(v >= 0 && v < 1.8e19))
		return false;
	*ret_bytes = (uint64_t)v;
	return true;
}

bool pv_units_lasted_else(int64_t a, int64_t b)
{
	const double x = (double)a, y = (double)b;
	return x > 0 && y > 0 && fabs(x - y) > 0.05 * fmax(x, y);
}
