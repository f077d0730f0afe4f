/*
 * `dotnet run` is a program of the SDK's own, with arguments after it, that starts the one that is
 * meant. They all inherit what loads us.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "probe/clr/host_clr.h"

enum { WORDS = 16 << 10 };

static bool ends_in(const char *word, const char *ending)
{
	size_t n = strlen(word), m = strlen(ending);
	return n > m && strcmp(word + n - m, ending) == 0;
}

/* words: with a 0 after each, n bytes in all. */
bool pvp_clr_words_are_sdks(const char *words, size_t n)
{
	const char *slash = strrchr(words, '/');
	if (strcmp(slash ? slash + 1 : words, "dotnet") != 0)
		return strstr(words, "/sdk/") != NULL;
	bool exec = false;
	for (const char *at = words + strlen(words) + 1; at < words + n; at += strlen(at) + 1) {
		if (ends_in(at, ".dll") || ends_in(at, ".exe"))
			return strstr(at, "/sdk/") != NULL;
		if (strcmp(at, "exec") == 0)
			exec = true;
		else if (*at != '-' && !exec)
			return true; /* a command */
	}
	return false;
}

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
	return pvp_clr_words_are_sdks(words, n);
}
