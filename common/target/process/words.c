/* SPDX-License-Identifier: MIT */
/* Checks the words for a probe against the words that each host's probe understands. */
#include "common/target/process/words.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/utf8.h"
#include "common/base/estimate.h"
#include "common/base/status.h"

enum { N = PV_HOST_NATIVE, M = PV_HOST_MONO, D = PV_HOST_DOTNET, ALL = N | M | D };

enum kind {
	PLAIN,  /* no value */
	GROUP,  /* takes no value, and "noWORD" switches off */
	FLAG,   /* none, or on, off, yes, no, 1, 0 */
	NOFLAG, /* likewise; "noWORD" */
	ALLOC,  /* none, off, or a size; "noalloc" */
	SIZE,   /* 4096, 512k, 64m */
	SIZES,  /* likewise, or none */
	NUMBER, /* from 0 on */
	RATE,   /* a number from 1 to most, or none */
	SHOT,   /* none, ondemand, onshutdown, Ngc, Nms, nogc */
	SOCKET, /* on, off, an absolute path */
	TEXT,   /* anything */
	TEXTS,  /* anything, or none */
	FILTER, /* terms: n:NAME */
	CHOICE, /* one of `choices` */
	OURS,   /* set by profview itself */
};

struct value {
	const char *at; /* NULL: there is none */
	size_t len;
};

struct row {
	const char *word;
	unsigned hosts;
	enum kind kind;
	const char *choices;  /* "|cpu"; "" stands for no value */
	unsigned least, most; /* of a number, or of a size's bytes; most 0: no bound */
};

static const struct row rows[] = {
#define WORD(symbol, word, hosts, kind, least, most, ...) { word, hosts, kind, NULL, least, most },
#define CHOICE(symbol, word, hosts, choices, ...)         { word, hosts, CHOICE, choices, 0, 0 },
#include "common/base/words.def"
};

/* ---- values */

static bool equals(struct value v, const char *text)
{
	return v.at && strlen(text) == v.len && memcmp(v.at, text, v.len) == 0;
}

static size_t digits(struct value v)
{
	size_t n = 0;
	while (n < v.len && v.at[n] >= '0' && v.at[n] <= '9')
		n++;
	return n;
}

static bool is_number_within(struct value v, unsigned most)
{
	return v.at && v.len > 0 && v.len < 9 && digits(v) == v.len &&
	       (!most || strtoul(v.at, NULL, 10) <= most);
}

static bool is_flag(struct value v)
{
	static const char *const words[] = { "on", "off", "yes", "no", "1", "0" };
	for (size_t i = 0; i < PV_COUNT_OF(words); i++)
		if (equals(v, words[i]))
			return true;
	return !v.at;
}

static bool is_size(struct value v, unsigned least)
{
	return v.at && pv_bytes_of(v.at, v.len) >= least;
}

static bool is_shot(struct value v, unsigned host)
{
	size_t n = v.at ? digits(v) : 0;
	struct value unit = { v.at ? v.at + n : NULL, v.len - n };
	if (!v.at || equals(v, "ondemand") || equals(v, "onshutdown"))
		return true;
	if (equals(v, "nogc"))
		return host == PV_HOST_DOTNET;
	bool number = n > 0 && n < 9 && *v.at != '0';
	return number && (equals(unit, "ms") || (host != PV_HOST_NATIVE && equals(unit, "gc")));
}

static bool is_choice(struct value v, const char *choices)
{
	for (const char *at = choices;; at++) {
		size_t n = strcspn(at, "|");
		if (v.at ? n == v.len && n > 0 && memcmp(at, v.at, n) == 0 : n == 0)
			return true;
		at += n;
		if (!*at)
			return false;
	}
}

/* Terms a:NAME, n:, c:, m:, also with '-' in front, and il:N; joined by '+'. */
static bool is_filter(struct value v)
{
	const char *at = v.at;
	for (size_t left = v.len; at && left;) {
		const char *plus = memchr(at, '+', left);
		size_t len = plus ? (size_t)(plus - at) : left, out = *at == '-';
		bool letter = len > out + 2 && strchr("ancm", at[out]) && at[out + 1] == ':';
		struct value size = { at + 3, len > 3 ? len - 3 : 0 };
		if (!letter && !(len > 3 && memcmp(at, "il:", 3) == 0 && is_number_within(size, 0)))
			return false;
		at += len + (plus != NULL);
		left -= len + (plus != NULL);
	}
	return at != NULL;
}

