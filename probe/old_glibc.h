/* SPDX-License-Identifier: MIT */
/*
 * Included into every file of probes built for old systems (meson's option old_glibc): such probes
 * use only functions of glibc 2.17, whatever the building machine has. (x86-64.)
 */
#if !defined PVP_OLD_GLIBC_H && !defined __ASSEMBLER__
#define PVP_OLD_GLIBC_H

__asm__(".symver fcntl64,fcntl@GLIBC_2.2.5"); /* its own name since 2.28 */

#endif
