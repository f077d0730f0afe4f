/* SPDX-License-Identifier: MIT */
/* Reads the index.json of a recording, or the names of logs in its folder. */
#include "common/io/process_list.h"

#include <cjson/cJSON.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { VERSION = 1, DEPTH_MOST = 8, ITEMS_MOST = 1000000, NAME_MOST = 255 };

static const char index_name[] = "index.json";

bool pv_is_folder(const char *path)
{
	struct stat st;
	return strcmp(path, "-") != 0 && stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static bool list_no_memory(struct pv_error *reterr)
{
	return pv_fail(reterr, PV_ENOMEM, 0, "out of memory");
}

uint64_t pv_process_list_mark(const char *folder)
{
	struct stat st;
	char path[4096];
	int n = snprintf(path, sizeof path, "%s/%s", folder, index_name);
	if (n < 0 || (size_t)n >= sizeof path || (stat(path, &st) != 0 && stat(folder, &st) != 0))
		return 0;
	uint64_t mark = (uint64_t)st.st_ino * UINT64_C(0x9e3779b97f4a7c15);
	mark ^= (uint64_t)st.st_mtim.tv_sec * 1000000000 + (uint64_t)st.st_mtim.tv_nsec;
	mark += (uint64_t)st.st_size * UINT64_C(0xff51afd7ed558ccd);
	return mark ? mark : 1;
}

/* --- the text of the index --- */

/* The whole file, to free(); *ret_n without the NUL at the end. A pipe or device is no index. */
static char *read_text(int fd, size_t *ret_n, struct pv_error *reterr)
{
	struct stat st;
	size_t n = 0;
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
		pv_fail(reterr, PV_EIO, 0, "%s is no file", index_name);
		return NULL;
	}
	if (st.st_size > PV_PROCESS_INDEX_MOST) {
		pv_fail(reterr, PV_ECORRUPT, 0, "%s is larger than %d MiB", index_name,
			PV_PROCESS_INDEX_MOST >> 20);
		return NULL;
	}
	size_t room = (size_t)st.st_size;
	char *text = malloc(room + 1);
	if (!text) {
		list_no_memory(reterr);
		return NULL;
	}
	while (n < room) {
		ssize_t got = read(fd, text + n, room - n);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			pv_fail(reterr, PV_EIO, 0, "%s: %s", index_name, strerror(errno));
			free(text);
			return NULL;
		}
		if (got == 0)
			break;
		n += (size_t)got;
	}
	text[n] = 0;
	*ret_n = n;
	return text;
}

/*
 * Checks the depth and the number of values before parsing, since each value takes many times its
 * length in memory. Also finds an end inside of something.
 */
static bool check_shape(const char *text, size_t n, struct pv_error *reterr)
{
	size_t depth = 0, items = 0;
	bool quoted = false;
	for (size_t i = 0; i < n; i++) {
		char c = text[i];
		if (quoted) {
			i += c == '\\';
			quoted = c != '"';
			continue;
		}
		quoted = c == '"';
		items += c == ',' || c == '[' || c == '{';
		if ((c == '[' || c == '{') && ++depth > DEPTH_MOST)
			return pv_fail(
				reterr, PV_ECORRUPT, i, "%s is nested too deeply", index_name);
		if ((c == ']' || c == '}') && depth > 0)
			depth--;
	}
	if (items > ITEMS_MOST)
		return pv_fail(reterr, PV_ECORRUPT, 0, "%s has more than %d values", index_name,
			ITEMS_MOST);
	if (n == 0 || depth > 0 || quoted)
		return pv_fail(reterr, PV_ETRUNCATED, n, "%s is cut short", index_name);
	return true;
}

/* --- values of the index --- */

static const cJSON *item(const cJSON *object, const char *key)
{
	return cJSON_GetObjectItemCaseSensitive(object, key);
}

/* A whole number from 0 on; false without one, or for `null`. */
static bool whole(const cJSON *object, const char *key, double most, uint64_t *ret)
{
	const cJSON *v = item(object, key);
	double d = cJSON_IsNumber(v) ? cJSON_GetNumberValue(v) : -1;
	if (!(d >= 0 && d <= most) || floor(d) != d)
		return false;
	*ret = (uint64_t)d;
	return true;
}

#define MOST_NS 9e18 /* fits an int64_t */

static bool figure(const cJSON *object, const char *key, uint64_t *ret)
{
	return whole(object, key, MOST_NS, ret);
}

static const char *text_in(struct pv_processes *list, const cJSON *object, const char *key)
{
	const char *text = cJSON_GetStringValue(item(object, key));
	size_t n = text ? strnlen(text, PV_PROCESS_ARGS_MOST) : 0;
	return text ? pv_arena_copy(&list->arena, text, n) : NULL;
}

