# SPDX-License-Identifier: MIT
"""A recording that is a folder, as a launcher leaves it: six processes, three of them recorded.

    sh 1000                    640 ms, a log
      mono shop.exe 1001       2.4 s, a log: the one that used most
      true 1002                not recorded
      env 1003                 not recorded, becomes
        strings 1003           420 ms, a log, runs
          busybox 1004         not recorded, killed; its argument would colour a terminal
"""
import gzip
import json
import pathlib
import subprocess

S = 10 ** 9
BEGAN = 10 ** 18
NAMES = ('pid', 'ppid', 'image', 'exe', 'argv', 'host', 'log', 'reason', 'cpu_ns', 'start_ns', 'end_ns',
         'exit_code', 'signal')
ROWS = (
    (1000, 1, 0, '/bin/sh', ['sh', '-c', './build.sh all'], 'native', '1000-0.mlpd', None, 640 * S // 1000, 0, 5 * S, 0, None),
    (1001, 1000, 0, '/usr/bin/mono', ['/usr/bin/mono', 'shop.exe', '--days', '3'], 'mono', '1001-0.mlpd', None,
     2400 * S // 1000, S // 10, 4 * S, 3, None),
    (1002, 1000, 0, '/bin/true', ['true'], 'none', None, 'used less than 20 ms of CPU', 900000, S // 5, S // 4, 0, None),
    (1003, 1000, 0, '/usr/bin/env', ['env', '-i', 'strings'], 'native', None, 'used less than 20 ms of CPU', 800000,
     S // 3, S // 2, None, None),
    (1003, 1000, 1, '/usr/bin/strings', ['strings', 'shop.exe'], 'native', '1003-1.mlpd', None, 420 * S // 1000, S // 2,
     None, None, None),
    (1004, 1003, 0, '/bin/busybox', ['busybox', 'sum\x1b[31m\u202e'], 'none', None, 'a static program', 300 * S // 1000, S,
     2 * S, None, 9),
)


def rows():
    for row in ROWS:
        r = dict(zip(NAMES, row))
        r['start_ns'] += BEGAN
        r['end_ns'] = r['end_ns'] and r['end_ns'] + BEGAN
        yield r


def index(processes):
    return json.dumps({'profview': 'processes', 'version': 1, 'command': ['sh', '-c', './build.sh all'],
                       'processes': list(processes)}, indent=1)


def put_index(folder, processes):
    """By rename, as the launcher does: a reader meets the old one or the new one."""
    new = pathlib.Path(folder, '.index.json')
    new.write_text(index(processes), encoding='utf-8')
    new.rename(pathlib.Path(folder, 'index.json'))


def make(folder, make_log, shop):
    """`shop` is tests/golden/shop.mlpd.gz."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    logs = {'1000-0.mlpd': ('every-kind', '15', '8'), '1003-1.mlpd': ('strings', '17', '8')}
    for name, world in logs.items():
        folder.joinpath(name).write_bytes(subprocess.run([make_log, *world], stdout=subprocess.PIPE, check=True,
                                                         timeout=60).stdout)
    folder.joinpath('1001-0.mlpd').write_bytes(gzip.decompress(pathlib.Path(shop).read_bytes()))
    put_index(folder, rows())
    return folder
