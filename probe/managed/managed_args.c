/* SPDX-License-Identifier: MIT */
/* Parses the options of Mono's and .NET's modules, and describes them for the log's header. */
#include "probe/managed/managed_args.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "common/base/status.h"
#include "common/base/word_limits.h"
#include "probe/ground/probe_args.h"
#include "probe/ground/sample_rate.h"

/* Events left out by "nodefaults". */
enum {
	DEFAULTS = PVP_MANAGED_EXCEPTIONS | PVP_MANAGED_MONITORS | PVP_MANAGED_GC |
		   PVP_MANAGED_JIT | PVP_MANAGED_AREAS | PVP_MANAGED_COUNTERS,
	PVP_MANAGED_LEGACY = PVP_MANAGED_EXCEPTIONS | PVP_MANAGED_MONITORS | PVP_MANAGED_GC |
			     PVP_MANAGED_MOVES | PVP_MANAGED_ROOTS | PVP_MANAGED_AREAS |
			     PVP_MANAGED_HANDLES | PVP_MANAGED_FINALIZERS | PVP_MANAGED_COUNTERS,
};

/* Events needed for a useful heap shot, whose collection's roots are included anyway. */
enum { SHOTS = PVP_MANAGED_HEAPSHOTS | PVP_MANAGED_GC | PVP_MANAGED_AREAS };

struct word {
	const char *text;
	unsigned groups;
};

static const struct word words[] = {
#define WORD(symbol, word, hosts, kind, least, most, usual, groups, ...) { word, groups },
#include "common/base/words.def"
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

static bool parse_number(const char *at, size_t len, unsigned *ret, size_t *ret_used)
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
	if (!parse_number(at, len, &n, &used))
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

/* heapshot, heapshot=5gc, heapshot=200ms; in each case a shot can also be asked for */
static bool heapshot(struct pvp_managed_options *o, const char *at, size_t len)
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
	if (!parse_number(at, len, &n, &used) || n == 0)
		return false;
	if (is(at + used, len - used, "gc"))
		o->shot_collections = n;
	else if (is(at + used, len - used, "ms"))
		o->shot_ms = n;
	else
		return false;
	return true;
}

static bool sample(struct pvp_managed_options *o, const char *at, size_t len)
{
	size_t used = 0;
	o->groups |= PVP_MANAGED_SAMPLES;
	o->sample_hz = PV_USUAL_SAMPLE;
	/* "cycles/1000": what is counted was once to be chosen */
	const char *slash = len > 0 && (*at < '0' || *at > '9') ? memchr(at, '/', len) : NULL;
	if (slash) {
		len -= (size_t)(slash + 1 - at);
		at = slash + 1;
	}
	return len == 0 || (parse_number(at, len, &o->sample_hz, &used) && used == len &&
				   o->sample_hz > 0 && o->sample_hz <= PVP_SAMPLE_MOST);
}

static bool keep_text(char *to, const char *at, size_t len)
{
	return pvp_args_add(to, PVP_MANAGED_TEXT, at, len);
}

static bool take_frames(struct pvp_managed_options *o, const char *at, size_t len)
{
	size_t used;
	if (!parse_number(at, len, &o->frames, &used) || used != len)
		return false;
	if (o->frames > PVP_MANAGED_FRAMES)
		o->frames = PVP_MANAGED_FRAMES;
	o->frames_given = true;
	return true;
}

static bool take_filter(char to[PVP_MANAGED_TEXT], const char *at, size_t len)
{
	if (len >= PVP_MANAGED_TEXT)
		return false;
	memcpy(to, at, len);
	to[len] = 0;
	return true;
}

static bool take_depth(struct pvp_managed_options *o, const char *at, size_t len)
{
	size_t used;
	return parse_number(at, len, &o->call_depth, &used) && used == len;
}

/* Some shells leave the quotes. */
static bool take_callspec(struct pvp_managed_options *o, const char *at, size_t len)
{
	bool open = len > 0 && *at == '"';
	bool close = len > open && at[len - 1] == '"';
	return take_filter(o->callspec, at + open, len - open - close);
}

static bool take_plain(struct pvp_managed_options *o, const char *at, size_t len, bool *ret_ok)
{
	*ret_ok = true;
	if (is(at, len, "heapshot-on-shutdown")) {
		o->groups |= SHOTS;
		o->shot_at_end = true;
	} else if (is(at, len, "report")) {
		o->want_report = true;
	} else if (is(at, len, "stock")) {
		o->stock = true;
	} else if (is(at, len, "help")) {
		o->want_help = true;
	} else if (!is(at, len, "nodefaults") && !is(at, len, "debug")) {
		return false;
	}
	return true;
}

