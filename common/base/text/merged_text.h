/* SPDX-License-Identifier: MIT */
/*
 * Words of the text that joins the stacks of several processes; written by common/export/merge.h,
 * read by common/format/stacks. Folded stacks, with a comment PV_MERGED_HEAD and the options of the
 * samples on the first line; calls are comments "PV_MERGED_CALL CALLS SELF_NS
 * outermost;...;innermost". Constants.
 */
#ifndef PV_BASE_MERGED_TEXT_H
#define PV_BASE_MERGED_TEXT_H

#define PV_MERGED_HEAD "#processes "
#define PV_MERGED_CALL "#call "
#define PV_MERGED_NONE "(no stack);(no stack) 0" /* ignored by readers */

#endif
