#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Processor time of `report` by two builds, by turns.

usage: one_file.py PROFVIEW OTHER BIGLOG [--size MB] [--rounds N]    the ratio is OTHER's to PROFVIEW's

The least of the rounds counts: what others do on the machine only adds to it.
"""
import argparse
import os
import subprocess
import tempfile

KINDS = ('calls', 'deep', 'kept')


def took(program, log):
    """Seconds of the processor, those of the kernel among them, and MiB at most."""
    p = subprocess.Popen([program, 'report', '--no-index', '--format', 'json', log], stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(p.pid, 0)
    if status:
        raise SystemExit(f'{program} ended with status {status}')
    return used.ru_utime + used.ru_stime, used.ru_stime, used.ru_maxrss >> 10


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('programs', nargs=2)
    parser.add_argument('biglog')
    parser.add_argument('--size', type=int, default=60)
    parser.add_argument('--rounds', type=int, default=5)
    a = parser.parse_args()
    for kind in KINDS:
        with tempfile.NamedTemporaryFile(suffix='.mlpd') as log:
            subprocess.run([a.biglog, kind, str(a.size)], stdout=log, check=True)
            rounds = [[took(program, log.name) for program in a.programs] for _ in range(a.rounds)]
        first, second = map(min, zip(*rounds))
        print(f'{kind}, {a.size} MB: {first[0]:.2f} s ({first[1]:.2f} of the kernel, {first[2]} MiB), '
              f'{second[0]:.2f} s ({second[1]:.2f}, {second[2]} MiB): {second[0] / first[0]:.2f}', flush=True)


if __name__ == '__main__':
    main()
