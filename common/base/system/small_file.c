/* SPDX-License-Identifier: MIT */
/* Reads a small regular file whole. */
#include "common/base/system/small_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char *refuse_file(enum pv_code code, const char *why, struct pv_error *reterr)
{
	pv_fail(reterr, code, 0, "%s", why);
	return NULL;
}

/* The file may grow meanwhile. */
static char *read_some(int fd, size_t below, size_t *ret_len, struct pv_error *reterr)
{
	char *text = malloc(below);
	ssize_t got = 1;
	size_t n = 0;
	if (!text)
		return refuse_file(PV_ENOMEM, "out of memory", reterr);
	while (n + 1 < below && got != 0) {
		got = read(fd, text + n, below - 1 - n);
		if (got < 0 && errno != EINTR)
			break;
		n += got > 0 ? (size_t)got : 0;
	}
	if (got < 0) {
		refuse_file(PV_EIO, strerror(errno), reterr);
		free(text);
		return NULL;
	}
	text[n] = 0;
	*ret_len = n;
	return text;
}

char *pv_small_file_dated(const char *path, size_t below, size_t *ret_len, int64_t *ret_changed_s,
	struct pv_error *reterr)
{
	struct stat st = { 0 };
	char *text = NULL;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0 || fstat(fd, &st) < 0)
		refuse_file(PV_EIO, strerror(errno), reterr);
	else if (!S_ISREG(st.st_mode))
		refuse_file(PV_EIO, "it is not a regular file", reterr);
	else if ((uint64_t)st.st_size >= below)
		pv_fail(reterr, PV_EIO, 0, "it has %zu MiB or more", below >> 20);
	else
		text = read_some(fd, below, ret_len, reterr);
	if (fd >= 0)
		close(fd);
	*ret_changed_s = (int64_t)st.st_mtime;
	return text;
}

char *pv_small_file(const char *path, size_t below, size_t *ret_len, struct pv_error *reterr)
{
	int64_t changed_s;
	return pv_small_file_dated(path, below, ret_len, &changed_s, reterr);
}
