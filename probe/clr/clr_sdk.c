/* SPDX-License-Identifier: MIT */
/* The SDK's programs, and programs they start, inherit the variables that load the probe. */
#include <fcntl.h>
#include <unistd.h>

#include "common/base/text/sdk_words.h"
#include "probe/clr/host_clr.h"

enum { WORDS = 16 << 10 };

bool pvp_clr_is_sdks(void)
{
	char words[WORDS];
	size_t n = 0;
	ssize_t got = 1;
	int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && n + 1 < sizeof words && got > 0) {
		got = read(fd, words + n, sizeof words - 1 - n);
		n += got > 0 ? (size_t)got : 0;
	}
	if (fd >= 0)
		close(fd);
	words[n] = 0;
	return pv_words_are_sdks(words, n);
}
