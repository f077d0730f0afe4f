#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Async methods that wait, a known number of each, as the heap shot of a real program shows them.

usage: test_awaits.py PROFVIEW AWAITS.DLL MODULE DOTNET     ('none': skipped)

The same counts by the names of fields, by their offsets, and from .NET's own event stream, which
has neither.
"""
import json
import pathlib
import subprocess
import sys

import target
import test_events
from test_clr import environment
from test_clr_statics import shoot
from verdict import Verdict

TASK = 'System.Threading.Tasks.Task.'
# Outermost first, as awaits.cs has them: how many wait, and how many chains go through them.
WANTED = {
    ('Shop.OrderPipeline.PlaceAsync',): (50, 50),
    ('Shop.OrderPipeline.PlaceAsync', 'Shop.OrderPipeline.PriceAsync'): (50, 50),
    ('Shop.OrderPipeline.PlaceAsync', 'Shop.OrderPipeline.PriceAsync',
     'Shop.OrderPipeline.TaxAsync'): (50, 50),
    ('Shop.Stock.SumAsync',): (1, 7),
    ('Shop.Stock.SumAsync', TASK + 'WhenAll()'): (1, 7),
    ('Shop.Stock.SumAsync', TASK + 'WhenAll()', 'Shop.Stock.CountAsync<int>'): (7, 7),
    ('Shop.Bus.Publish',): (5, 1),
    ('Shop.Bus.Publish', 'Shop.Bus.Connected'): (1, 1),
    ('Shop.Program.Main > lambda #0',): (4, 4),
    ('Shop.Program.Main > lambda #0', 'Shop.Stock.CountAsync<string>'): (4, 4),
    (TASK + 'Wait()',): (3, 3),
    (TASK + 'Wait()', 'Shop.Mail.SendAsync'): (3, 3),
    ('Shop.Mail.NotifyAsync',): (2, 2),
    ('Shop.Mail.NotifyAsync', TASK + 'ContinueWith()'): (2, 2),
    ('Shop.Mail.NotifyAsync', TASK + 'ContinueWith()', 'Shop.Mail.SendAsync'): (2, 2),
    ('Shop.Ui.LoadAsync',): (6, 6),
    ('Shop.Ui.LoadAsync', 'Shop.Stock.CountAsync<double>'): (6, 6),
    ('Shop.Clock.TickAsync',): (8, 8),
    ('Shop.Clock.TickAsync', TASK + 'Delay()'): (8, 8),
}
# 30 methods are finished, and in the heap as well.
FACTS = '199 of 229 methods wait or run, 3 threads block'
LINKS = {'fields': None, 'plain': 'no names of fields', 'events': 'no fields'}


def report(profview, log, *words):
    return subprocess.run([profview, 'report', str(log), '--no-index', '--section', 'heap_awaits',
                           '--shot', '0', *words], check=True, capture_output=True, text=True).stdout


def joined(profview, pid, log):
    viewer = test_events.join(profview, pid, log, '--heapshot')
    try:
        target.wait_for('a heap shot', lambda: test_events.shot_ended(profview, log))
    finally:
        test_events.leave(viewer)


def serve(profview, dotnet, dll, module, log, how):
    env = None
    if how != 'events':
        env = environment(module, f'{"fields," if how == "fields" else ""}heapshot=ondemand,output={log}')
    with subprocess.Popen([dotnet, dll], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                          env=env) as program:
        try:
            assert program.stdout.readline() == 'waiting\n'
            (joined if how == 'events' else shoot)(profview, program.pid, log)
            program.stdin.close()
            return program.wait(target.DEADLINE)
        finally:
            program.kill()


def ways(rows):
    """The names from the top to each row."""
    path, out = {0: ()}, {}
    for r in rows:
        path[r['id']] = path[r['parent']] + (r['readable'],)
        out[path[r['id']]] = (r['objects'], r['chains'])
    return out


def look(v, profview, log, how):
    found = ways(json.loads(report(profview, log, '--format', 'json'))['heap_awaits'])
    v.same_rows(f'{how}: waits', {' > '.join(k): n for k, n in found.items()},
                {' > '.join(k): n for k, n in WANTED.items()})
    text = report(profview, log)
    v.true(f'{how}: facts', FACTS in text, text)
    v.true('they are not shown as callers', 'not callers' in text, text)
    v.equal(f'{how}: said to be inferred', 'awaits (inferred), not callers' in text, LINKS[how] is not None)
    v.true(f'{how}: why', (LINKS[how] or '') in text, text)


def main(profview, dll, module, dotnet):
    if 'none' in (dll, module, dotnet):
        print('dotnet is not installed')
        return target.SKIP
    v = Verdict('awaits')
    with target.scratch() as folder:
        for how in LINKS:
            log = pathlib.Path(folder, f'{how}.log')
            v.equal('exit code', serve(profview, dotnet, dll, module, log, how), 0)
            look(v, profview, log, how)
    v.close()
    return 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
