#!/usr/bin/env python3
"""Memory does not grow with the log: made logs with very many of one thing each, through a pipe.

usage: memory.py PROFVIEW BIGLOG [--size MB] [KIND...]
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

# Kind, most MiB of resident memory whatever the size, and what the coverage must say beyond `from`
# MB of log: the row and a part of its detail.
KINDS = {
    'calls': (256, None, '', 0),
    'threads': (256, None, '', 0),    # 100,000 of them
    'deep': (256, None, '', 0),       # 100,000 frames
    'methods': (800, 'names', 'beyond the limit', 200),  # two million; a million are told apart
    'paths': (320, 'calls', 'folded', 60),               # ten million
    'stacks': (320, 'allocation_stacks', 'folded', 60),  # ten million
    'classes': (600, 'names', 'beyond the limit', 100),  # five million; half a million are told apart
}


def run(a, kind, out):
    """(peak MiB, seconds, the report's coverage) of one kind."""
    start = time.monotonic()
    writer = subprocess.Popen([a.biglog, kind, str(a.size)], stdout=subprocess.PIPE)
    reader = subprocess.Popen([a.profview, 'report', '-', '--no-index', '--limit', '5',
                               '--format', 'json'],
                              stdin=writer.stdout, stdout=out)
    writer.stdout.close()
    _, status, usage = os.wait4(reader.pid, 0)
    reader.returncode = os.waitstatus_to_exitcode(status)
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
    a = p.parse_args()
    failed = []
    print('| log | size | events | peak memory | limit | time |\n|---|---|---|---|---|---|')
    for kind in a.kinds:
        limit, what, part, least = KINDS[kind]
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
