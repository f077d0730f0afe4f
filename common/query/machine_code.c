/* SPDX-License-Identifier: MIT */
/* Has objdump disassemble one function, and reads what it prints. */
#include "common/query/machine_code.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/system/run_output.h"

enum { TEXT_MOST = 64 << 20, WAIT_MS = 10000 };

/* The last function: a view asks again with each change of its figures. */
static struct {
	pthread_mutex_t lock;
	char path[1024];
	uint64_t from, size;
	struct timespec changed;
	off_t bytes;
	char *text;
	size_t n;
} last = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* A copy of what is remembered; NULL: something else is, or out of memory. */
static char *code_known(
	const char *path, uint64_t from, uint64_t size, const struct stat *st, size_t *ret_n)
{
	char *copy = NULL;
	pthread_mutex_lock(&last.lock);
	const bool same = last.text && strcmp(last.path, path) == 0 && last.from == from &&
			  last.size == size && last.bytes == st->st_size &&
			  last.changed.tv_sec == st->st_mtim.tv_sec &&
			  last.changed.tv_nsec == st->st_mtim.tv_nsec;
	if (same) {
		copy = malloc(last.n + 1);
		if (copy)
			memcpy(copy, last.text, last.n + 1);
		*ret_n = last.n;
	}
	pthread_mutex_unlock(&last.lock);
	return copy;
}

static void code_keep(const char *path, uint64_t from, uint64_t size, const struct stat *st,
	const char *text, size_t n)
{
	enum { KEPT = 4 << 20 };
	char *copy = n < KEPT && strlen(path) < sizeof last.path ? malloc(n + 1) : NULL;
	if (!copy)
		return;
	memcpy(copy, text, n + 1);
	pthread_mutex_lock(&last.lock);
	free(last.text);
	last.text = copy;
	last.n = n;
	last.from = from;
	last.size = size;
	last.changed = st->st_mtim;
	last.bytes = st->st_size;
	snprintf(last.path, sizeof last.path, "%s", path);
	pthread_mutex_unlock(&last.lock);
}

static char *code_ask(
	const char *path, uint64_t from, uint64_t size, struct pv_machine_code *c, size_t *ret_n)
{
	char begin[64], end[64];
	snprintf(begin, sizeof begin, "--start-address=0x%" PRIx64, from);
	snprintf(end, sizeof end, "--stop-address=0x%" PRIx64, from + size);
	const char *const argv[] = { "objdump", "--disassemble", "--no-show-raw-insn", "--wide",
		"--demangle", begin, end, "--", path, NULL };
	char *text = pv_run_output(argv, TEXT_MOST, WAIT_MS, ret_n);
	if (text)
		return text;
	if (errno == ENOENT)
		c->why = "machine code is read by objdump, of the package binutils, which is not "
			 "installed here";
	else
		snprintf(c->said, sizeof c->said, "objdump cannot read the code: %s",
			errno == EIO     ? "it failed"
			: errno == ETIME ? "it did not end in ten seconds"
					 : strerror(errno));
	c->why = c->why ? c->why : c->said;
	return NULL;
}

/* "  401136:\tpush   %rbp": whether a line is an instruction, and its text. */
static bool instruction_in(char *line, uint64_t *ret_address, char **ret_text)
{
	char *end;
	line += strspn(line, " ");
	if (!strchr("0123456789abcdef", *line) || !*line)
		return false;
	*ret_address = strtoull(line, &end, 16);
	if (*end != ':' || end[1] != '\t')
		return false;
	*ret_text = end + 2;
	for (char *at = *ret_text; *at; at++)
		if (*at == '\t')
			*at = ' ';
	return true;
}

bool pv_machine_code_cut(struct pv_machine_code *c, size_t len, uint64_t from, uint64_t size)
{
	char *at = c->text, *end = c->text + len;
	while (at < end) {
		char *stop = memchr(at, '\n', (size_t)(end - at)), *text;
		uint64_t address;
		stop = stop ? stop : end;
		*stop = 0;
		const bool is = instruction_in(at, &address, &text) && address - from < size &&
				(!c->one.n || address > c->one.v[c->one.n - 1].address);
		if (is && !pv_reserve(&c->one, 1))
			return false;
		if (is)
			c->one.v[c->one.n++] = (struct pv_instruction){ address, text };
		at = stop + 1;
	}
	return true;
}

bool pv_machine_code_read(
	const char *path, uint64_t from, uint64_t size, struct pv_machine_code *ret)
{
	struct stat st;
	size_t n = 0;
	*ret = (struct pv_machine_code){ 0 };
	if (size > PV_MACHINE_MOST || from + size < from) {
		ret->why = "the function has more than 1 MiB of code";
		return true;
	}
	if (path[0] != '/' || stat(path, &st) != 0 || !S_ISREG(st.st_mode)) {
		ret->why = "its file is not here";
		return true;
	}
	ret->text = code_known(path, from, size, &st, &n);
	if (!ret->text) {
		ret->text = code_ask(path, from, size, ret, &n);
		if (!ret->text)
			return true;
		code_keep(path, from, size, &st, ret->text, n);
	}
	if (!pv_machine_code_cut(ret, n, from, size))
		return false;
	if (!ret->one.n)
		ret->why = "objdump found no instruction there";
	return true;
}

void pv_machine_code_finish(struct pv_machine_code *c)
{
	pv_array_finish(&c->one);
	free(c->text);
	c->text = NULL;
}
