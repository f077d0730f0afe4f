/*
 * Included into every file of the probes that are built for old systems (meson's option old_glibc):
 * what they ask of the C library is there since glibc 2.17, whatever the machine that builds them has. (x86-64.)
 */
#if !defined PVP_OLD_GLIBC_H && !defined __ASSEMBLER__
#define PVP_OLD_GLIBC_H

__asm__(".symver fcntl64,fcntl@GLIBC_2.2.5"); /* a name of its own since 2.28 */

#endif
