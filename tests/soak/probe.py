#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Hard use of the probe's core, for long: test_probe_stress with each part N times as long.

usage: probe.py BUILD [N [PART]]
N is 50 by default: some ten minutes; 400 makes the fake host's day one of 864,000 rounds. PART is
one of threads, readers, killed, rate, day. BUILD may be one of sanitizers. Prints what failed and
the exit code of the test.
"""
import os
import subprocess
import sys
import time


def main(build, times='50', part=''):
    env = dict(os.environ, PROBE_SOAK=times, CK_FORK='no', CK_VERBOSITY='verbose')
    if part:
        env['CK_RUN_CASE'] = part
    start = time.monotonic()
    code = subprocess.run([os.path.join(build, 'tests', 'test_probe_stress')], env=env).returncode
    print(f'{part or "all"}, {times} times as long: exit code {code} after {time.monotonic() - start:.0f} s')
    return code


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
