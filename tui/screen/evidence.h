/* From a finding to the view that it rests on, narrowed by filter and range, and back. */
#ifndef UI_EVIDENCE_H
#define UI_EVIDENCE_H

#include "tui/screen/screen.h"

/* `row` is of a table of findings; where it has no evidence, that is said. */
void ui_screen_go_to_evidence(
	struct ui_screen *s, const struct pv_table *findings, const struct pv_row *row);
/* Filter and range as they were before that. */
void ui_screen_leave_evidence(struct ui_screen *s, const struct ui_place *from);

#endif
