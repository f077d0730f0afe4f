# SPDX-License-Identifier: MIT
"""What timers of samples this system allows, found without the probe."""
import ctypes
import os
import pathlib
import platform
import resource
import struct
import time

COARSE = 6  # CLOCK_MONOTONIC_COARSE
TICKS = round(1 / time.clock_getres(COARSE))
SIZE, SOFTWARE, CPU_CLOCK, PERIOD, NO_KERNEL, CLOEXEC = 128, 1, 0, 10**9, 1 << 5 | 1, 8
CALL = {'x86_64': 298, 'aarch64': 241}.get(platform.machine())


def perf_is_allowed():
    """The same question as perf_clock.c asks, by another hand."""
    status = pathlib.Path('/proc/self/status').read_text(encoding='utf-8')
    pending = resource.getrlimit(resource.RLIMIT_SIGPENDING)[0]
    if 'Seccomp:\t0' not in status or 0 <= pending < 1024:
        return False
    attr = struct.pack('IIQQQQQ', SOFTWARE, SIZE, CPU_CLOCK, PERIOD, 0, 0, NO_KERNEL)
    attr = ctypes.create_string_buffer(attr, SIZE)
    fd = ctypes.CDLL(None).syscall(CALL, attr, 0, -1, -1, CLOEXEC)
    if fd >= 0:
        os.close(fd)
    return fd >= 0
