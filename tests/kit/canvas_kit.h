/* SPDX-License-Identifier: MIT */
/* One canvas that tests draw on, and what it holds as text. Included once. */
#ifndef PV_TESTS_CANVAS_KIT_H
#define PV_TESTS_CANVAS_KIT_H

#include "tests/kit/suite.h"

#include <stdlib.h>

#include "tui/draw/canvas.h"

static struct ui_canvas canvas;

static inline void close_canvas(void)
{
	ui_canvas_finish(&canvas);
}

static inline void expect(const char *want)
{
	char *text = ui_canvas_text(&canvas);
	ck_assert_ptr_nonnull(text);
	ck_assert_str_eq(text, want);
	free(text);
}

#endif
