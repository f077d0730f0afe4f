/* SPDX-License-Identifier: MIT */
/*
 * frames_print LOG: what `profview LOG --dump --no-index --size SIZE --keys KEYS` would print, for each line
 * "SIZE KEYS" of standard input: "BYTES\n" and the frame. The log is read once, each frame has a screen
 * of its own.
 */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tui/app/app.h"

static bool put_frame(struct ui_feed *f, char *path, char *size, char *keys)
{
	struct ui_options o;
	struct ui_app_frame frame;
	struct pv_error e = { 0 };
	char name[] = "profview", dump[] = "--dump", no_index[] = "--no-index";
	char size_is[] = "--size", keys_are[] = "--keys";
	char *words[] = { name, path, dump, no_index, size_is, size, keys_are, keys, NULL };
	if (!ui_options_parse((int)(sizeof words / sizeof *words) - 1, words, &o, &e) ||
		!ui_app_dump(&f, &o, &frame, &e)) {
		fprintf(stderr, "frames_print: %s %s: %s\n", size, keys, e.what);
		return false;
	}
	printf("%zu\n%s", strlen(frame.text), frame.text);
	free(frame.text);
	return frame.exit_code == 0 && fflush(stdout) == 0;
}

int main(int argc, char **argv)
{
	char line[200];
	struct pv_error e = { 0 };
	setlocale(LC_CTYPE, "");
	const struct ui_feed_options o = {
		.path = argc == 2 ? argv[1] : "", .no_index = true, .ranges = true
	};
	struct ui_feed *f = ui_feed_open(&o, &e);
	if (!f) {
		fprintf(stderr, "frames_print: %s\n", e.what);
		return 2;
	}
	bool ok = true;
	while (ok && fgets(line, sizeof line, stdin)) {
		line[strcspn(line, "\n")] = '\0';
		char *keys = strchr(line, ' ');
		ok = keys != NULL;
		if (ok) {
			*keys++ = '\0';
			ok = put_frame(f, argv[1], line, keys);
		}
	}
	ui_feed_close(f);
	return ok ? 0 : 1;
}
