/* SPDX-License-Identifier: MIT */
/* All loaders of the program: what they have shown is dropped before a model goes. */
#include "tui/app/app_parts.h"

void ui_app_drop_loaders(struct app *a)
{
	ui_range_loader_drop(&a->range_loader, &a->screen);
	ui_snapshot_loader_drop(&a->snapshot_loader, &a->screen);
	ui_event_loader_drop(&a->event_loader, &a->screen);
	ui_identity_loader_drop(&a->identity_loader, &a->screen);
}