static bool takes(const struct row *r, struct value v, unsigned host)
{
	switch (r->kind) {
	case PLAIN:
	case GROUP:
		return !v.at;
	case FLAG:
	case NOFLAG:
		return is_flag(v);
	case ALLOC:
		return !v.at || equals(v, "off") || is_size(v, r->least);
	case SIZE:
		return is_size(v, r->least);
	case SIZES:
		return !v.at || is_size(v, r->least);
	case NUMBER:
		return is_number_within(v, r->most);
	case RATE:
		return !v.at || (is_number_within(v, r->most) && *v.at != '0');
	case SHOT:
		return is_shot(v, host);
	case SOCKET:
		return equals(v, "on") || equals(v, "off") || (v.at && v.len > 1 && *v.at == '/');
	case TEXT:
		return v.at && v.len;
	case TEXTS:
		return true;
	case FILTER:
		return is_filter(v);
	case CHOICE:
		return is_choice(v, r->choices);
	case OURS:
		break;
	}
	return false;
}

static const char *wanted(const struct row *r, unsigned hosts)
{
	switch (r->kind) {
	case FLAG:
	case NOFLAG:
		return "on or off";
	case ALLOC:
		return "no value (every allocation), a size like 512k (one in so many bytes), or "
		       "off";
	case SIZE:
	case SIZES:
		return r->least > 1 ? "a size from 256k on" : "a size like 512k";
	case NUMBER:
		return r->most == 64 ? "a number up to 64" : "a number, not too large";
	case RATE:
		return "a number from 1 to 10000";
	case SHOT:
		return hosts == PV_HOST_NATIVE
			       ? "no value, 1000ms, ondemand or onshutdown: a native program has no"
				 " collections"
		       : hosts == PV_HOST_DOTNET
			       ? "no value, 5gc, 1000ms, ondemand, onshutdown or nogc"
			       : "no value, 5gc, 1000ms, ondemand or onshutdown";
	case FILTER:
		return "terms like n:App or -c:Test*, joined by +: a: assembly, n: namespace, c: "
		       "class, m: method, il:N least size";
	case CHOICE:
		return r->choices + (*r->choices == '|');
	case OURS:
		return "nothing: profview sets it (--record keeps the log)";
	case SOCKET:
		return "on, off or an absolute path";
	case TEXT:
	case TEXTS:
		return "a value";
	default:
		return "no value";
	}
}

/* ---- words */

struct word {
	const char *at;
	size_t len, key;
	struct value value;
};

static struct word word_from(const char *at)
{
	struct word w = { .at = at, .len = strcspn(at, ","), .key = strcspn(at, "=,") };
	if (w.key < w.len)
		w.value = (struct value){ at + w.key + 1, w.len - w.key - 1 };
	return w;
}

static bool row_names_word(const struct row *r, const struct word *w)
{
	bool whole = strlen(r->word) == w->key && memcmp(r->word, w->at, w->key) == 0;
	bool takes_away = (r->kind == GROUP || r->kind == ALLOC || r->kind == NOFLAG) &&
			  w->key == w->len && w->len > 2 && strlen(r->word) == w->len - 2 &&
			  memcmp(w->at, "no", 2) == 0 &&
			  memcmp(r->word, w->at + 2, w->len - 2) == 0;
	return whole || takes_away;
}

/* Whether the host understands the word; *ret_row: the row of this name, of any host. */
static bool understands(const struct word *w, unsigned host, const struct row **ret_row)
{
	for (size_t i = 0; i < PV_COUNT_OF(rows); i++) {
		const struct row *r = &rows[i];
		if (!row_names_word(r, w))
			continue;
		bool taken_away = strlen(r->word) != w->key;
		*ret_row = r;
		if (r->hosts & host && (taken_away || takes(r, w->value, host)))
			return true;
	}
	return false;
}

static bool any_understands(const struct word *w, unsigned hosts, const struct row **ret_row)
{
	for (unsigned host = 1; host <= D; host <<= 1)
		if (hosts & host && understands(w, host, ret_row))
			return true;
	return false;
}