/* Texts of an array joined by blanks, cut to the limit; "" for none, NULL out of memory. */
static char *joined(struct pv_processes *list, const cJSON *array)
{
	char text[PV_PROCESS_ARGS_MOST + 1];
	size_t n = 0;
	const cJSON *v;
	cJSON_ArrayForEach(v, array)
	{
		const char *word = cJSON_GetStringValue(v);
		if (!word || n + 1 >= sizeof text)
			continue;
		int added = snprintf(text + n, sizeof text - n, "%s%s", n ? " " : "", word);
		n += added < 0 ? 0 : (size_t)added;
		n = n < sizeof text ? n : sizeof text - 1;
	}
	return pv_arena_copy(&list->arena, text, n);
}

static enum pv_process_host host_of(const char *word)
{
	static const char *const words[] = { [PV_PROCESS_UNKNOWN] = "",
		[PV_PROCESS_NATIVE] = "native",
		[PV_PROCESS_MONO] = "mono",
		[PV_PROCESS_CORECLR] = "coreclr",
		[PV_PROCESS_NONE] = "none" };
	for (size_t i = 1; word && i < PV_COUNT_OF(words); i++)
		if (strcmp(word, words[i]) == 0)
			return (enum pv_process_host)i;
	return PV_PROCESS_UNKNOWN;
}

/* --- logs --- */

/* Whether the name is of a file in the folder: no way out, nor into a hidden or special one. */
static bool is_plain_name(const char *name)
{
	size_t n = strlen(name);
	return n > 0 && n <= NAME_MOST && name[0] != '.' && !strchr(name, '/');
}

/* NULL and the log's size, or why the log cannot be opened. */
static const char *look_at_log(int folder, const char *name, uint64_t *ret_bytes)
{
	struct stat st;
	if (!is_plain_name(name))
		return "its log is not named as a file of the folder";
	if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return "its log is missing";
	if (!S_ISREG(st.st_mode))
		return "its log is no plain file";
	*ret_bytes = (uint64_t)st.st_size;
	return NULL;
}

static void take_log(struct pv_process *p, int folder)
{
	const char *why = p->log ? look_at_log(folder, p->log, &p->log_bytes) : NULL;
	if (!why)
		return;
	p->log = NULL;
	if (!p->reason)
		p->reason = why;
}

/* Adds a process. False: out of memory. A row without a pid is left out. */
static bool take_process(struct pv_processes *list, const cJSON *v, int folder)
{
	struct pv_process p = { .parent = PV_PROCESS_ROOT };
	uint64_t pid, ppid = 0, image = 0, n;
	if (list->row.n >= PV_PROCESSES_MOST || !cJSON_IsObject(v) ||
		!whole(v, "pid", INT32_MAX, &pid) || pid == 0) {
		list->left_out++;
		return true;
	}
	whole(v, "ppid", INT32_MAX, &ppid);
	whole(v, "image", INT32_MAX, &image);
	p.pid = (uint32_t)pid;
	p.ppid = (uint32_t)ppid;
	p.image = (uint32_t)image;
	p.exe = text_in(list, v, "exe");
	p.exe = p.exe ? p.exe : "";
	p.args = joined(list, item(v, "argv"));
	p.log = text_in(list, v, "log");
	p.reason = text_in(list, v, "reason");
	p.host = host_of(cJSON_GetStringValue(item(v, "host")));
	p.knows_cpu = figure(v, "cpu_ns", &p.cpu_ns);
	p.knows_events = figure(v, "events", &p.events);
	p.knows_lost = figure(v, "lost", &p.lost);
	p.knows_memory = figure(v, "memory_bytes", &p.memory_bytes);
	if ((p.knows_start = figure(v, "start_ns", &n)))
		p.start_ns = (int64_t)n;
	if ((p.ended = figure(v, "end_ns", &n)))
		p.end_ns = (int64_t)n;
	if ((p.exited = whole(v, "exit_code", 255, &n)))
		p.exit_code = (int)n;
	if ((p.killed = whole(v, "signal", 127, &n) && n > 0))
		p.signal = (int)n;
	take_log(&p, folder);
	if (!p.args || !pv_reserve(&list->row, 1))
		return false;
	list->row.v[list->row.n++] = p;
	return true;
}

/* --- the index --- */

