#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Memory does not grow with the log: made logs with very many of one thing each.

usage: memory.py PROFVIEW BIGLOG [KIND...] [--size MB] [--file]
Through a pipe, or with --file from a file of which an index is made, as is usual: that keeps the
buckets and the table of buffers that ranges are answered from, and has a limit of its own.
The suite runs it with a small --size; the default is the 10 GB of the promise, which takes long.
Prints the greatest resident size of each and fails where it is above its limit, or where what was
folded is not said.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile
import time

# Kind, most MiB of resident memory whatever the size (through a pipe, with an index), and what the
# coverage must say beyond `from` MB of log: the row and a part of its detail.
KINDS = {
    'calls': ((256, 256), None, '', 0),
    'threads': ((256, 256), None, '', 0),    # 100,000 of them
    'deep': ((256, 320), None, '', 0),       # 100,000 frames
    'methods': ((800, 960), 'names', 'beyond the limit', 200),  # two million; a million are told apart
    'paths': ((320, 480), 'calls', 'folded', 60),               # ten million
    'stacks': ((320, 480), 'allocation_stacks', 'folded', 60),  # ten million
    'classes': ((600, 720), 'names', 'beyond the limit', 100),  # five million; half a million are told apart
}


def run(a, kind, out):
    """(exit code, peak MiB, seconds, the report) of one kind."""
    words = [a.profview, 'report', '--limit', '5', '--format', 'json']
    with tempfile.TemporaryDirectory(prefix='profview-soak-') as folder:
        log = os.path.join(folder, 'log.mlpd')
        os.environ['XDG_CACHE_HOME'] = folder
        if a.file:
            with open(log, 'wb') as to:
                subprocess.run([a.biglog, kind, str(a.size)], stdout=to, check=True)
            start = time.monotonic()
            reader = subprocess.Popen([*words, log], stdout=out)
        else:
            start = time.monotonic()
            writer = subprocess.Popen([a.biglog, kind, str(a.size)], stdout=subprocess.PIPE)
            reader = subprocess.Popen([*words, '-', '--no-index'], stdin=writer.stdout, stdout=out)
            writer.stdout.close()
        _, status, usage = os.wait4(reader.pid, 0)
        reader.returncode = os.waitstatus_to_exitcode(status)
        if not a.file:
            writer.wait()
    out.seek(0)
    report = json.load(out)
    return reader.returncode, usage.ru_maxrss / 1024, time.monotonic() - start, report


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument('profview')
    p.add_argument('biglog')
    p.add_argument('kinds', nargs='*', default=list(KINDS))
    p.add_argument('--size', type=int, default=10000, help='MB')
    p.add_argument('--file', action='store_true', help='with an index')
    a = p.parse_args()
    failed = []
    print('| log | size | events | peak memory | limit | time |\n|---|---|---|---|---|---|')
    for kind in a.kinds:
        limits, what, part, least = KINDS[kind]
        limit = limits[a.file]
        with tempfile.TemporaryFile('w+') as out:
            code, peak, took, report = run(a, kind, out)
        events = sum(report['events'].values())
        print(f'| {kind} | {a.size} MB | {events} | {peak:.0f} MiB | {limit} MiB | {took:.0f} s |',
              flush=True)
        if code:
            failed.append(f'{kind}: exit code {code}')
        if peak > limit:
            failed.append(f'{kind}: {peak:.0f} MiB, more than {limit}')
        said = next((c['state'] + ' ' + c['detail'] for c in report['coverage']
                     if c['what'] == what), '')
        if what and a.size >= least and (part not in said or 'complete' in said):
            failed.append(f'{kind}: the coverage of {what} says only: {said}')
    print('\n'.join(failed) or 'within the limits')
    sys.exit(1 if failed else 0)


if __name__ == '__main__':
    main()