static const char *hosts_text(unsigned hosts)
{
	static const char *const text[] = { "", "native programs", "Mono",
		"Mono and native programs", ".NET", ".NET and native programs", ".NET and Mono",
		"every program" };
	return text[hosts & ALL];
}

static unsigned hosts_of(const struct word *w)
{
	unsigned hosts = 0;
	for (size_t i = 0; i < PV_COUNT_OF(rows); i++)
		if (row_names_word(&rows[i], w))
			hosts |= rows[i].hosts;
	return hosts;
}

/* "alloc block buffer ..." */
static void list_words(unsigned hosts, char *to, size_t room)
{
	size_t n = 0;
	*to = 0;
	const char *last = ""; /* a word whose bounds differ by host has several rows in a row */
	for (size_t i = 0; i < PV_COUNT_OF(rows) && n < room; i++) {
		if (!(rows[i].hosts & hosts) || rows[i].kind == OURS ||
			strcmp(rows[i].word, last) == 0)
			continue;
		last = rows[i].word;
		n += (size_t)snprintf(to + n, room - n, "%s%s", n ? " " : "", last);
	}
}

static void refuse_word(const struct word *w, const struct row *r, unsigned hosts, char *why)
{
	char known[PV_WORDS_WHY - 200];
	const char *word = PV_FIT_LEN(w->at, w->len, 60);
	unsigned whose = hosts_of(w);
	if (whose & hosts) {
		snprintf(why, PV_WORDS_WHY, "\"%s\" is not understood: %s wants %s", word,
			PV_FIT_LEN(w->at, w->key, 60), wanted(r, hosts));
		return;
	}
	list_words(hosts, known, sizeof known);
	if (whose)
		snprintf(why, PV_WORDS_WHY,
			"%s is a word of %s; of %s it is not, whose words are: %s", word,
			hosts_text(whose), hosts_text(hosts), known);
	else
		snprintf(why, PV_WORDS_WHY, "\"%s\" is no word of the probe; of %s it knows: %s",
			word, hosts_text(hosts), known);
}

/* The value of the last word of this name. */
static bool has_value(const char *words, const char *word, struct value *ret_value)
{
	bool found = false;
	for (const char *at = words; *at; at += *at == ',') {
		struct word w = word_from(at);
		if (strlen(word) == w.key && memcmp(word, at, w.key) == 0) {
			*ret_value = w.value;
			found = true;
		}
		at += w.len;
	}
	return found;
}

/* Finds words that are each sound but exclude each other. */
static bool goes_together(const char *words, unsigned hosts, char *why)
{
	struct value v = { 0 }, none;
	has_value(words, "alloc", &v);
	if (has_value(words, "malloc", &none))
		v = none;
	bool sampled = is_size(v, 1);
	if (hosts & N && has_value(words, "free", &none) && sampled)
		snprintf(why, PV_WORDS_WHY,
			"free goes with every allocation, not with one in so many bytes: add "
			"--alloc");
	else if (has_value(words, "maxsize", &none) && has_value(words, "ring", &none))
		snprintf(why, PV_WORDS_WHY, "maxsize and ring exclude each other");
	else
		return true;
	return false;
}

bool pv_words_check(const char *words, unsigned hosts, char why[PV_WORDS_WHY])
{
	for (const char *at = words; *at; at += *at == ',') {
		struct word w = word_from(at);
		const struct row *row = NULL;
		if (w.len && !any_understands(&w, hosts, &row)) {
			refuse_word(&w, row, hosts, why);
			return false;
		}
		at += w.len;
	}
	return goes_together(words, hosts, why);
}

bool pv_words_for(const char *words, enum pv_host host, char *to, size_t room)
{
	size_t n = 0;
	*to = 0;
	for (const char *at = words; *at; at += *at == ',') {
		struct word w = word_from(at);
		const struct row *row = NULL;
		if (w.len && understands(&w, host, &row)) {
			if (n + w.len + 2 > room)
				return false;
			if (n)
				to[n++] = ',';
			memcpy(to + n, w.at, w.len);
			to[n += w.len] = 0;
		}
		at += w.len;
	}
	return true;
}
