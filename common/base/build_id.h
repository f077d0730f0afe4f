/* SPDX-License-Identifier: MIT */
/*
 * The build id of a loaded file in a log (note NT_GNU_BUILD_ID): a symbol of size 0 named by this
 * and hex digits, at the address before the file's first, so that readers who look up the nearest
 * symbol below an address never find it. Follows the symbol for the file's path.
 */
#ifndef PV_BASE_BUILD_ID_H
#define PV_BASE_BUILD_ID_H

#define PV_BUILD_ID "build-id:"

enum { PV_BUILD_ID_MAX = 64 }; /* bytes; linkers make 8 to 20 */

#endif