static bool take_calls(
	struct pvp_managed_options *o, const char *at, size_t key, size_t len, bool *ret_ok)
{
	const char *value = at + key + (key < len);
	size_t n = (size_t)(at + len - value);
	if (is(at, key, "calltree")) {
		o->groups |= PVP_MANAGED_TREE;
		o->tree_cpu = is(value, n, "cpu");
		*ret_ok = key == len || o->tree_cpu;
	} else if (is(at, key, "calltree-room")) {
		*ret_ok = bytes(value, n, &o->tree_bytes);
	} else if (is(at, key, "calldepth")) {
		*ret_ok = take_depth(o, value, n);
	} else if (is(at, key, "callspec")) {
		*ret_ok = take_callspec(o, value, n);
	} else if (key < len && is(at, key, "filter")) {
		*ret_ok = take_filter(o->filter, value, n);
	} else if (is(at, key, "coverage")) {
		o->groups |= PVP_MANAGED_COVERAGE;
		*ret_ok = take_filter(o->coverage, value, n);
	} else {
		return false;
	}
	return true;
}

static bool take_valued(
	struct pvp_managed_options *o, const char *at, size_t key, size_t len, bool *ret_ok)
{
	const char *value = at + key + (key < len);
	size_t n = (size_t)(at + len - value);
	if (is(at, key, "heapshot")) {
		*ret_ok = heapshot(o, value, n);
	} else if (is(at, key, "heapshot-room")) {
		*ret_ok = bytes(value, n, &o->shot_bytes);
	} else if (is(at, key, "sample")) {
		*ret_ok = sample(o, value, n);
	} else if (is(at, key, "sample-real") || is(at, key, "sampling-real")) {
		o->sample_real = true;
		*ret_ok = sample(o, value, n);
	} else if (key < len && is(at, key, "alloc")) {
		o->groups |= PVP_MANAGED_ALLOC;
		*ret_ok = bytes(value, n, &o->alloc_period);
	} else if (key < len && is(at, key, "maxframes")) {
		*ret_ok = take_frames(o, value, n);
	} else if (key < len && (is(at, key, "maxsamples") || is(at, key, "port"))) {
		*ret_ok = true;
	} else {
		return false;
	}
	return true;
}

/* A word without a size means every allocation, also after a word with a size. */
static void add_groups(struct pvp_managed_options *o, unsigned groups)
{
	o->groups |= groups;
	if (groups & PVP_MANAGED_ALLOC)
		o->alloc_period = 0;
}

/* Takes a word; "no" removes groups in any order of words. */
static bool take_option_word(
	struct pvp_managed_options *o, const char *at, size_t len, unsigned *off)
{
	const char *eq = memchr(at, '=', len);
	size_t key = eq ? (size_t)(eq - at) : len;
	bool ok = true;
	bool no = !eq && len > 2 && memcmp(at, "no", 2) == 0 && groups_of(at + 2, len - 2);
	if (no)
		*off |= groups_of(at + 2, len - 2);
	else if (!eq && groups_of(at, len))
		add_groups(o, groups_of(at, len));
	else if (is(at, len, "alloc=off"))
		*off |= PVP_MANAGED_ALLOC;
	else if (!(!eq && take_plain(o, at, len, &ok)) && !take_calls(o, at, key, len, &ok) &&
		 !take_valued(o, at, key, len, &ok))
		return keep_text(o->rest, at, len);
	return ok;
}

/* Copies the next word, without quotes; returns the place after its comma. NULL: too long. */
static const char *next_word(const char *at, char to[PVP_MANAGED_TEXT], size_t *ret_len)
{
	char quote = 0;
	size_t n = 0;
	for (; *at && (quote || *at != ','); at++) {
		if (*at == quote) {
			quote = 0;
			continue;
		}
		if (!quote && (*at == '"' || *at == '\'')) {
			quote = *at;
			continue;
		}
		if (*at == '\\' && at[1])
			at++;
		if (n + 1 == PVP_MANAGED_TEXT)
			return NULL;
		to[n++] = *at;
	}
	to[n] = 0;
	*ret_len = n;
	return at + (*at == ',');
}

/* When shots are taken; each can also be asked for. */
static void describe_shots(struct pvp_managed_options *o)
{
	char text[64];
	bool some = o->shot_collections || o->shot_ms || o->shot_at_end;
	int n;
	if (!some)
		keep_text(o->words, "heapshot=ondemand", 17);
	if (o->shot_collections == 1)
		keep_text(o->words, "heapshot", 8);
	if (o->shot_collections > 1) {
		n = snprintf(text, sizeof text, "heapshot=%ugc", o->shot_collections);
		keep_text(o->words, text, (size_t)n);
	}
	if (o->shot_ms) {
		n = snprintf(text, sizeof text, "heapshot=%ums", o->shot_ms);
		keep_text(o->words, text, (size_t)n);
	}
	if (o->shot_at_end)
		keep_text(o->words, "heapshot-on-shutdown", 20);
}

/* The word of this group only; NULL: none. Areas come with roots. */
static const char *word_of(unsigned group)
{
	for (size_t i = 0; i < PV_COUNT_OF(words); i++)
		if ((words[i].groups & ~(unsigned)PVP_MANAGED_AREAS) == group)
			return words[i].text;
	return NULL;
}

