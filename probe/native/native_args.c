/* SPDX-License-Identifier: MIT */
/* Parses the options of the native host, and describes them for the log's header. */
#include "probe/native/native_args.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "common/base/estimate.h"
#include "probe/ground/probe_args.h"
#include "probe/ground/sample_rate.h"

enum { SAMPLED_FRAMES = 16, MOST_MS = 86400000 };

struct word {
	const char *at;
	size_t len, key; /* key: up to the '=' or the end */
};

static bool is(const struct word *w, const char *key)
{
	return strlen(key) == w->key && memcmp(w->at, key, w->key) == 0;
}

static const char *value_of(const struct word *w, size_t *ret_len)
{
	*ret_len = w->len > w->key ? w->len - w->key - 1 : 0;
	return w->at + w->key + 1;
}

static bool value_is(const struct word *w, const char *text)
{
	size_t len;
	const char *value = value_of(w, &len);
	return len == strlen(text) && memcmp(value, text, len) == 0;
}

/* A number up to `most`; `without` when none is given. */
static bool option_number(const struct word *w, unsigned most, unsigned without, unsigned *ret)
{
	size_t len;
	const char *value = value_of(w, &len);
	uint64_t n = 0;
	for (size_t i = 0; i < len; i++) {
		if (value[i] < '0' || value[i] > '9' || n > most)
			return false;
		n = n * 10 + (uint64_t)(value[i] - '0');
	}
	*ret = w->len == w->key ? without : (unsigned)n;
	return n <= most && (len > 0 || w->len == w->key);
}

/* malloc, malloc=512k */
static bool take_period(struct pvp_native_options *o, const struct word *w)
{
	size_t len;
	const char *value = value_of(w, &len);
	o->malloc = true;
	o->period = len ? pv_bytes_of(value, len) : 0;
	return w->len == w->key || o->period;
}

/* As on every host: no value: all allocations; a size: one in so many bytes; off: none. */
static bool take_alloc(struct pvp_native_options *o, const struct word *w)
{
	bool all = w->len == w->key || value_is(w, "on") || value_is(w, "yes") || value_is(w, "1");
	bool none = value_is(w, "off") || value_is(w, "no") || value_is(w, "0");
	if (!all && !none)
		return take_period(o, w);
	o->malloc = all;
	o->period = 0;
	/* The core's: allocations reported by the program itself. */
	return pvp_args_add(o->rest, sizeof o->rest, all ? "alloc=on" : "alloc=off", all ? 8 : 9);
}

bool pvp_native_rest(struct pvp_native_options *o, const char *word)
{
	return pvp_args_add(o->rest, sizeof o->rest, word, strlen(word));
}

/* heapshot, heapshot=2000ms. Without collections there is no shot each so many of them. */
static bool take_shots(struct pvp_native_options *o, const struct word *w)
{
	size_t len;
	const char *value = value_of(w, &len);
	struct word ms = { value, len > 2 ? len - 2 : 0, 0 };
	o->blocks = true;
	if (w->len == w->key || value_is(w, "ondemand"))
		return true;
	if (value_is(w, "onshutdown"))
		return o->shot_at_end = true;
	if (!ms.len || memcmp(value + ms.len, "ms", 2) != 0 || *value < '1' || *value > '9')
		return false;
	ms.at--; /* the value begins after a sign */
	ms.len++;
	return option_number(&ms, MOST_MS, 0, &o->shot_ms);
}

