#include "probe/probe_args.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KEY_MAX = 16, MIN_BUFFER = 256 << 10, MAX_LINGER_MS = 60000 };

struct text {
	const char *at;
	size_t len;
};

static bool same(struct text t, const char *word)
{
	return t.len == strlen(word) && memcmp(t.at, word, t.len) == 0;
}

static bool get_flag(struct text value, bool *ret)
{
	bool on = value.len == 0 || same(value, "on") || same(value, "yes") || same(value, "1");
	if (!on && !same(value, "off") && !same(value, "no") && !same(value, "0"))
		return false;
	*ret = on;
	return true;
}

static bool get_number(struct text value, uint64_t max, uint64_t *ret)
{
	uint64_t n = 0;
	for (size_t i = 0; i < value.len; i++) {
		if (value.at[i] < '0' || value.at[i] > '9' || n > max)
			return false;
		n = n * 10 + (uint64_t)(value.at[i] - '0');
	}
	*ret = n;
	return value.len > 0 && n <= max;
}

static bool get_size(struct text value, size_t *ret)
{
	unsigned shift = 0;
	switch (value.len ? value.at[value.len - 1] | 0x20 : 0) {
	case 'k':
		shift = 10;
		break;
	case 'm':
		shift = 20;
		break;
	case 'g':
		shift = 30;
		break;
	}
	value.len -= shift != 0;
	uint64_t n;
	if (!get_number(value, (SIZE_MAX >> shift) / 4, &n) || n << shift < MIN_BUFFER)
		return false;
	*ret = (size_t)n << shift;
	return true;
}

/* %p becomes the pid, %% a percent sign. */
static bool get_path(struct text value, char *to)
{
	size_t n = 0;
	for (size_t i = 0; i < value.len; i++) {
		char c = value.at[i], next = i + 1 < value.len ? value.at[i + 1] : 0;
		if (n + 16 >= PVP_PATH_MAX || (c == '%' && next != 'p' && next != '%'))
			return false;
		if (c == '%' && next == 'p')
			n += (size_t)snprintf(to + n, 16, "%ld", (long)getpid());
		else
			to[n++] = c;
		i += c == '%';
	}
	to[n] = 0;
	return n > 0;
}

/* on, off, or an absolute path. */
static bool get_control(struct text value, char *to, size_t room)
{
	bool word = same(value, "on") || same(value, "off");
	if (value.len >= room || (!word && (value.len < 2 || *value.at != '/')))
		return false;
	memcpy(to, value.at, value.len);
	to[value.len] = 0;
	return true;
}

static bool set(struct pvp_config *c, struct text key, struct text value)
{
	uint64_t ms;
	if (same(key, "output"))
		return get_path(value, c->output);
	if (same(key, "calls"))
		return get_flag(value, &c->calls);
	if (same(key, "alloc"))
		return get_flag(value, &c->alloc);
	if (same(key, "marks"))
		return get_flag(value, &c->marks);
	if (same(key, "buffer"))
		return get_size(value, &c->buffer);
	if (same(key, "control"))
		return get_control(value, c->control, sizeof c->control);
	if (!same(key, "linger") || !get_number(value, MAX_LINGER_MS, &ms))
		return false;
	c->linger_ms = (unsigned)ms;
	return true;
}

static bool known(struct text key)
{
	static const char *const keys[] = { "output", "calls", "alloc", "marks", "buffer",
		"linger", "control" };
	for (size_t i = 0; i < PV_COUNT_OF(keys); i++)
		if (same(key, keys[i]))
			return true;
	return false;
}

bool pvp_args_parse(const char *text, struct pvp_config *ret, struct pv_error *reterr)
{
	struct pvp_config c = { .output = "output.mlpd", .calls = true, .alloc = true,
		.buffer = 64 << 20, .linger_ms = 500, .control = "on" };
	for (const char *at = text ? text : ""; *at;) {
		size_t len = strcspn(at, ","), key_len = strcspn(at, "=,");
		struct text key = { at, key_len };
		struct text value = { at + key_len, len - key_len };
		if (value.len) { /* the '=' */
			value.at++;
			value.len--;
		}
		uint64_t offset = (uint64_t)(at - text);
		if (len && !known(key))
			return pv_fail(reterr, PV_EUSAGE, offset, "unknown option \"%.*s\"",
				(int)(len < 99 ? len : 99), at);
		if (len && !set(&c, key, value))
			return pv_fail(reterr, PV_EUSAGE, offset, "bad value in \"%.*s\"",
				(int)(len < 99 ? len : 99), at);
		at += len + (at[len] == ',');
	}
	*ret = c;
	return true;
}

size_t pvp_args_describe(const struct pvp_config *c, const char *host, const char *words, char *to,
	size_t room)
{
	int n = snprintf(to, room, "profview:%s%s%s%s%s%s,buffer=%zu%s%s,output=%s", host,
		words && *words ? "," : "", words ? words : "",
		c->calls && !words ? ",calls" : "",
		c->alloc && !words ? ",reported-allocations" : "", c->marks ? ",marks" : "",
		c->buffer, *c->control == '/' ? ",control=" : "",
		*c->control == '/' ? c->control : "", c->output);
	return n < 0 ? 0 : (size_t)n < room ? (size_t)n : room - 1;
}