static bool take_index(
	struct pv_processes *list, const cJSON *root, int folder, struct pv_error *reterr)
{
	const char *what = cJSON_GetStringValue(item(root, "profview"));
	const cJSON *v, *rows = item(root, "processes");
	uint64_t version = 0;
	whole(root, "version", 1e6, &version);
	if (!what || strcmp(what, "processes") != 0 || !cJSON_IsArray(rows))
		return pv_fail(reterr, PV_ECORRUPT, 0, "%s lists no processes", index_name);
	if (version != VERSION)
		return pv_fail(reterr, PV_EVERSION, 0,
			"%s has version %llu, and only version %d is read", index_name,
			(unsigned long long)version, VERSION);
	list->command = joined(list, item(root, "command"));
	bool ok = list->command != NULL;
	cJSON_ArrayForEach(v, rows)
	{
		ok = ok && take_process(list, v, folder);
	}
	list->indexed = true;
	return ok || list_no_memory(reterr);
}

static bool read_index(struct pv_processes *list, int fd, int folder, struct pv_error *reterr)
{
	size_t n = 0;
	const char *end = NULL;
	char *text = read_text(fd, &n, reterr);
	bool ok = text && check_shape(text, n, reterr);
	cJSON *root = ok ? cJSON_ParseWithLengthOpts(text, n + 1, &end, true) : NULL;
	if (ok && !root)
		ok = pv_fail(reterr, PV_ECORRUPT, end ? (uint64_t)(end - text) : 0, "%s is no JSON",
			index_name);
	ok = ok && take_index(list, root, folder, reterr);
	cJSON_Delete(root);
	free(text);
	return ok;
}

/* --- a folder without an index --- */

static bool ends_with(const char *name, const char *end)
{
	size_t n = strlen(name), k = strlen(end);
	return n > k && strcmp(name + n - k, end) == 0;
}

static bool take_file(struct pv_processes *list, const char *folder, int fd, const char *name,
	uint32_t (*pid_of)(const char *path))
{
	struct pv_process p = { .parent = PV_PROCESS_ROOT, .exe = "", .args = "" };
	if (!ends_with(name, ".mlpd") || look_at_log(fd, name, &p.log_bytes))
		return true;
	if (list->row.n >= PV_PROCESSES_MOST) {
		list->left_out++;
		return true;
	}
	char *path = pv_arena_printf(&list->arena, "%s/%s", folder, name);
	p.log = pv_arena_copy(&list->arena, name, strlen(name));
	if (!path || !p.log || !pv_reserve(&list->row, 1))
		return false;
	p.args = p.log;
	p.pid = pid_of ? pid_of(path) : 0;
	list->row.v[list->row.n++] = p;
	return true;
}

static int by_log_name(const void *a, const void *b)
{
	const struct pv_process *x = a, *y = b;
	return strcmp(x->log, y->log);
}

static bool read_files(struct pv_processes *list, const char *folder, int fd,
	uint32_t (*pid_of)(const char *path), struct pv_error *reterr)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	DIR *dir = copy >= 0 ? fdopendir(copy) : NULL;
	bool ok = true;
	if (!dir) {
		pv_fail(reterr, PV_EIO, 0, "%s", strerror(errno));
		if (copy >= 0)
			close(copy);
		return false;
	}
	for (struct dirent *e = readdir(dir); ok && e; e = readdir(dir))
		ok = take_file(list, folder, fd, e->d_name, pid_of);
	closedir(dir);
	list->command = pv_arena_copy(&list->arena, "", 0);
	if (!ok || !list->command)
		return list_no_memory(reterr);
	if (list->row.n == 0)
		return pv_fail(reterr, PV_ECORRUPT, 0,
			"the folder is no recording: neither %s nor a file *.mlpd is in it",
			index_name);
	qsort(list->row.v, list->row.n, sizeof *list->row.v, by_log_name);
	return true;
}

static bool read_folder(struct pv_processes *list, const char *folder, int fd,
	uint32_t (*pid_of)(const char *path), struct pv_error *reterr)
{
	int index = openat(fd, index_name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (index < 0 && errno != ENOENT)
		return pv_fail(reterr, PV_EIO, 0, "%s: %s", index_name, strerror(errno));
	bool ok = index < 0 ? read_files(list, folder, fd, pid_of, reterr)
			    : read_index(list, index, fd, reterr);
	if (index >= 0)
		close(index);
	return ok;
}

struct pv_processes *pv_process_list_read(
	const char *folder, uint32_t (*pid_of)(const char *path), struct pv_error *reterr)
{
	int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0) {
		pv_fail(reterr, PV_EIO, 0, "%s", strerror(errno));
		return NULL;
	}
	struct pv_processes *list = calloc(1, sizeof *list);
	bool ok = list || list_no_memory(reterr);
	ok = ok && read_folder(list, folder, fd, pid_of, reterr);
	ok = ok && (pv_processes_link(list) || list_no_memory(reterr));
	close(fd);
	if (ok)
		return list;
	pv_processes_destroy(list);
	return NULL;
}
