/* SPDX-License-Identifier: MIT */
/* Names of keys: parsing and printing. */
#include "tui/draw/key.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "common/base/status.h"
#include "common/base/utf8.h"

enum { MAX_TIMES = 10000 };

/* Of a key's names help shows the first. */
static const struct {
	const char *name;
	int key;
} names[] = {
	{ "Enter", UI_KEY_ENTER },
	{ "CR", UI_KEY_ENTER },
	{ "Esc", UI_KEY_ESC },
	{ "Tab", UI_KEY_TAB },
	{ "Shift-Tab", UI_KEY_BACKTAB },
	{ "S-Tab", UI_KEY_BACKTAB },
	{ "Backspace", UI_KEY_BACKSPACE },
	{ "BS", UI_KEY_BACKSPACE },
	{ "Del", UI_KEY_DEL },
	{ "Up", UI_KEY_UP },
	{ "Down", UI_KEY_DOWN },
	{ "Left", UI_KEY_LEFT },
	{ "Right", UI_KEY_RIGHT },
	{ "Home", UI_KEY_HOME },
	{ "End", UI_KEY_END },
	{ "PgUp", UI_KEY_PGUP },
	{ "PgDn", UI_KEY_PGDN },
	{ "Space", ' ' },
	{ "lt", '<' },
	{ "gt", '>' },
};

static bool is_name(const char *text, size_t len, const char *name)
{
	return strlen(name) == len && strncasecmp(text, name, len) == 0;
}

static int function_key(const char *text, size_t len)
{
	if (len < 2 || len > 3 || (text[0] != 'F' && text[0] != 'f'))
		return UI_KEY_NONE;
	char *end;
	long n = strtol(text + 1, &end, 10);
	return end == text + len && n >= 1 && n <= 12 ? UI_KEY_F0 + (int)n : UI_KEY_NONE;
}

static int key_named(const char *text, size_t len)
{
	for (size_t i = 0; i < PV_COUNT_OF(names); i++)
		if (is_name(text, len, names[i].name))
			return names[i].key;
	if (len == 3 && strncasecmp(text, "C-", 2) == 0) {
		int letter = text[2] | 0x20;
		return letter >= 'a' && letter <= 'z' ? letter - 'a' + 1 : UI_KEY_NONE;
	}
	int key = function_key(text, len);
	if (key != UI_KEY_NONE || len == 0)
		return key;
	size_t used;
	uint32_t code = pv_utf8_next(text, text + len, &used);
	return used == len && ui_key_printable((int)code) ? (int)code : UI_KEY_NONE;
}

size_t ui_key_parse(const char *text, int *ret_key, unsigned *ret_times)
{
	*ret_times = 1;
	if (text[0] == 0)
		return 0;
	const char *close = text[0] == '<' ? strchr(text + 1, '>') : NULL;
	if (!close) {
		size_t len;
		uint32_t code = pv_utf8_next(text, text + strlen(text), &len);
		*ret_key = code == '\n' ? UI_KEY_ENTER : (int)code;
		return len;
	}
	const char *name = text + 1;
	size_t digits = strspn(name, "0123456789");
	if (digits > 0 && name + digits < close) {
		unsigned long times = strtoul(name, NULL, 10);
		if (times < 1 || times > MAX_TIMES)
			return 0;
		*ret_times = (unsigned)times;
		name += digits;
	}
	*ret_key = key_named(name, (size_t)(close - name));
	return *ret_key == UI_KEY_NONE ? 0 : (size_t)(close + 1 - text);
}

const char *ui_key_name(int key, char *buf, size_t size)
{
	for (size_t i = 0; i < PV_COUNT_OF(names); i++) {
		if (names[i].key == key && key != '<' && key != '>') {
			snprintf(buf, size, "%s", names[i].name);
			return buf;
		}
	}
	if (key > UI_KEY_F0) {
		snprintf(buf, size, "F%d", key - UI_KEY_F0);
	} else if (key > 0 && key < 27) {
		snprintf(buf, size, "Ctrl-%c", 'A' + key - 1);
	} else {
		char text[5] = { 0 };
		pv_utf8_put(text, (uint32_t)key);
		snprintf(buf, size, "%s", text);
	}
	return buf;
}
