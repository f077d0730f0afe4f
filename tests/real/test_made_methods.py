#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Methods that a .NET program makes at run time stand in the stacks of allocations and of exceptions, and
so do those below them.

usage: test_made_methods.py PROFVIEW MODULE MADE_METHODS.DLL DOTNET
"""
import json
import pathlib
import subprocess
import sys
import tempfile

from test_clr import environment

TIMES = 300
ABOVE, MADE = 'Program:Above (System.Action)', '(dynamic):MadeUp'
EXPECTED = {
    ('Kept', ABOVE, MADE): TIMES,
    ('Kept', ABOVE, MADE, 'Program:Below ()'): TIMES,
    ('System.FormatException', ABOVE, MADE, 'Program:Thrower ()'): TIMES,
}


def main(profview, module, program, dotnet):
    with tempfile.TemporaryDirectory(prefix='made-') as folder:
        log = pathlib.Path(folder, 'made.mlpd')
        subprocess.run([dotnet, program], check=True, timeout=100, capture_output=True,
                       env=environment(module, f'nodefaults,gcalloc,exception,classof,output={log}'))
        done = subprocess.run([profview, 'report', '--no-index', '--format', 'json', '--limit', '0', '--section',
                               'allocation_sites,throw_sites', log], check=True, capture_output=True)
    told = json.loads(done.stdout)
    rows = [(s, s['allocations']) for s in told['allocation_sites'] if s['class'] == 'Kept']
    rows += [(s, s['thrown']) for s in told['throw_sites']]
    # Program:Main () is above all of them; what is at its place is no matter here.
    got = {(s['class'], *s['stack'][1:]): n for s, n in rows}
    print(json.dumps([[*key, n] for key, n in got.items()], indent=1))
    missed = {key: n for key, n in EXPECTED.items() if got.get(key) != n}
    for key, n in missed.items():
        print('expected:', n, *key)
    return 1 if missed else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
