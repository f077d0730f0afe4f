/*
 * How a log says the build id of a file that was loaded (note NT_GNU_BUILD_ID): as a symbol of size
 * 0 that is called by this and hex digits, at the address before the file's first, so that readers
 * which look for the nearest symbol below an address never find it. It follows the symbol that
 * names the file's path.
 */
#ifndef PV_BASE_BUILD_ID_H
#define PV_BASE_BUILD_ID_H

#define PV_BUILD_ID "build-id:"

enum { PV_BUILD_ID_MAX = 64 }; /* bytes; linkers make 8 to 20 */

#endif
