/* SPDX-License-Identifier: MIT */
/* Frees a page of events. */
#include "common/model/event_page.h"

#include <stdlib.h>

void pv_event_page_destroy(struct pv_event_page *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->rows; i++)
		free(p->row[i].own);
	free(p->row);
	free(p);
}
