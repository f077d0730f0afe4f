/* SPDX-License-Identifier: MIT */
/* Versions of the linker's symbols. */
#ifndef PV_BASE_UNVERSIONED_H
#define PV_BASE_UNVERSIONED_H

#include <stddef.h>

/* The length of a symbol without its version, "@V_2" or "@@V_2". Not "@plt". Any thread. */
size_t pv_unversioned(const char *symbol);

#endif
