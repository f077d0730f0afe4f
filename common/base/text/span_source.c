/* SPDX-License-Identifier: MIT */
/* Event sources of .NET whose events are spans of work; see span_source.h. */
#include "common/base/text/span_source.h"

#include <stdio.h>
#include <string.h>

#include "common/base/cursor.h"
#include "common/base/text/route_text.h"
#include "common/base/status.h"
#include "common/base/utf8.h"

enum form { NOTHING, REQUEST, SERVED, COMMAND };

static const struct pv_span_source sources[PV_SPAN_SOURCES] = {
	{ "System.Net.Http", "HTTP", UINT32_MAX, { 1, 2, 3 }, REQUEST, false },
	{ "Microsoft.AspNetCore.Hosting", "served", UINT32_MAX, { 3, 4, 5 }, SERVED, false },
	{ "Microsoft.Data.SqlClient.EventSource", "SQL", 1, { 1, 2, 0 }, COMMAND, true },
	{ "System.Threading.Tasks.TplEventSource", NULL, 0x80, { 0, 0, 0 }, NOTHING, false },
};

const struct pv_span_source *pv_span_source(size_t i)
{
	return i < PV_COUNT_OF(sources) ? &sources[i] : NULL;
}

const struct pv_span_source *pv_span_source_of(const char *provider)
{
	for (size_t i = 0; i < PV_COUNT_OF(sources); i++)
		if (strcmp(provider, sources[i].provider) == 0)
			return &sources[i];
	return NULL;
}

bool pv_span_says_failure(const char *what)
{
	for (size_t i = 0; i < PV_COUNT_OF(sources); i++)
		if (sources[i].what && strcmp(what, sources[i].what) == 0)
			return sources[i].numbered;
	return true;
}

/* --- payloads */

/* Reads UTF-16 up to a zero, as UTF-8 with a zero; cut if too long. */
static void get_text(struct pv_cursor *c, char *to, size_t room)
{
	size_t n = 0;
	for (uint32_t code; (code = pv_get_u16(c)) != 0;) {
		char utf8[4];
		if (code >= 0xd800 && code < 0xdc00 && pv_cursor_left(c) >= 2) {
			const uint32_t low = (uint32_t)(c->at[0] | c->at[1] << 8);
			if (low >= 0xdc00 && low < 0xe000) {
				code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
				c->at += 2;
			}
		}
		const bool bad = code >= 0xd800 && code < 0xe000;
		const size_t length = pv_utf8_put(utf8, bad ? PV_UTF8_BAD : code);
		if (n + length >= room)
			room = 0; /* no further character, to leave no hole */
		else
			memcpy(to + n, utf8, length), n += length;
	}
	to[n] = '\0';
}

static void skip_text(struct pv_cursor *c)
{
	while (pv_get_u16(c))
		;
}

/* scheme, host, port, path and query */
static int put_request(struct pv_cursor *c, char *to)
{
	char scheme[16], host[128], path[PV_SPAN_NAME];
	get_text(c, scheme, sizeof scheme);
	get_text(c, host, sizeof host);
	const unsigned port = pv_get_u32(c);
	get_text(c, path, sizeof path);
	path[strcspn(path, "?#")] = '\0';
	return snprintf(to, PV_SPAN_NAME, "%s://%s:%u%.150s", scheme, host, port, path);
}

/* verb, path */
static int put_served(struct pv_cursor *c, char *to)
{
	char verb[32], path[PV_SPAN_NAME];
	get_text(c, verb, sizeof verb);
	get_text(c, path, sizeof path);
	path[strcspn(path, "?#")] = '\0';
	return snprintf(to, PV_SPAN_NAME, "%s %.250s", verb, path);
}

/* number, server, data base, command */
static int put_command(struct pv_cursor *c, char *to)
{
	char text[4 * PV_SPAN_NAME];
	pv_get_u32(c);
	skip_text(c);
	skip_text(c);
	get_text(c, text, sizeof text);
	pv_route_sql(text, to, PV_SPAN_NAME);
	return (int)strlen(to);
}

size_t pv_span_name(const struct pv_span_source *s, const uint8_t *payload, size_t n,
	char to[PV_SPAN_NAME], bool *ret_ok)
{
	struct pv_cursor c = { .at = payload, .end = payload + n };
	int length = 0;
	to[0] = '\0';
	switch (s->form) {
	case REQUEST:
		length = put_request(&c, to);
		break;
	case SERVED:
		length = put_served(&c, to);
		break;
	case COMMAND:
		length = put_command(&c, to);
		break;
	default:
		break;
	}
	*ret_ok = pv_cursor_ok(&c);
	pv_utf8_trim(to);
	return length < 0 ? 0 : strlen(to);
}

uint32_t pv_span_number(const uint8_t *payload, size_t n, bool *ret_failed)
{
	struct pv_cursor c = { .at = payload, .end = payload + n };
	const uint32_t number = pv_get_u32(&c);
	*ret_failed = !(pv_get_u32(&c) & 1); /* for an end: bit 0 is set on success */
	return number;
}
