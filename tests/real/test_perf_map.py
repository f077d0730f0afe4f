#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Code made at run time has the names of its perf map, if that is the process's own.

usage: test_perf_map.py PROFVIEW LIBRARY PROGRAM [NODE]
"""
import json
import os
import pathlib
import subprocess
import sys

import target
from verdict import Verdict

SCRIPT = """
function hotSquares(n) { let s = 0; for (let i = 0; i < n; i++) s += Math.sqrt(i * i % 7919); return s }
const end = process.cpuUsage().user + 600000
let t = 0
while (process.cpuUsage().user < end) t += hotSquares(300000)
console.log(t > 0)
"""


def record(profview, library, command, log):
    env = os.environ | {'LD_PRELOAD': os.path.abspath(library),
                        'PROFVIEW_OPTIONS': f'nodefaults,sample=250,output={log}'}
    subprocess.run(command, env=env, check=True, stdout=subprocess.DEVNULL, timeout=target.DEADLINE)
    done = subprocess.run([profview, 'report', log, '--format', 'json', '--no-index', '--section',
                           'methods'], text=True, capture_output=True, check=True)
    return {m['name']: (m['samples_self'], m['kind']) for m in json.loads(done.stdout)['methods']
            if m['samples_self']}


def main(profview, library, program, node=None):
    v = Verdict('perf map')
    with target.scratch() as folder:
        log = pathlib.Path(folder, 'jit.mlpd')
        good = record(profview, library, [program, 'good'], log)
        for name in ('planted_hot [jit]', '?[31mred? \u00e9 [jit]', '[unknown code]'):
            v.at_least(f'{name}: samples', good.get(name, (0, None))[0], 5)
            v.equal(f'{name}: kind', good.get(name, (0, None))[1], 'jit')
        v.true('only the newest name', not any('stale' in n or 'endless' in n for n in good), good)
        for how in ('open', 'link', 'old'):
            rows = record(profview, library, [program, how], log)
            v.true(f'{how}: the map is not read', not any('[jit]' in n for n in rows), rows)
            v.at_least(f'{how}: samples', rows.get('[unknown code]', (0,))[0], 15)
        if node:
            script = pathlib.Path(folder, 'hot.js')
            script.write_text(SCRIPT, encoding='utf-8')
            rows = record(profview, library, [node, '--perf-basic-prof', str(script)], log)
            hot = sum(n for name, (n, _) in rows.items()
                      if 'hotSquares' in name and name.endswith(' [jit]'))
            v.true('node: the hot function', hot > sum(n for n, _ in rows.values()) / 2, rows)
    v.close()
    return 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
