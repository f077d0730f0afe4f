#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the folder that LD_PRELOAD=.../$PLATFORM/LIBRARY leads into, for loaders of all programs of a machine.

usage: platforms.py TO LIBRARY    TO: in the prefix where Meson installs

The loader of glibc puts its own name of the processor there: programs of 64 bits find a link to the library
beside TO, programs of 32 bits an object without anything in it. The loader of musl knows no such mark, finds
no such file, and says nothing.
"""
import os
import pathlib
import platform
import struct
import sys

# The names of 64 bits, those of 32, and the latter's e_machine (elf.h).
MACHINES = {
    'x86_64': (('x86_64', 'haswell', 'xeon_phi'), ('i386', 'i486', 'i586', 'i686'), 3),
    'aarch64': (('aarch64',), ('v7l', 'v8l'), 40),
}


def empty_object(machine):
    """A shared object of 32 bits (ELF) that defines nothing."""
    head, entry = 52, 32
    dynamic = head + 3 * entry
    hashes = dynamic + 6 * 8
    symbols, strings = hashes + 16, hashes + 32
    size = strings + 1
    load, dyn, stack = 1, 2, 0x6474e551
    out = struct.pack('<4sBBB9xHHIIIIIHHHHHH', b'\x7fELF', 1, 1, 1, 3, machine, 1, 0, head, 0, 0, head, entry, 3,
                      0, 0, 0)
    out += struct.pack('<8I', load, 0, 0, 0, size, size, 6, 4096)
    out += struct.pack('<8I', dyn, dynamic, dynamic, dynamic, 48, 48, 6, 4)
    out += struct.pack('<8I', stack, 0, 0, 0, 0, 0, 6, 4)
    out += struct.pack('<12I', 4, hashes, 5, strings, 6, symbols, 10, 1, 11, 16, 0, 0)
    return out + struct.pack('<4I', 1, 1, 0, 0) + bytes(size - symbols)


def main(to, library):
    same, smaller, machine = MACHINES.get(platform.machine(), ((), (), 0))
    to = pathlib.Path(os.environ.get('MESON_INSTALL_DESTDIR_PREFIX', ''), to)
    for name in (*same, *smaller):
        (to / name).mkdir(parents=True, exist_ok=True)
        (to / name / library).unlink(missing_ok=True)
    for name in same:
        (to / name / library).symlink_to(os.path.join('..', '..', library))
    for name in smaller:
        (to / name / library).write_bytes(empty_object(machine))
    to.mkdir(exist_ok=True)


if __name__ == '__main__':
    main(*sys.argv[1:])
