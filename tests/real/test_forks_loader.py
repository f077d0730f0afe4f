#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Children of a recorded program never wait for a lock of the loader that a thread of the probe held at their fork.

usage: test_forks_loader.py PROFVIEW PROGRAM LIBRARY
"""
import shutil
import subprocess
import sys

import target
from verdict import Verdict

LIBRARIES, CHILDREN = 300, '3000'


def main(profview, program, library):
    v = Verdict('forks loader')
    with target.scratch() as folder:
        copies = [shutil.copy(library, f'{folder}/{i}.so') for i in range(LIBRARIES)]
        done = subprocess.run([profview, 'run', '--record', f'{folder}/a.mlpd', '--', program, *copies], text=True, check=False,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=2 * target.DEADLINE)
        v.equal('exit code', done.returncode, 0)
        v.true('all children ended', CHILDREN in done.stdout.split(), done.stdout)
    v.close()


if __name__ == '__main__':
    main(*sys.argv[1:])
