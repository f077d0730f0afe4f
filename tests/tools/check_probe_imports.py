#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The probe's library cannot end the program it is loaded into, and exports nothing by accident.

usage: check_probe_imports.py NM LIBRARY [mono]
"""
import pathlib
import re
import struct
import subprocess
import sys

FORBIDDEN = re.compile(
    r'_?exit|_Exit|quick_exit|abort|__assert\w*|__stack_chk_fail|\w*_chk|__fortify_fail|raise|'
    r'kill|perror|psignal|puts|putchar|v?printf|v?fprintf|__tls_get_addr|err[cx]?|warnx?|signal|'
    r'sigaction|getenv|setenv|unsetenv|putenv|atexit|system|popen')
EXPORTED = {
    '__cyg_profile_func_enter', '__cyg_profile_func_exit', 'profview_alloc', 'profview_class',
    'profview_counter', 'profview_counter_add', 'profview_counter_set', 'profview_enter',
    'profview_flush', 'profview_leave', 'profview_mark', 'profview_region', 'profview_start',
    'profview_stop', 'profview_thread_name', 'malloc', 'calloc', 'realloc', 'reallocarray', 'free',
    'memalign', 'aligned_alloc', 'posix_memalign', 'valloc', 'pvalloc',
    'malloc_usable_size', 'pthread_create', 'thrd_create', 'free_sized', 'free_aligned_sized', 'syscall', 'prctl',
    'sigaction', '__sigaction', 'signal', 'bsd_signal', 'ssignal', 'sysv_signal', '__sysv_signal', 'sigset',
    'sigwait', 'sigwaitinfo', 'sigtimedwait', 'signalfd', 'unshare', 'setns', 'chroot', 'setuid', 'setgid',
    'seteuid', 'setegid', 'setreuid', 'setregid', 'setresuid', 'setresgid', 'setgroups', 'initgroups',
    *(f'_Z{name}{more}' for name in ('nwm', 'nam', 'dlPv', 'daPv')
      for more in ('', 'RKSt9nothrow_t', 'St11align_val_t', 'St11align_val_tRKSt9nothrow_t')),
    *(f'_Z{name}{more}' for name in ('dlPvm', 'daPvm') for more in ('', 'St11align_val_t')),
}
# The signal of samples is one of its own, or, of Mono, the runtime's, with a handler in front.
ALLOWED = {'sigaction'}
MONO = {'mono_profiler_init_profview'}


def names(nm, library, which):
    out = subprocess.run([nm, '-D', which, library], check=True, capture_output=True, text=True)
    return {line.split()[-1].split('@')[0] for line in out.stdout.splitlines()}


MOST_TLS = 256  # what a library that is loaded late can count on, shared with others


def thread_local_bytes(library):
    """Size in memory of the segment of thread-local variables (ELF, 64 bits)."""
    elf = pathlib.Path(library).read_bytes()
    table, = struct.unpack_from('<Q', elf, 0x20)
    size, n = struct.unpack_from('<HH', elf, 0x36)
    segments = (struct.unpack_from('<IIQQQQQQ', elf, table + i * size) for i in range(n))
    return sum(s[6] for s in segments if s[0] == 7)


def main(nm, library, host=None):
    exported = MONO if host else EXPORTED
    undefined, defined = names(nm, library, '--undefined-only'), names(nm, library, '--defined-only')
    problems = [f'it can reach {n}()' for n in sorted(undefined - ALLOWED) if FORBIDDEN.fullmatch(n)]
    problems += [f'it exports {n}' for n in sorted(defined - exported)]
    problems += [f'it does not export {n}' for n in sorted(exported - defined)]
    if (tls := thread_local_bytes(library)) > MOST_TLS:
        problems.append(f'{tls} bytes of thread-local variables, more than {MOST_TLS}')
    if 'writev' not in undefined:
        problems.append('this is not the probe: it never writes')
    print('\n'.join(problems) or f'{len(undefined)} functions are used, none of them forbidden')
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
