#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""
Stacks that end early are counted by file and reason, in the report and on the screen.

usage: test_stacks_cut.py PROFVIEW LIBRARY CUT
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from evidence import enough, points

SHARES = {'libbare.so: no unwind table': 50,
          'libleftout.so: not in the unwind table': 25,
          'code made at run time: no frame pointer': 25}
ROUNDS, ENOUGH = 150, 600  # samples
NEAR = 1  # points, besides what chance does: the log's figure has three digits, and some samples are of the start


def run(*command, **more):
    return subprocess.run(command, check=True, capture_output=True, timeout=150, text=True, **more).stdout


def main(profview, library, cut):
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        log = str(pathlib.Path(folder, 'cut.mlpd'))

        def record(rounds):
            run(cut, str(rounds), env={**os.environ, 'LD_PRELOAD': library,
                                       'PROFVIEW_OPTIONS': f'output={log},sample=1000,nodefaults'})
            return json.loads(run(profview, 'report', '--no-index', '--format', 'json', log))

        report = enough(record, ROUNDS, lambda told: told['samples']['total'], ENOUGH)
        near = NEAR + points(50, report['samples']['total'])
        if report['samples']['total'] < ENOUGH:
            problems.append(f'samples: {report["samples"]["total"]}')
        detail = next(c['detail'] for c in report['coverage'] if c['what'] == 'samples')
        text = run(profview, 'report', '--no-index', log)
        screen = run(profview, '--no-index', '--dump', '--size', '500x60', '--keys', 'i', log)
        print(detail)
        for place, share in SHARES.items():
            found = re.search(r'([0-9.]+) % end early in ' + re.escape(place), detail)
            if not found or abs(float(found[1]) - share) > near:
                problems.append(f'{place}: {found[0] if found else "not said"}, not about {share} %')
            for name, where in {'text': text, 'screen': screen}.items():
                if found and found[0] not in re.sub(r'\s+', ' ', where):
                    problems.append(f'{place}: not in the {name}')
        counted = {c['name']: c['samples'][-1][1] for c in report['counters'] if 'stacks cut' in c['name']}
        if sum(counted.values()) > report['samples']['total']:
            problems.append(f'more stacks than samples: {counted}')
    sys.exit('\n'.join(problems) or 0)


if __name__ == '__main__':
    main(*sys.argv[1:])
