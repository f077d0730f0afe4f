/*
 * Round times along an axis. Times: ns since the recording's zero. Pure, but for the canvas: the
 * screen's thread.
 */
#ifndef UI_TICKS_H
#define UI_TICKS_H

#include <stdint.h>

#include "tui/draw/canvas.h"

/* From `from_ns` at the left edge of `room` to `to_ns`, half-open, at its right one. */
void ui_ticks(struct ui_canvas *c, struct ui_rect room, int64_t from_ns, int64_t to_ns);

/*
 * Such a time in few letters: "3.2 s"; "1:12", "1:12.004" where times go beyond a minute, as `last`
 * does. Returns `buf`, the caller's, never NULL.
 */
const char *ui_tick_text(int64_t ns, int64_t last, char *buf, size_t size);

#endif
