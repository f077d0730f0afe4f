#include "probe/mono_args.h"

#include <stdio.h>
#include <string.h>

#include "common/base/status.h"

/* What "nodefaults" leaves out. */
enum {
	DEFAULTS = PVP_MONO_EXCEPTIONS | PVP_MONO_MONITORS | PVP_MONO_GC | PVP_MONO_JIT |
		PVP_MONO_AREAS | PVP_MONO_COUNTERS,
};

/* What a heap shot is of no use without; the roots of its own collection come with it. */
enum { SHOTS = PVP_MONO_HEAPSHOTS | PVP_MONO_GC | PVP_MONO_AREAS };
#define SHOT_BYTES ((size_t)256 << 20)
#define TREE_BYTES ((size_t)64 << 20)

struct word {
	const char *text;
	unsigned groups;
};

static const struct word words[] = {
	{ "calls", PVP_MONO_CALLS },
	{ "alloc", PVP_MONO_ALLOC | PVP_MONO_GC | PVP_MONO_MOVES },
	{ "gcalloc", PVP_MONO_ALLOC },
	{ "gc", PVP_MONO_GC },
	{ "gcmove", PVP_MONO_MOVES },
	{ "gcroot", PVP_MONO_ROOTS | PVP_MONO_AREAS },
	{ "gchandle", PVP_MONO_HANDLES },
	{ "exception", PVP_MONO_EXCEPTIONS },
	{ "monitor", PVP_MONO_MONITORS },
	{ "finalization", PVP_MONO_FINALIZERS },
	{ "jit", PVP_MONO_JIT },
	{ "cpu", PVP_MONO_CPU },
	{ "counter", PVP_MONO_COUNTERS },
	{ "runtime", PVP_MONO_RUNTIME },
	{ "fields", PVP_MONO_FIELDS },
	{ "lines", PVP_MONO_LINES },
};

static bool is(const char *at, size_t len, const char *word)
{
	return strlen(word) == len && memcmp(word, at, len) == 0;
}

static unsigned groups_of(const char *at, size_t len)
{
	for (size_t i = 0; i < PV_COUNT_OF(words); i++)
		if (is(at, len, words[i].text))
			return words[i].groups;
	return 0;
}

static bool number(const char *at, size_t len, unsigned *ret, size_t *ret_used)
{
	unsigned n = 0;
	size_t i = 0;
	for (; i < len && at[i] >= '0' && at[i] <= '9' && n < 100000000; i++)
		n = n * 10 + (unsigned)(at[i] - '0');
	*ret = n;
	*ret_used = i;
	return i > 0;
}

/* 4096, 512k, 64m: bytes */
static bool bytes(const char *at, size_t len, size_t *ret)
{
	unsigned n, shift = 0;
	size_t used;
	if (!number(at, len, &n, &used))
		return false;
	if (used + 1 == len) {
		char unit = (char)(at[used] | 0x20);
		shift = unit == 'k' ? 10 : unit == 'm' ? 20 : unit == 'g' ? 30 : 0;
	}
	if (n == 0 || used + (shift > 0) != len)
		return false;
	*ret = (size_t)n << shift;
	return true;
}

/* heapshot, heapshot=5gc, heapshot=200ms; whatever is said, one can be asked for at any time */
static bool heapshot(struct pvp_mono_options *o, const char *at, size_t len)
{
	unsigned n;
	size_t used;
	o->groups |= SHOTS;
	if (len == 0) {
		o->shot_collections = 1;
		return true;
	}
	if (is(at, len, "ondemand"))
		return true;
	if (is(at, len, "onshutdown"))
		return o->shot_at_end = true;
	if (!number(at, len, &n, &used) || n == 0)
		return false;
	if (is(at + used, len - used, "gc"))
		o->shot_collections = n;
	else if (is(at + used, len - used, "ms"))
		o->shot_ms = n;
	else
		return false;
	return true;
}

static bool sample(struct pvp_mono_options *o, const char *at, size_t len, bool real)
{
	size_t used = 0;
	o->groups |= PVP_MONO_SAMPLES;
	o->sample_real = real;
	o->sample_hz = 100;
	return len == 0 || (number(at, len, &o->sample_hz, &used) && used == len && o->sample_hz > 0);
}

static bool keep(char *to, const char *at, size_t len)
{
	size_t n = strlen(to);
	if (n + len + 2 > PVP_MONO_TEXT)
		return false;
	if (n)
		to[n++] = ',';
	memcpy(to + n, at, len);
	to[n + len] = 0;
	return true;
}

static bool take_frames(struct pvp_mono_options *o, const char *at, size_t len)
{
	size_t used;
	if (!number(at, len, &o->frames, &used) || used != len)
		return false;
	if (o->frames > PVP_MONO_FRAMES)
		o->frames = PVP_MONO_FRAMES;
	o->frames_given = true;
	return true;
}