static void describe_managed(struct pvp_managed_options *o)
{
	char text[64];
	for (unsigned g = 1; g && g <= o->groups; g <<= 1) {
		bool sampled = g == PVP_MANAGED_ALLOC && o->alloc_period;
		const char *said = word_of(g);
		/* The host says whether it has the kernel's functions. */
		if (o->groups & g && said && !sampled && g != PVP_MANAGED_KERNEL)
			keep_text(o->words, said, strlen(said));
	}
	if (o->groups & PVP_MANAGED_HEAPSHOTS)
		describe_shots(o);
	if (o->groups & PVP_MANAGED_TREE)
		keep_text(
			o->words, o->tree_cpu ? "calltree=cpu" : "calltree", o->tree_cpu ? 12 : 8);
	if (o->groups & PVP_MANAGED_SAMPLES) {
		int n = snprintf(text, sizeof text, "%s=%u",
			o->sample_real ? "sample-real" : "sample", o->sample_hz);
		keep_text(o->words, text, n > 0 ? (size_t)n : 0);
	}
	if (o->groups & PVP_MANAGED_COVERAGE)
		keep_text(o->words, "coverage", 8);
	if (o->groups & (PVP_MANAGED_CALLS | PVP_MANAGED_TREE) && o->call_depth != UINT_MAX) {
		int n = snprintf(text, sizeof text, "calldepth=%u", o->call_depth);
		keep_text(o->words, text, n > 0 ? (size_t)n : 0);
	}
	if (o->frames_given && o->frames) {
		int n = snprintf(text, sizeof text, "maxframes=%u", o->frames);
		keep_text(o->words, text, n > 0 ? (size_t)n : 0);
	}
	if (o->alloc_period) {
		int n = snprintf(text, sizeof text, "alloc=%zu", o->alloc_period);
		keep_text(o->words, text, n > 0 ? (size_t)n : 0);
	}
	if (o->filter[0]) {
		int n = snprintf(text, sizeof text, "filter=%.50s", o->filter);
		keep_text(o->words, text, n > 0 ? (size_t)n : 0);
	}
}

/* The log goes to mprof-report, which prints the report, or writes a file in place of the log. */
static bool make_report(struct pvp_managed_options *o)
{
	static const char key[] = "output=";
	char command[PVP_MANAGED_TEXT] = "output=|mprof-report -";
	char *at =
		strncmp(o->rest, key, sizeof key - 1) == 0 ? o->rest : strstr(o->rest, ",output=");
	if (at) {
		char *value = strchr(at, '=') + 1;
		size_t len = strcspn(value, ",");
		int n = snprintf(command, sizeof command, "output=|mprof-report '--out=%.*s' -",
			(int)len, value);
		if (n < 0 || (size_t)n >= sizeof command || *value == '|' || *value == '#')
			return false;
		memmove(at, value + len, strlen(value + len) + 1);
		if (*o->rest == ',')
			memmove(o->rest, o->rest + 1, strlen(o->rest));
	}
	return keep_text(o->rest, command, strlen(command));
}

bool pvp_managed_parse(const char *text, struct pvp_managed_options *ret)
{
	struct pvp_managed_options o = { .groups = DEFAULTS,
		.frames = PV_USUAL_MAXFRAMES,
		.shot_bytes = PV_USUAL_HEAPSHOT_ROOM,
		.tree_bytes = PV_USUAL_CALLTREE_ROOM,
		.call_depth = UINT_MAX };
	char word[PVP_MANAGED_TEXT];
	unsigned off = 0;
	size_t len;
	text += *text == ':';
	if (is(text, strcspn(text, ","), "nodefaults"))
		o.groups = 0;
	for (const char *at = text; *at;) {
		at = next_word(at, word, &len);
		if (!at || (len && !take_option_word(&o, word, len, &off)))
			return false;
	}
	o.groups &= ~off;
	if (!(o.groups & PVP_MANAGED_ALLOC))
		o.alloc_period = 0;
	if (o.stock) {
		o.groups &= ~(unsigned)(PVP_MANAGED_CLASS_OF | PVP_MANAGED_MESSAGES |
					PVP_MANAGED_CPU | PVP_MANAGED_LINES);
		o.sample_real = false;
	}
	if (o.want_report && !make_report(&o))
		return false;
	/* If extensions are written anyway, times of the processor come with the samples. */
	if (o.groups & PVP_MANAGED_TREE && o.groups & PVP_MANAGED_SAMPLES && !o.tree_cpu)
		o.groups |= PVP_MANAGED_CPU;
	/* Calls are either summed up or reported singly. */
	if (o.groups & PVP_MANAGED_TREE)
		o.groups &= ~(unsigned)PVP_MANAGED_CALLS;
	/* With calls traced every path is known; walking the stack again would cost the most. */
	if (o.groups & PVP_MANAGED_CALLS && !o.frames_given)
		o.frames = 0;
	describe_managed(&o);
	*ret = o;
	return true;
}
