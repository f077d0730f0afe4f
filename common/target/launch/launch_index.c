/* SPDX-License-Identifier: MIT */
/* The folder's index.json: a row for each image. */
#include <cjson/cJSON.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/system/new_file.h"
#include "common/base/utf8.h"
#include "common/io/fd.h"
#include "common/target/launch/launch_serve.h"

/* A JSON string; bytes outside UTF-8 are replaced. NULL: out of memory. */
static cJSON *json_text(const char *from, size_t n)
{
	char *to = malloc(3 * n + 1), *at = to;
	if (!to)
		return NULL;
	for (const char *end = from + n; from < end;) {
		size_t len;
		uint32_t code = pv_utf8_next(from, end, &len);
		at += pv_utf8_put(at, code);
		from += len;
	}
	*at = 0;
	cJSON *text = cJSON_CreateString(to);
	free(to);
	return text;
}

static cJSON *json_words(const char *args, size_t n)
{
	cJSON *list = cJSON_CreateArray();
	for (size_t at = 0; list && at < n; at += strnlen(args + at, n - at) + 1)
		cJSON_AddItemToArray(list, json_text(args + at, strnlen(args + at, n - at)));
	return list;
}

static cJSON *command_of(char *const *words)
{
	cJSON *list = cJSON_CreateArray();
	for (; list && words && *words; words++)
		cJSON_AddItemToArray(list, json_text(*words, strlen(*words)));
	return list;
}

/* As digits: a double is not exact beyond 2^53. */
static void add_number(cJSON *to, const char *name, uint64_t n)
{
	char digits[24];
	snprintf(digits, sizeof digits, "%llu", (unsigned long long)n);
	cJSON_AddRawToObject(to, name, digits);
}

static void add_json_text(cJSON *to, const char *name, const char *text)
{
	if (text && *text)
		cJSON_AddItemToObject(to, name, json_text(text, strlen(text)));
	else
		cJSON_AddNullToObject(to, name);
}

static void add_if(cJSON *to, const char *name, bool known, uint64_t n)
{
	if (known)
		add_number(to, name, n);
	else
		cJSON_AddNullToObject(to, name);
}

static cJSON *json_row(const struct pv_tree_row *r)
{
	static const char *const hosts[] = { "none", "native", "mono", "coreclr" };
	bool exited = r->waited && WIFEXITED(r->status);
	bool killed = r->waited && WIFSIGNALED(r->status);
	char cut[96];
	cJSON *o = cJSON_CreateObject();
	if (!o)
		return NULL;
	snprintf(cut, sizeof cut, "cut short: %s", strerror(r->cut));
	add_number(o, "pid", (uint64_t)r->pid);
	add_number(o, "ppid", (uint64_t)r->ppid);
	add_number(o, "image", r->image);
	cJSON_AddItemToObject(
		o, "exe", json_text(r->exe ? r->exe : "", r->exe ? strlen(r->exe) : 0));
	cJSON_AddItemToObject(o, "argv", json_words(r->args, r->args_len));
	cJSON_AddStringToObject(o, "host", hosts[r->host + 1]);
	add_json_text(o, "log", r->log);
	add_json_text(o, "reason", r->cut ? cut : *r->log ? NULL : r->reason);
	add_number(o, "cpu_ns", r->cpu_ns);
	add_if(o, "memory_bytes", r->memory_bytes != 0, r->memory_bytes);
	add_number(o, "start_ns", r->start_ns);
	add_if(o, "end_ns", r->ended, r->end_ns);
	add_if(o, "exit_code", exited, exited ? (uint64_t)WEXITSTATUS(r->status) : 0);
	add_if(o, "signal", killed, killed ? (uint64_t)WTERMSIG(r->status) : 0);
	return o;
}

static cJSON *index_of(const struct pv_tree *t)
{
	cJSON *o = cJSON_CreateObject(), *list = cJSON_CreateArray();
	if (!o || !list) {
		cJSON_Delete(o);
		cJSON_Delete(list);
		return NULL;
	}
	cJSON_AddStringToObject(o, "profview", "processes");
	cJSON_AddNumberToObject(o, "version", 1);
	cJSON_AddItemToObject(o, "command", command_of(t->command));
	if (t->left_out)
		add_number(o, "left_out", t->left_out);
	cJSON_AddItemToObject(o, "processes", list);
	for (size_t i = 0; i < t->rows.n; i++)
		cJSON_AddItemToArray(list, json_row(&t->rows.v[i]));
	return o;
}

/* The spare file becomes the next index. Its disk space is reserved before the disk is full. */
static void make_spare(const char *spare, size_t n)
{
	enum { MORE = 16 << 10 };
	int fd = pv_fd_create(AT_FDCWD, spare, O_WRONLY);
	if (fd >= 0)
		fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, (off_t)n + MORE);
	pv_fd_close(&fd);
}

static bool replace(const char *folder, const char *text, size_t n)
{
	char path[1100], spare[1100];
	snprintf(path, sizeof path, "%s/index.json", folder);
	snprintf(spare, sizeof spare, "%s/" PV_TREE_SPARE, folder);
	int fd = pv_fd_create(AT_FDCWD, spare, O_WRONLY);
	bool ok = fd >= 0 && pv_fd_pwrite(fd, text, n, 0) && pv_fd_pwrite(fd, "\n", 1, n) &&
		  ftruncate(fd, (off_t)n + 1) == 0;
	pv_fd_close(&fd);
	/* The old index becomes the spare where the file system can exchange names. */
	ok = ok && (pv_rename(spare, path, PV_RENAME_EXCHANGE) == 0 || rename(spare, path) == 0);
	if (ok)
		make_spare(spare, n);
	return ok;
}

bool pv_tree_write_index(struct pv_tree *t)
{
	cJSON *o = index_of(t);
	char *text = o ? cJSON_PrintUnformatted(o) : NULL;
	bool ok = text && replace(t->folder, text, strlen(text));
	cJSON_free(text);
	cJSON_Delete(o);
	t->changed = !ok;
	return ok;
}

void pv_tree_finish_index(struct pv_tree *t)
{
	char spare[1100];
	pv_tree_write_index(t);
	snprintf(spare, sizeof spare, "%s/" PV_TREE_SPARE, t->folder);
	unlink(spare);
}