static bool take_option(struct pvp_native_options *o, const struct word *w, bool *ret_frames_given)
{
	if (is(w, "alloc"))
		return take_alloc(o, w);
	if (is(w, "malloc"))
		return take_period(o, w);
	bool real = is(w, "sample-real");
	o->sample_real |= real;
	if (real || is(w, "sample"))
		return option_number(w, PVP_SAMPLE_MOST, PVP_SAMPLE_USUAL, &o->sample_hz);
	if (is(w, "maxframes")) {
		*ret_frames_given = true;
		return option_number(w, PVP_NATIVE_FRAMES, PVP_NATIVE_FRAMES, &o->frames);
	}
	if (is(w, "class"))
		return (o->by_site = value_is(w, "site")) || value_is(w, "size");
	bool plain = w->len == w->key;
	if (plain && is(w, "free"))
		return o->malloc = o->frees = true;
	if (plain && is(w, "late"))
		return o->midway = true;
	if (plain && is(w, "inside"))
		return o->inside = true;
	if (is(w, "filters"))
		return true; /* read before anything else: host_native.c */
	if (plain && is(w, "held"))
		return o->held = true;
	if (is(w, "heapshot"))
		return take_shots(o, w);
	if (plain && is(w, "cpu"))
		return o->cpu = true;
	if (plain && (is(w, "kernel") || is(w, "nokernel"))) {
		o->kernel = *w->at == 'k';
		return true;
	}
	if (plain && is(w, "heapshot-on-shutdown"))
		return o->blocks = o->shot_at_end = true;
	if (plain && is(w, "noalloc"))
		return take_alloc(o, &(struct word){ "alloc=off", 9, 5 });
	if (plain && is(w, "nocalls"))
		return pvp_args_add(o->rest, sizeof o->rest, "calls=off", 9);
	if (plain && is(w, "nocpu")) {
		o->cpu = false;
		return true;
	}
	if (plain && is(w, "nodefaults"))
		return pvp_args_add(o->rest, sizeof o->rest, "calls=off,alloc=off", 19);
	return pvp_args_add(o->rest, sizeof o->rest, w->at, w->len);
}

/* Processor time of the process so far, without samples. */
static uint64_t used_ms(void)
{
	struct timespec t = { 0, 0 };
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static void describe_native(struct pvp_native_options *o)
{
	char *to = o->words;
	size_t room = sizeof o->words;
	int n = 0;
	if (o->malloc && o->period)
		n = snprintf(to, room, ",alloc=%" PRIu64, o->period);
	else if (o->malloc)
		n = snprintf(to, room, ",gcalloc");
	n += snprintf(to + n, room - (size_t)n, "%s%s%s", o->frees ? ",free" : "",
		o->malloc && o->by_site ? ",class=site" : "", o->blocks ? ",blocks" : "");
	n += snprintf(to + n, room - (size_t)n, "%s%s%s", o->held ? ",held" : "",
		o->held && o->midway ? ",late" : "", o->inside ? ",inside" : "");
	if (o->shot_ms)
		n += snprintf(to + n, room - (size_t)n, ",heapshot=%ums", o->shot_ms);
	if (o->sample_hz)
		n += snprintf(to + n, room - (size_t)n, "%s,%s=%u,sample-timer=%s:%u",
			o->cpu ? ",cpu" : "", o->sample_real ? "sample-real" : "sample",
			o->sample_hz, pvp_sample_timer(o->sample_hz),
			pvp_sample_possible(o->sample_hz));
	if (o->sample_hz && o->midway)
		snprintf(to + n, room - (size_t)n, ",since=%" PRIu64, used_ms());
}

bool pvp_native_parse(const char *text, struct pvp_native_options *ret)
{
	struct pvp_native_options o = { .malloc = false };
	bool frames_given = false;
	for (const char *at = text ? text : ""; *at;) {
		struct word w = { at, strcspn(at, ","), strcspn(at, "=,") };
		if (w.len && !take_option(&o, &w, &frames_given))
			return false;
		at += w.len + (at[w.len] == ',');
	}
	if (o.frees && o.period) /* most frees would be of blocks missing in the log */
		return false;
	if (!frames_given)
		o.frames = o.held ? PVP_NATIVE_FRAMES : o.malloc && o.period ? SAMPLED_FRAMES : 0;
	describe_native(&o);
	*ret = o;
	return true;
}
