/* SPDX-License-Identifier: MIT */
/* Parses the probe's options, and describes them and the command line for the log's header. */
#include "probe/ground/probe_args.h"

#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/base/word_limits.h"
#include "probe/ground/probe_clock.h"

struct text {
	const char *at;
	size_t len;
};

static bool text_is(struct text t, const char *word)
{
	return t.len == strlen(word) && memcmp(t.at, word, t.len) == 0;
}

static bool get_flag(struct text value, bool *ret)
{
	bool on = value.len == 0 || text_is(value, "on") || text_is(value, "yes") ||
		  text_is(value, "1");
	if (!on && !text_is(value, "off") && !text_is(value, "no") && !text_is(value, "0"))
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

static bool get_size(struct text value, uint64_t least, uint64_t *ret)
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
	if (!get_number(value, (SIZE_MAX >> shift) / 4, &n) || n << shift < least)
		return false;
	*ret = n << shift;
	return true;
}

/* Replacement of a letter after a percent sign; "" for a percent sign, NULL for other letters. */
static const char *stands_for(char letter, char room[32])
{
	time_t now = time(NULL);
	struct tm utc;
	switch (letter) {
	case 'p':
		snprintf(room, 32, "%ld", (long)getpid());
		return room;
	case 't':
		gmtime_r(&now, &utc);
		strftime(room, 32, "%Y%m%d%H%M%S", &utc);
		return room;
	case '%':
		return "%";
	default:
		return NULL;
	}
}

/*
 * Expands the output as the stock log profiler does: %p is the pid, %t the time, %% a percent sign,
 * "+NAME" is NAME.pid. Other signs in front (| and #) are the sink's.
 */
static bool get_output(struct text value, struct pvp_config *c)
{
	char room[32];
	size_t n = 0;
	bool plus = value.len > 1 && *value.at == '+';
	c->own_sinks = plus;
	for (size_t i = plus; i < value.len; i++) {
		const char *text = value.at + i;
		size_t len = 1;
		if (*text == '%') {
			char letter = ++i < value.len ? value.at[i] : 0;
			text = stands_for(letter, room);
			len = text ? strlen(text) : 0;
			c->own_sinks |= letter == 'p';
		}
		if (!text || n + len + sizeof room >= PVP_PATH_MAX)
			return false;
		memcpy(c->output + n, text, len);
		n += len;
	}
	c->output[n] = 0;
	if (plus)
		snprintf(c->output + n, sizeof room, ".%s", stands_for('p', room));
	return n > 0;
}

/* Other programs, such as the shells of a script, are not recorded. */
static bool get_program(struct text value, struct pvp_config *c)
{
	char self[PVP_PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self);
	c->other_program = n != (ssize_t)value.len || memcmp(self, value.at, value.len) != 0;
	return value.len > 0;
}

/* on, off, or an absolute path. */
static bool get_control(struct text value, char *to, size_t room)
{
	bool word = text_is(value, "on") || text_is(value, "off");
	if (value.len >= room || (!word && (value.len < 2 || *value.at != '/')))
		return false;
	memcpy(to, value.at, value.len);
	to[value.len] = 0;
	return true;
}

/* False: a bad value; *ret_known tells an unknown key. */
static bool set_option(struct pvp_config *c, struct text key, struct text value, bool *ret_known)
{
	uint64_t n = 0;
	if (text_is(key, "output"))
		return get_output(value, c);
	if (text_is(key, "calls"))
		return get_flag(value, &c->calls);
	if (text_is(key, "alloc"))
		return get_flag(value, &c->alloc);
	if (text_is(key, "marks"))
		return get_flag(value, &c->marks);
	if (text_is(key, "block"))
		return get_flag(value, &c->block);
	if (text_is(key, "program"))
		return get_program(value, c);
	if (text_is(key, "control"))
		return get_control(value, c->control, sizeof c->control);
	if (text_is(key, "launch"))
		return get_control(value, c->launch, sizeof c->launch) && *value.at == '/';
	if (text_is(key, "zip"))
		return get_flag(value, &c->zip);
	if (text_is(key, "maxsize"))
		return get_size(value, PV_LEAST_MAXSIZE, &c->maxsize);
	if (text_is(key, "ring"))
		return get_size(value, PV_LEAST_RING, &c->ring);
	if (text_is(key, "buffer")) {
		bool ok = get_size(value, PV_LEAST_BUFFER, &n);
		c->buffer = (size_t)n;
		return ok;
	}
	if (text_is(key, "linger")) {
		bool ok = get_number(value, PV_MOST_LINGER, &n);
		c->linger_ms = (unsigned)n;
		return ok;
	}
	*ret_known = false;
	return false;
}

