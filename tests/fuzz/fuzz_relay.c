/* SPDX-License-Identifier: MIT */
/*
 * Bytes of a hostile relay: frames cut at any place, and the carrier of a recording that takes them
 * (of a recording, by a way that leads nowhere, so that no line is made again). It ends, and the
 * words kept are a text.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/remote/carrier.h"
#include "common/remote/relay_frames.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

enum { PIPE = 60000 };

static void must(bool holds)
{
	if (!holds)
		abort();
}

static void fill(const uint8_t *bytes, size_t n, int pipe[2])
{
	must(pipe2(pipe, O_CLOEXEC) == 0);
	must(write(pipe[1], bytes, n) == (ssize_t)n);
	close(pipe[1]);
}

/* Frames never overlap, and are all in what came. */
static void read_frames(const uint8_t *bytes, size_t n)
{
	static struct pv_frames f;
	struct pv_frame one;
	enum pv_frames_state got;
	size_t all = 0;
	int pipe[2];
	f.n = f.used = 0;
	fill(bytes, n, pipe);
	do {
		while ((got = pv_frames_next(&f, &one)) == PV_FRAMES_ONE) {
			must(one.n <= PV_FRAME_MOST && one.kind > 0 && one.kind < PV_FRAME_KINDS);
			must(one.bytes + one.n <= f.buf + f.n);
			all += PV_FRAME_HEAD + one.n;
		}
	} while (got == PV_FRAMES_NONE && pv_frames_read(&f, pipe[0]));
	must(all <= n);
	close(pipe[0]);
}

static void carry(const uint8_t *bytes, size_t n)
{
	static struct pv_carried carried;
	int pipe[2];
	memset(&carried, 0, sizeof carried);
	fill(bytes, n, pipe);
	struct pv_way w = {
		.to = open("/dev/null", O_WRONLY | O_CLOEXEC), .from = pipe[0], .err = -1
	};
	const struct pv_carrier c = { .way = { .where = "-" },
		.words = "run",
		.words_n = 4,
		.into = "/dev/null",
		.link = -1,
		.carried = &carried };
	pv_carry(&c, &w);
	must(memchr(carried.said, 0, sizeof carried.said) != NULL);
	must(carried.bytes <= n);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	n = n < PIPE ? n : PIPE;
	read_frames(bytes, n);
	carry(bytes, n);
	return 0;
}
