#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Handles, finalizers, roots and domains of a real program: what it says it did.

usage: test_places.py PROFVIEW PLACES.EXE
"""
import json
import subprocess
import sys
import tempfile

from verdict import Verdict

OPTIONS = 'nodefaults,gcroot,gchandle,finalization,alloc,heapshot=1gc'
TYPES = {'Normal': 'normal', 'Pinned': 'pinned', 'Weak': 'weak',
         'WeakTrackResurrection': 'weak track resurrection'}


def main(profview, exe):
    v = Verdict('places')
    with tempfile.TemporaryDirectory() as folder:
        log = f'{folder}/places.mlpd'
        done = subprocess.run(['mono', f'--profile=log:{OPTIONS},output={log}', exe],
                              capture_output=True, text=True, timeout=120, check=True)
        said = {tuple(line.split()[:2]): int(line.split()[2]) for line in done.stdout.splitlines()}
        done = subprocess.run([profview, 'report', log, '--no-index', '--format', 'json',
                               '--section', 'gc,handles,handle_sites,finalizers,roots,root_areas,'
                               'domains,contexts,heap_shots'], capture_output=True, timeout=120,
                              check=True)
    r = json.loads(done.stdout)

    def made(method, kind):
        """(created, alive) of a method's own handles of a type; the runtime makes some too."""
        rows = [s for s in r['handle_sites'] if s['type'] == TYPES[kind] and
                any(f'Places:{method} ' in frame for frame in s['stack'])]
        return sum(s['created'] for s in rows), sum(s['live'] for s in rows)

    for kind in TYPES:
        n = said['alive', kind]
        v.equal(f'{kind} alive', made('Make', kind), (n, n))
    v.equal('Pinned freed', made('MakeAndFree', 'Pinned'), (said['freed', 'Pinned'], 0))
    for key in ('created', 'destroyed', 'live'):
        v.equal(f'handles {key}', r['gc'][f'handles_{key}'], sum(h[key] for h in r['handles']))
    # Threads make handles of objects that others allocated, whose buffers may stand behind theirs.
    v.equal('handles of no class', [s for s in r['handle_sites'] if 'not recorded' in s['class']],
            [])
    dead = {f['class']: f['objects'] for f in r['finalizers']}
    v.equal('finalized', dead.get('Mortal'), said['finalized', 'Mortal'])
    v.true('finalized objects have classes', all('not recorded' not in name for name in dead))
    v.equal('finalized in all', r['gc']['objects_finalized'], sum(dead.values()))
    v.equal('domain', [d['unload_ns'] is not None for d in r['domains'] if d['name'] == 'second'],
            [True])
    v.equal('roots of the newest shot', sum(s['roots'] for s in r['roots']),
            r['heap_shots'][-1]['roots'])
    v.equal('roots by area', sum(a['roots'] for a in r['root_areas']),
            sum(s['roots'] for s in r['roots'] if 'no area' not in s['source']))
    v.equal('in no area', sum(s['roots_total'] for s in r['roots'] if 'no area' in s['source']), 0)
    v.true('static roots name their class', any(
        a['owner'] for a in r['root_areas'] if a['source'] == 'static field'))
    v.close()


if __name__ == '__main__':
    main(*sys.argv[1:])
