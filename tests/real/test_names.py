#!/usr/bin/env python3
"""Names of what a C# compiler makes, of a program with one of each construct, compiled here.

usage: test_names.py HOST PROFVIEW READABLE_PRINT PROGRAM RUNTIME     (PROGRAM 'none': skipped)

Every name that names.txt has for the host is there, and nothing of a compiler's is left in any of
the program's own.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

from verdict import Verdict

OWN = re.compile(r'^(Shop\.|Program\b|<>)')
LEFT = re.compile(r'__|<>|\$|[`|]|<[A-Z]\w+>[a-z]')
NAMED = re.compile(r' method\.jit .*?name="(.*?)"(?: |$)')


def wanted(host):
    lists, here = {}, None
    for line in (pathlib.Path(__file__).parent / 'names.txt').read_text().splitlines():
        if line.startswith('['):
            here = lists.setdefault(line.strip('[]'), [])
        elif line:
            here.append(line)
    return lists[host]


def names(profview, readable, log):
    dump = subprocess.run([profview, 'dump', log], capture_output=True, text=True, check=True).stdout
    raw = sorted({found[1] for line in dump.splitlines() if (found := NAMED.search(line))
                  and OWN.match(found[1])})
    shown = subprocess.run([readable], input='\n'.join(raw) + '\n', capture_output=True, text=True,
                           check=True).stdout.splitlines()
    return dict(zip(raw, shown))


def main(host, profview, readable, program, runtime):
    if program == 'none':
        sys.exit(77)
    v = Verdict(f'names on {host}')
    with tempfile.TemporaryDirectory() as top:
        log = str(pathlib.Path(top) / 'names.mlpd')
        done = subprocess.run([profview, 'run', '--probe', 'nodefaults,calls', '--record', log, '--',
                               runtime, program], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=100, check=False)
        v.equal('exit', done.returncode, 0)
        shown = names(profview, readable, log)
    for name in wanted(host):
        v.true(f'{name} is there', name in shown.values(), ', '.join(sorted(shown.values())))
    for raw, name in shown.items():
        v.true(f'{raw} is readable', not LEFT.search(name.replace('<PrivateImpl', '')), name)
    v.close()


if __name__ == '__main__':
    main(*sys.argv[1:])