bool pvp_args_parse(const char *text, struct pvp_config *ret, struct pv_error *reterr)
{
	struct pvp_config c = { .output = "output.mlpd",
		.calls = true,
		.alloc = true,
		.buffer = PV_USUAL_BUFFER,
		.linger_ms = PV_USUAL_LINGER,
		.control = "on" };
	for (const char *at = text ? text : ""; *at;) {
		size_t len = strcspn(at, ","), key_len = strcspn(at, "=,");
		struct text key = { at, key_len };
		struct text value = { at + key_len, len - key_len };
		if (value.len) { /* skips the '=' */
			value.at++;
			value.len--;
		}
		uint64_t offset = (uint64_t)(at - text);
		bool known = true;
		if (len && !set_option(&c, key, value, &known))
			return pv_fail(reterr, PV_EUSAGE, offset,
				known ? "bad value in \"%.*s\"" : "unknown option \"%.*s\"",
				(int)(len < 99 ? len : 99), at);
		at += len + (at[len] == ',');
	}
	if (c.ring && c.maxsize)
		return pv_fail(reterr, PV_EUSAGE, 0, "maxsize and ring exclude each other");
	*ret = c;
	return true;
}

/* ",block", ",zip", ",ring=N": what bounds and packs the log. */
static void describe_log(const struct pvp_config *c, char *to, size_t room)
{
	const char *word = c->ring ? ",ring=" : ",maxsize=";
	uint64_t bound = c->ring ? c->ring : c->maxsize;
	int n = snprintf(to, room, "%s%s", c->block ? ",block" : "", c->zip ? ",zip" : "");
	if (bound)
		snprintf(to + n, room - (size_t)n, "%s%" PRIu64, word, bound);
}

/* Number of processors that the process may run on; 0: unknown. */
static int usable_processors(void)
{
	cpu_set_t set;
	return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
}

/* Only opens and reads a file, which any seccomp filter of the program has to allow. */
void pvp_args_draw_id(struct pvp_config *c)
{
	uint64_t id = 0;
	struct timespec t;
	int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
	bool drawn = fd >= 0 && read(fd, &id, sizeof id) == sizeof id;
	if (fd >= 0)
		close(fd);
	if (!drawn) {
		clock_gettime(CLOCK_REALTIME, &t);
		id = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
		id = (id ^ (uint64_t)getpid() << 40) * UINT64_C(0x9e3779b97f4a7c15);
	}
	snprintf(c->id, sizeof c->id, "%016" PRIx64, id);
}

/* A byte without escape in a list of words with values. */
static bool is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c && strchr("/._-", c));
}

void pvp_args_find_command(struct pvp_config *c, pid_t process)
{
	static const char digits[] = "0123456789abcdef";
	enum { ESCAPED = 3 };
	char line[sizeof c->command], *to = c->command;
	char path[32] = "/proc/self/cmdline";
	if (process)
		snprintf(path, sizeof path, "/proc/%ld/cmdline", (long)process);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, line, sizeof line);
	if (fd >= 0)
		close(fd);
	while (n > 0 && !line[n - 1]) /* the NUL of the last word */
		n--;
	for (ssize_t i = 0; i < n && to + ESCAPED < c->command + sizeof c->command; i++) {
		const char byte = line[i] ? line[i] : ' ';
		if (is_plain(byte)) {
			*to++ = byte;
		} else {
			*to++ = '%';
			*to++ = digits[(uint8_t)byte >> 4];
			*to++ = digits[(uint8_t)byte & 15];
		}
	}
	*to = 0;
}

size_t pvp_args_describe(
	const struct pvp_config *c, const char *host, const char *words, char *to, size_t room)
{
	char log[64];
	describe_log(c, log, sizeof log);
	int n = snprintf(to, room,
		"profview:%s%s%s%s%s%s,cpus=%d,buffer=%zu%s%s%s%s%s%s%s,output=%s", host,
		words && *words ? "," : "", words ? words : "", c->calls && !words ? ",calls" : "",
		c->alloc && !words ? ",reported-allocations" : "", c->marks ? ",marks" : "",
		usable_processors(), c->buffer, log, *c->control == '/' ? ",control=" : "",
		*c->control == '/' ? c->control : "", *c->id ? ",id=" : "", c->id,
		*c->command ? ",command=" : "", c->command, c->output);
	return n < 0 ? 0 : (size_t)n < room ? (size_t)n : room - 1;
}

static const char joined[] = ",joined=";

size_t pvp_args_turn(char *text, size_t room, const char *from, const char *to)
{
	char *last = strstr(text, joined); /* added for the reader before; not part of the output */
	if (last)
		*last = 0;
	size_t n = strlen(text), old = strlen(from), fresh = strlen(to);
	if (old > n || strcmp(text + n - old, from) != 0 || n - old + fresh >= room)
		return n;
	memcpy(text + n - old, to, fresh + 1);
	return n - old + fresh;
}

void pvp_args_joined(char *args, size_t room, size_t *n, uint64_t start_ns)
{
	const char *old = memmem(args, *n, joined, sizeof joined - 1);
	*n = old ? (size_t)(old - args) : *n;
	const int more = snprintf(
		args + *n, room - *n, "%s%" PRIu64, joined, (pvp_monotonic() - start_ns) / 1000000);
	if (more > 0 && (size_t)more < room - *n)
		*n += (size_t)more;
	else
		args[*n] = 0;
}
