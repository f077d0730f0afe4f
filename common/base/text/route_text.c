/* SPDX-License-Identifier: MIT */
/* Names of spans without the parts that differ from span to span; see route_text.h. */
#include "common/base/text/route_text.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "common/base/status.h"
#include "common/base/utf8.h"

struct text {
	char *to;
	size_t n, size;
};

static void route_put(struct text *t, const char *from, size_t n)
{
	for (size_t i = 0; i < n && t->n + 1 < t->size; i++)
		t->to[t->n++] = from[i];
}

/* --- SQL: strings and numbers are left out, lists of literals are one */

static bool is_sql(const char *name)
{
	static const char *const verbs[] = { "SELECT", "INSERT", "UPDATE", "DELETE", "WITH", "EXEC",
		"MERGE", "CREATE", "PRAGMA", "BEGIN" };
	for (size_t i = 0; i < PV_COUNT_OF(verbs); i++) {
		const size_t n = strlen(verbs[i]);
		if (strncasecmp(name, verbs[i], n) == 0 && isspace((unsigned char)name[n]))
			return true;
	}
	return false;
}

static bool is_route_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '@' || c == '$' || (c & 0x80);
}

/* The end of the literal that begins at `at`; `at`: none begins. */
static const char *literal_end(const char *at, char before)
{
	const char *end = at;
	if (*at == '\'') {
		for (end++; *end && (*end != '\'' || end[1] == '\''); end++)
			end += *end == '\'';
		return *end ? end + 1 : end;
	}
	if (!isdigit((unsigned char)*at) || is_route_word(before))
		return at;
	while (isalnum((unsigned char)*end) || *end == '.')
		end++;
	return end;
}

/* Whether the text ends in "?," or "?, ": another literal of a list adds nothing. */
static bool ends_in_list(const struct text *t)
{
	size_t n = t->n;
	while (n && t->to[n - 1] == ' ')
		n--;
	return n >= 2 && memcmp(t->to + n - 2, "?,", 2) == 0;
}

static void put_sql(struct text *t, const char *name)
{
	for (const char *at = name; *at;) {
		const char *end = literal_end(at, at > name ? at[-1] : ' ');
		if (end > at && ends_in_list(t))
			while (t->to[t->n - 1] != '?')
				t->n--;
		else if (end > at)
			route_put(t, "?", 1);
		else if (!isspace((unsigned char)*at))
			route_put(t, at, 1);
		else if (t->n && t->to[t->n - 1] != ' ')
			route_put(t, " ", 1);
		at = end > at ? end : at + 1;
	}
}

/* --- all else: parts between blanks and slashes */

/* A number, or hexadecimal digits and dashes as ids have them. */
static bool is_id(const char *part, size_t n)
{
	enum { ID_LEAST = 8 };
	size_t digits = 0, hex = 0, dashes = 0;
	for (size_t i = 0; i < n; i++) {
		digits += isdigit((unsigned char)part[i]) != 0;
		hex += isxdigit((unsigned char)part[i]) != 0;
		dashes += part[i] == '-';
	}
	return n && (digits == n || (n >= ID_LEAST && digits && hex && hex + dashes == n));
}

static void put_path(struct text *t, const char *name)
{
	size_t length = strlen(name);
	if (strchr(name, '/'))
		length = strcspn(name, "?#");
	for (size_t at = 0; at < length;) {
		size_t n = strcspn(name + at, "/ ");
		n = n < length - at ? n : length - at;
		if (is_id(name + at, n))
			route_put(t, "*", 1);
		else
			route_put(t, name + at, n);
		at += n;
		if (at < length)
			route_put(t, name + at++, 1);
	}
}

static void end_text(struct text *t)
{
	t->to[t->n] = '\0';
	if (t->n + 1 == t->size)
		pv_utf8_cut(t->to, t->size);
}

void pv_route_sql(const char *command, char *to, size_t size)
{
	struct text t = { .to = to, .size = size };
	put_sql(&t, command);
	end_text(&t);
}

void pv_route_text(const char *name, char *to, size_t size)
{
	struct text t = { .to = to, .size = size };
	if (is_sql(name))
		put_sql(&t, name);
	else
		put_path(&t, name);
	end_text(&t);
}
