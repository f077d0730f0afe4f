/* SPDX-License-Identifier: MIT */
/* Makes the keys under which names of two logs match. */
#include "common/compare/match_key.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "common/base/text/folded_name.h"
#include "common/base/status.h"

/* Length of a suffix made by compilers, with digits and points; 0: none. */
static size_t clone_mark(const char *at)
{
	static const char *const mark[] = { ".constprop", ".isra", ".part", ".cold", ".lto_priv",
		".llvm" };
	for (size_t i = 0; i < PV_COUNT_OF(mark); i++) {
		size_t n = strlen(mark[i]);
		if (strncmp(at, mark[i], n) != 0)
			continue;
		if (at[n] && !strchr(". ", at[n]))
			continue; /* a longer suffix */
		while (at[n] == '.' && isdigit((unsigned char)at[n + 1]))
			n += 1 + strspn(at + n + 1, "0123456789");
		return n;
	}
	return 0;
}

static void drop_clones(char *name)
{
	char *to = name;
	for (const char *at = name; *at;) {
		size_t n = *at == '.' ? clone_mark(at) : 0;
		const char *clone = " [clone ";
		if (strncmp(at, clone, strlen(clone)) == 0)
			n = strcspn(at, "]") + 1;
		if (n && n <= strlen(at))
			at += n;
		else
			*to++ = *at++;
	}
	*to = 0;
}

static size_t hex_digits(const char *at)
{
	size_t n = 0;
	while (isxdigit((unsigned char)at[n]))
		n++;
	return n;
}

/* Drops the offset of "name+0x1a"; "0x7f00..." is another address in every run. */
static void drop_addresses(char *name)
{
	if (strncmp(name, "0x", 2) == 0 && hex_digits(name + 2) > 0 &&
		!name[2 + hex_digits(name + 2)])
		strcpy(name, PV_MATCH_ADDRESSES); /* no longer than the address */
	char *plus = strrchr(name, '+');
	if (plus && strncmp(plus, "+0x", 3) == 0 && hex_digits(plus + 3) > 0 &&
		!plus[3 + hex_digits(plus + 3)])
		*plus = 0;
}

const char *pv_match_key(
	const struct pv_column *column, const char *raw, size_t len, char room[PV_READABLE_MAX])
{
	bool class = column->flags & PV_COLUMN_CLASS;
	char folded[PV_READABLE_MAX];
	if (!class && len < sizeof folded && memchr(raw, ';', len)) {
		memcpy(folded, raw, len);
		folded[len] = 0;
		pv_folded_name(folded); /* one text may be derived from the other */
		raw = folded;
		len = strlen(folded);
	}
	size_t n = class ? pv_readable_class(raw, len, PV_NAME_CANONICAL, room, PV_READABLE_MAX)
			 : pv_readable_method(raw, len, PV_NAME_CANONICAL, room, PV_READABLE_MAX);
	if (n)
		return room;
	snprintf(room, PV_READABLE_MAX, "%.*s",
		(int)(len < PV_READABLE_MAX ? len : PV_READABLE_MAX - 1), raw);
	drop_clones(room);
	drop_addresses(room);
	return room;
}

size_t pv_match_stem(const char *key)
{
	const char *open = strrchr(key, '(');
	return open && strchr(open, ')') ? (size_t)(open - key) : 0;
}
