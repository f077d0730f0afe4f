/* SPDX-License-Identifier: MIT */
/* Logs of earlier images: exec keeps the process, and so the log's name; the log must stay. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/base/system/proc_file.h"
#include "common/format/mlpd/mlpd.h"
#include "probe/sink/gzip.h"
#include "probe/sink/sink.h"

enum { HEAD = 8192, IMAGES = 1000, SLACK_MS = 1000 };

static size_t read_some(const char *path, void *to, size_t room)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	ssize_t n = fd < 0 ? 0 : read(fd, to, room);
	if (fd >= 0)
		close(fd);
	return n > 0 ? (size_t)n : 0;
}

/* ms since 1970; UINT64_MAX: not known. */
static uint64_t process_began_ms(void)
{
	struct timespec wall;
	int64_t age = pv_process_age_ms(0);
	if (age < 0 || clock_gettime(CLOCK_REALTIME, &wall) != 0)
		return UINT64_MAX;
	return (uint64_t)((int64_t)wall.tv_sec * 1000 + wall.tv_nsec / 1000000 - age);
}

/* Whether the path has a log of this very process, begun since the process began. */
static bool of_this_process(const char *path, uint64_t began_ms)
{
	static uint8_t bytes[HEAD], plain[HEAD];
	struct mlpd_header h = { 0 };
	struct pv_error err = { 0 };
	struct stat st;
	if (stat(path, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size == 0)
		return false;
	size_t n = read_some(path, bytes, sizeof bytes);
	size_t unpacked = pvp_gzip_head(bytes, n, plain, sizeof plain);
	struct pv_cursor c = { .at = unpacked ? plain : bytes };
	c.end = c.at + (unpacked ? unpacked : n);
	return mlpd_get_header(&c, &h, &err) == MLPD_OK && h.pid == (uint32_t)getpid() &&
	       h.start_time_ms + SLACK_MS >= began_ms;
}

/* "1234-2.mlpd"; a number as ending is the pid of "+NAME" and stays in front. */
static bool put_number(const char *path, unsigned image, char to[PVP_PATH_MAX])
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	const char *dot = strrchr(name, '.');
	bool ending = dot && dot != name && dot[strspn(dot + 1, "0123456789") + 1];
	size_t front = ending ? (size_t)(dot - path) : strlen(path);
	int n = snprintf(to, PVP_PATH_MAX, "%.*s-%u%s", (int)front, path, image, path + front);
	return n > 0 && n < PVP_PATH_MAX;
}

void pvp_sink_next_image(char output[PVP_PATH_MAX])
{
	static bool looked;
	char next[PVP_PATH_MAX];
	uint64_t began = process_began_ms();
	bool first = !looked; /* later recordings of this image overwrite the file */
	looked = true;
	if (!first || began == UINT64_MAX || *output == '#' || *output == '|' ||
		!of_this_process(output, began))
		return;
	for (unsigned image = 2; image < IMAGES && put_number(output, image, next); image++) {
		if (of_this_process(next, began))
			continue;
		memcpy(output, next, strlen(next) + 1);
		return;
	}
}
