/* SPDX-License-Identifier: MIT */
/* Commands that scroll a text. */
#include "tui/draw/paging.h"

bool ui_paged(enum ui_command cmd, long top, long page, long half, long n, long *ret)
{
	switch (cmd) {
	case UI_CMD_DOWN:
		*ret = top + 1;
		return true;
	case UI_CMD_UP:
		*ret = top - 1;
		return true;
	case UI_CMD_PAGE_DOWN:
		*ret = top + page;
		return true;
	case UI_CMD_PAGE_UP:
		*ret = top - page;
		return true;
	case UI_CMD_HALF_DOWN:
		*ret = top + half;
		return true;
	case UI_CMD_HALF_UP:
		*ret = top - half;
		return true;
	case UI_CMD_TOP:
		*ret = 0;
		return true;
	case UI_CMD_BOTTOM:
		*ret = n;
		return true;
	default:
		return false;
	}
}