static bool take_filter(char to[PVP_MONO_TEXT], const char *at, size_t len)
{
	if (len >= PVP_MONO_TEXT)
		return false;
	memcpy(to, at, len);
	to[len] = 0;
	return true;
}

static bool take(struct pvp_mono_options *o, const char *at, size_t len)
{
	const char *eq = memchr(at, '=', len);
	size_t key = eq ? (size_t)(eq - at) : len;
	const char *value = eq ? eq + 1 : at + len;
	size_t value_len = (size_t)(at + len - value);
	unsigned on = eq ? 0 : groups_of(at, len);
	if (on || (!eq && is(at, len, "nodefaults"))) {
		o->groups |= on;
		return true;
	}
	if (!eq && len > 2 && memcmp(at, "no", 2) == 0 && groups_of(at + 2, len - 2)) {
		o->groups &= ~groups_of(at + 2, len - 2);
		return true;
	}
	if (is(at, key, "heapshot"))
		return heapshot(o, value, value_len);
	if (!eq && is(at, len, "heapshot-on-shutdown")) {
		o->groups |= SHOTS;
		return o->shot_at_end = true;
	}
	if (is(at, key, "calltree")) {
		o->groups |= PVP_MONO_TREE;
		o->tree_cpu = is(value, value_len, "cpu");
		return !eq || o->tree_cpu;
	}
	if (is(at, key, "calltree-room"))
		return bytes(value, value_len, &o->tree_bytes);
	if (eq && is(at, key, "alloc")) {
		o->groups |= PVP_MONO_ALLOC;
		return bytes(value, value_len, &o->alloc_period);
	}
	if (is(at, key, "heapshot-room"))
		return bytes(value, value_len, &o->shot_bytes);
	if (is(at, key, "sample") || is(at, key, "sample-real"))
		return sample(o, value, value_len, is(at, key, "sample-real"));
	if (eq && is(at, key, "maxframes"))
		return take_frames(o, value, value_len);
	if (eq && is(at, key, "filter"))
		return take_filter(o->filter, value, value_len);
	if (is(at, key, "coverage")) {
		o->groups |= PVP_MONO_COVERAGE;
		return take_filter(o->coverage, value, value_len);
	}
	return keep(o->rest, at, len);
}

static void describe(struct pvp_mono_options *o)
{
	char text[64];
	for (size_t i = 0; i < PV_COUNT_OF(words); i++) {
		/* "alloc" is several; it is said by its parts. */
		unsigned g = words[i].groups & ~(unsigned)PVP_MONO_AREAS;
		bool one = (g & (g - 1)) == 0;
		bool sampled = g == PVP_MONO_ALLOC && o->alloc_period;
		if (one && o->groups & words[i].groups && !sampled)
			keep(o->words, words[i].text, strlen(words[i].text));
	}
	if (o->groups & PVP_MONO_HEAPSHOTS)
		keep(o->words, "heapshot", 8);
	if (o->groups & PVP_MONO_TREE)
		keep(o->words, o->tree_cpu ? "calltree=cpu" : "calltree", o->tree_cpu ? 12 : 8);
	if (o->groups & PVP_MONO_SAMPLES) {
		int n = snprintf(text, sizeof text, "sample%s=%u", o->sample_real ? "-real" : "",
			o->sample_hz);
		keep(o->words, text, n > 0 ? (size_t)n : 0);
	}
	if (o->groups & PVP_MONO_COVERAGE)
		keep(o->words, "coverage", 8);
	if (o->alloc_period) {
		int n = snprintf(text, sizeof text, "alloc=%zu", o->alloc_period);
		keep(o->words, text, n > 0 ? (size_t)n : 0);
	}
	if (o->filter[0]) {
		int n = snprintf(text, sizeof text, "filter=%.50s", o->filter);
		keep(o->words, text, n > 0 ? (size_t)n : 0);
	}
}

bool pvp_mono_parse(const char *text, struct pvp_mono_options *ret)
{
	struct pvp_mono_options o = { .groups = DEFAULTS, .frames = 32, .shot_bytes = SHOT_BYTES,
		.tree_bytes = TREE_BYTES };
	text += *text == ':';
	size_t first = strcspn(text, ",");
	if (is(text, first, "nodefaults"))
		o.groups = 0;
	for (const char *at = text; *at;) {
		size_t len = strcspn(at, ",");
		if (len && !take(&o, at, len))
			return false;
		at += len + (at[len] == ',');
	}
	/* Where extensions are written anyway, times of the processor come with the samples. */
	if (o.groups & PVP_MONO_TREE && o.groups & PVP_MONO_SAMPLES && !o.tree_cpu)
		o.groups |= PVP_MONO_CPU;
	/* Calls are either summed up or told one by one. */
	if (o.groups & PVP_MONO_TREE)
		o.groups &= ~(unsigned)PVP_MONO_CALLS;
	/* With calls traced every path is known; walking the stack again would cost the most. */
	if (o.groups & PVP_MONO_CALLS && !o.frames_given)
		o.frames = 0;
	describe(&o);
	*ret = o;
	return true;
}
