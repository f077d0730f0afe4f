#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The viewer in a real terminal (tmux) while a real program runs.

usage: test_live.py CASE PROFVIEW COUNTED.EXE
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import rawlog
import target
import term
from live import OPTIONS, Place, figures, left, only, scene, watch
from verdict import Verdict

WORLDS = 'calls allocs throws locks'
NAME = re.compile(r'Counted\.[\w.]+\.(?:static constructor|[\w<>]+)')


def names(screen):
    """Names in the list of methods, from top to bottom."""
    listed = screen.partition(' METHOD\n')[2].partition(' Called by ')[0]
    return [m[0] for m in map(NAME.search, listed.splitlines()) if m]


def mid_run(v, profview, exe, folder):
    """Figures are exact at both handshakes and at the end, and equal a report of the same bytes."""
    place, terminal = scene(profview, folder)
    worlds = f'{WORLDS} pause {WORLDS} pause {WORLDS}'.split()
    with terminal as t, place.tee(), target.Mono(exe, worlds, OPTIONS, place.written) as program:
        watch(t, place, place.pipe)
        t.wait('LIVE')
        for phase in (1, 2):
            figures(t, program.wait_phase(phase))
            program.go()
        said = program.wait()
        t.wait_end()
        figures(t, said)
        methods = {m['name']: m['calls'] for m in place.report(place.record)['methods']}
        t.keys('2')
        for name in names(t.text()):
            full = next(m for m in methods if m.replace(':', '.').startswith(name + ' ('))
            t.wait_row(name, methods[full])
            v.true(f'{name} as in a report of the record', True)
        left(t, v)


def panes(v, profview, exe, folder):
    """Panes switch, sorting changes the order, inverting turns it round."""
    place, terminal = scene(profview, folder)
    worlds = f'{WORLDS} pause'.split()
    with terminal as t, place.tee(), target.Mono(exe, worlds, OPTIONS, place.written) as program:
        watch(t, place, place.pipe)
        program.wait_phase(1)
        seen = set()
        for key in '1234567890LJC':
            before = t.text()
            t.keys(key)
            if key != '1':
                t.wait(lambda screen, old=before: screen != old)
            seen.add(t.text().splitlines()[-20])
        t.keys('2')
        only(t, 'Counted.Calls:')
        t.wait(lambda screen: len(names(screen)) >= 10)
        t.keys('I')  # rows of a live list may be held at their places; a new order is at once
        turned = t.wait(lambda screen: 'SELF▲' in screen and len(names(screen)) >= 10 and names(screen))
        t.keys('I')
        order = t.wait(lambda screen: names(screen)[::-1] == turned and names(screen))
        v.equal('inverted order', turned[::-1], order)
        orders = {tuple(order)}
        for _ in range(8):
            header = t.text()
            t.type('>')
            t.wait(lambda screen, old=header: screen != old)
            orders.add(tuple(names(t.text())))
        v.at_least('orders by different columns', len(orders), 3)
        program.go()
        program.wait()
        t.wait_end()
        left(t, v)


def pause(v, profview, exe, folder):
    """A paused picture stands still, the pipe does not: the program's memory does not grow."""
    place, terminal = scene(profview, folder)
    worlds = 'calls pause flood pause calls'.split()
    with terminal as t, place.tee(), target.Mono(exe, worlds, OPTIONS, place.written) as program:
        watch(t, place, place.pipe)
        program.wait_phase(1)
        t.keys('2')
        only(t, 'Counted.Calls:')
        t.wait_row('Counted.Calls.Leaf', 12500)
        t.keys('p')
        t.wait(lambda screen: 'PAUSED' in screen)
        before, rss = t.text(), program.rss()
        program.go()
        said = program.wait_phase(2)
        v.between('resident growth of the program', program.rss() - rss, -1 << 40, 12 << 20)
        v.true('no flood in the picture', 'Drop' not in t.text())
        v.equal('rows of the paused picture', rows_of(t.text()), rows_of(before))
        t.keys('p')
        t.wait_row('Counted.Calls.Flood', said['calls Counted.Calls:Flood ()'])
        t.wait('Counted.Calls.Drop')
        program.go()
        program.wait()
        t.wait_end()
        left(t, v)
        drop = next(m for m in place.report(place.record)['methods']
                    if m['name'].startswith('Counted.Calls:Drop '))
        v.equal('calls of the flood', drop['calls'], 4000000)


def rows_of(screen):
    return [line.split() for line in screen.splitlines() if NAME.search(line)]


def growing(v, profview, exe, folder):
    """A file that does not exist yet, then grows, then has ended with its program."""
    place, terminal = scene(profview, folder)
    worlds = f'{WORLDS} pause {WORLDS}'.split()
    with terminal as t:
        watch(t, place, place.file)
        t.wait(lambda screen: 'wait' in screen.lower())
        with target.Mono(exe, worlds, OPTIONS, place.file) as program:
            figures(t, program.wait_phase(1))
            program.go()
            said = program.wait()
            t.wait_end()
            figures(t, said)
        left(t, v)


def elsewhere(v, profview, exe, folder):
    """
    The program runs in a pid namespace of its own, under a number that here is another process's.
    """
    if os.geteuid() != 0:
        sys.exit(target.SKIP)
    place, terminal = scene(profview, folder)
    worlds = f'{WORLDS} pause {WORLDS}'
    mono = f'mono --profile=log:{OPTIONS},output={place.file} {exe} {worlds}'
    inside = ['sh', '-c', f'echo {os.getpid() - 1} >/proc/sys/kernel/ns_last_pid && {mono}; exit $?']
    with terminal as t, target.Program(['unshare', '-pf', '--mount-proc', *inside], place.file) as program:
        watch(t, place, place.file)
        figures(t, program.wait_phase(1))
        t.wait(lambda screen: 'LIVE' in screen.splitlines()[0])  # the state may be a picture older than the rows
        program.go()
        said = program.wait()
        t.wait_end()
        figures(t, said)
        v.true('no word of damage', 'damage' not in t.text(), t.text())
        left(t, v)
    header, log = rawlog.header(place.file.read_bytes())[0], place.report(place.file)
    v.equal('the number that the log tells', header['pid'], os.getpid())
    v.equal('damage', log['source']['damage'], [])


def silent(v, profview, exe, folder):
    """The file is followed through a file system that tells no changes, and which writer it has."""
    if os.geteuid() != 0 or not shutil.which('bindfs') or not os.path.exists('/dev/fuse'):
        sys.exit(target.SKIP)
    place, terminal = scene(profview, folder)
    there = place.folder / 'there'
    there.mkdir()
    with tempfile.TemporaryDirectory(prefix='live-') as mount:
        subprocess.run(['bindfs', there, mount], check=True)
        try:
            with terminal as t, target.Mono(exe, f'{WORLDS} pause {WORLDS}'.split(), OPTIONS,
                                            there / 'log.mlpd') as program:
                watch(t, place, pathlib.Path(mount, 'log.mlpd'))
                figures(t, program.wait_phase(1))
                program.go()
                said = program.wait()
                figures(t, said)
                t.wait_end()
                left(t, v)
        finally:
            subprocess.run(['umount', '-l', mount], check=True)


def indexed(v, profview, exe, folder):
    """
    A log that grows behind what its index covers, and the same one finished and opened again: the
    first frame is drawn before an index is read.
    """
    target.indexed(folder)
    place, terminal = scene(profview, folder)
    some = ' '.join([WORLDS] * 6)
    worlds = f'{some} pause {WORLDS}'.split()
    with terminal as t, target.Mono(exe, worlds, OPTIONS, place.file) as program:
        first = program.wait_phase(1)
        subprocess.run([profview, 'report', place.file], stdout=subprocess.DEVNULL, check=True)
        v.equal('the growing log has an index', len(target.entries()), 1)
        watch(t, place, place.file)
        figures(t, first)
        program.go()
        said = program.wait()
        t.wait_end()
        figures(t, said)
        left(t, v)
        v.equal('the finished log has an index', len(target.entries()), 1)
        for again in range(2):
            t.run(profview, place.file)
            t.wait_end()
            figures(t, said)
            left(t, v)


def finished_log(exe, path, worlds):
    with target.Mono(exe, worlds.split(), OPTIONS, path) as program:
        return program.wait()


def changed(v, profview, exe, folder):
    """A followed file that is replaced, then truncated and written anew, shows the new one."""
    place, terminal = scene(profview, folder)
    one, two = place.folder / 'one.mlpd', place.folder / 'two.mlpd'
    first = finished_log(exe, one, WORLDS)
    second = finished_log(exe, two, f'{WORLDS} {WORLDS}')
    with terminal as t:
        shutil.copy(one, place.file)
        watch(t, place, place.file)
        figures(t, first)
        fresh = place.folder / 'fresh.mlpd'
        shutil.copy(two, fresh)
        os.rename(fresh, place.file)
        figures(t, second)
        os.truncate(place.file, 0)
        place.file.write_bytes(one.read_bytes())
        figures(t, first)
        left(t, v)


def sizes(v, profview, exe, folder):
    """Every size has a frame that fits; suspend and resume bring the picture back."""
    place, terminal = scene(profview, folder)
    finished_log(exe, place.file, WORLDS)
    with terminal as t:
        t.run(profview, place.file)
        target.wait_for('the viewer', lambda: t.ask('alternate_on') == '1')
        t.keys('2')
        only(t, 'Counted.Calls:')
        t.wait('Counted.Calls.Leaf')
        for columns, rows in ((80, 24), (40, 10), (200, 50), (12, 3), (1, 1), (120, 36)):
            t.resize(columns, rows)
            target.wait_for('the new size', lambda: t.ask('pane_width') == str(columns))
            v.equal(f'the viewer lives at {columns}x{rows}', t.ask('alternate_on'), '1')
        t.wait('Counted.Calls.Leaf')
        t.keys('C-z')
        target.wait_for('the shell', lambda: t.ask('alternate_on') == '0')
        t.resize(80, 24)
        t.run('fg')
        target.wait_for('the viewer again', lambda: t.ask('alternate_on') == '1')
        t.wait('Counted.Calls.')
        left(t, v)


def plain(v, profview, exe, folder):
    """In the C locale with NO_COLOR every frame is ASCII without colour."""
    place, terminal = scene(profview, folder, env={'LC_ALL': 'C', 'NO_COLOR': '1'})
    finished_log(exe, place.file, WORLDS)
    with terminal as t:
        t.run(profview, place.file)
        target.wait_for('the viewer', lambda: t.ask('alternate_on') == '1')
        for key in '123567':
            t.keys(key)
            t.wait(lambda screen: len(screen.split()) > 20)
            painted = t.tmux('capture-pane', '-p', '-e')
            v.true(f'pane {key} is ASCII', painted.isascii(),
                   sorted(set(painted) - set(map(chr, range(128)))))
            codes = re.findall(r'\x1b\[([\d;]*)m', painted)
            v.true(f'pane {key} has no colour', not any(
                re.fullmatch(r'[349]\d|10\d|[34]8.*', c) and c not in ('39', '49')
                for code in codes for c in code.split(';')), codes[:20])
        left(t, v)


def two_viewers(v, profview, exe, folder):
    """A second viewer of one pipe is refused and told who has it; the first goes on."""
    place, terminal = scene(profview, folder)
    worlds = f'{WORLDS} pause {WORLDS}'.split()
    with terminal as t, place.tee(), target.Mono(exe, worlds, OPTIONS, place.written) as program:
        watch(t, place, place.pipe)
        program.wait_phase(1)
        t.wait('LIVE')
        done = subprocess.run([profview, '--follow', str(place.pipe), '--dump'], timeout=150,
                              capture_output=True, text=True, check=False)
        v.equal('exit code of the second viewer', done.returncode, 3)
        v.true('the second viewer says why', re.search(r'\d', done.stderr), done.stderr)
        program.go()
        figures(t, program.wait())
        t.wait_end()
        left(t, v)


def no_terminal(v, profview, exe, folder):
    """Without a terminal the viewer follows to the end and prints one frame."""
    place = Place(folder, profview)
    os.mkfifo(place.pipe)
    worlds = WORLDS.split()
    with target.Mono(exe, worlds, OPTIONS, place.pipe) as program:
        done = subprocess.run([profview, '--follow', str(place.pipe), '--dump', '--size', '120x36',
                               '--keys', r'2\Calls.Leaf<Enter>'], capture_output=True, text=True, timeout=150,
                              check=False)
        said = program.wait()
    v.equal('exit code', done.returncode, 0)
    v.equal('standard error', done.stderr, '')
    lines = done.stdout.splitlines()
    v.equal('lines of the frame', len(lines), 36)
    calls = said['calls Counted.Calls:Leaf (int)']
    v.true('calls of Leaf', any('Counted.Calls.Leaf' in line and term.holds(line, calls) for line in lines), done.stdout)


def shot(v, profview, exe, folder):
    """
    `S` takes a heap shot of the stock profiler over the port in the log's header, since it is its process that
    writes into the pipe.
    """
    place, terminal = scene(profview, folder)
    os.mkfifo(place.pipe)
    with terminal as t, target.Mono(exe, 'heap pause heap pause'.split(), OPTIONS, place.pipe) as program:
        watch(t, place, place.pipe, '--record', place.record)
        for phase in (1, 2):
            said = program.wait_phase(phase)
            t.keys('4')
            t.keys('S')
            target.wait_for('the shot', lambda n=phase:
                            program.shots_in(place.record) >= n)
            t.keys('1')
            program.go()
        program.wait()
        t.wait_end()
        shots = place.report(place.record)['heap_shots']
        v.equal('shots', len(shots), 2)
        kept = [c['objects'] for c in shots[-1]['classes'] if c['name'] == 'Counted.Kept']
        v.equal('kept objects in the second shot', kept, [said['alive Counted.Kept']])
        left(t, v)


def compared(v, profview, exe, folder):
    """Shots by themselves and by `S`, compared object by object while the program goes on."""
    place, terminal = scene(profview, folder)

    def shots(n):
        target.wait_for('shots', lambda: program.shots_in(place.file) >= n)

    with terminal as t:
        watch(t, place, place.file)
        with target.Mono(exe, 'heap pause heap pause'.split(), OPTIONS, place.file) as program:
            program.wait_phase(1)
            t.wait('LIVE')
            t.keys('4')
            t.type(':schedule 1s')
            t.keys('Enter')
            t.wait('shots every 1 s')
            shots(2)
            t.type(':schedule off')
            t.keys('Enter')
            t.wait('by S alone')
            program.go()
            program.wait_phase(2)
            before = program.shots_in(place.file)
            t.keys('S')
            shots(before + 1)
            done = subprocess.run(
                [place.profview, 'report', str(place.file), '--format', 'json', '--no-index',
                 '--section', 'heap_diff,heap_ladder'], capture_output=True, check=False,
                timeout=target.DEADLINE)
            said = json.loads(done.stdout)
            kept = next(r for r in said['heap_diff'] if r['name'] == 'Counted.Kept')
            v.at_least('new objects', kept['new_objects'], 1)
            t.type(':diff')
            t.keys('Enter')
            t.wait('by identity')
            only(t, 'Counted.Kept')
            t.wait_row('Counted.Kept', kept['new_objects'])
            t.wait_row('Counted.Kept', kept['survived_objects'])
            t.keys('Y')
            only(t, 'Counted.Kept')
            rung = next(r for r in said['heap_ladder'] if r['name'] == 'Counted.Kept')
            t.wait_row('Counted.Kept', rung['objects'])
            shown = f'shots 0 to {before}'
            t.wait(shown)
            t.keys('S')  # the shots' number goes on by itself
            shots(before + 2)
            t.wait(f'shots 0 to {before + 1}')
            program.go()
            program.wait()
            t.wait_end()
        left(t, v)


def in_range(v, t, place, words):
    """The methods on screen have the calls that a report of the range gives them."""
    done = subprocess.run([place.profview, 'report', str(place.file), '--format', 'json',
                           '--no-index', '--section', 'methods', '--range', words],
                          capture_output=True, check=False, timeout=target.DEADLINE)
    calls = {m['readable'] or m['name']: m['calls'] for m in json.loads(done.stdout)['methods']}

    def shown(screen):
        listed = screen.partition(' METHOD ')[2].partition(' Called by ')[0]
        # A lambda has the name of the method that it is in before its own.
        return [m[0] for m in map(NAME.search, [x for x in listed.splitlines() if ' > ' not in x]) if m]

    def right(screen):
        """the range's methods, each with its calls"""
        names = shown(screen) if ' to 00:' in screen and 'bucket' not in screen else []
        full = {n: next((m for m in calls if m.startswith(n + '(') or m == n), None) for n in names}
        rows = screen.partition(' METHOD ')[2].splitlines()
        return len(names) > 3 and all(f and any(n in line and term.holds(line, calls[f]) for line in rows)
                                      for n, f in full.items())

    t.wait(right)
    v.true(f'methods in the range {words}', len(shown(t.text())) > 3)


def ranged(v, profview, exe, folder):
    """A range of a file that grows: exact as a report of it, before and after more has come."""
    place, terminal = scene(profview, folder)
    worlds = f'{WORLDS} pause {WORLDS} pause {WORLDS}'.split()
    with terminal as t:
        watch(t, place, place.file)
        with target.Mono(exe, worlds, OPTIONS, place.file) as program:
            program.wait_phase(1)
            t.wait('LIVE')
            program.go()
            program.wait_phase(2)
            end = place.report(place.file)['duration_ns'] // 1000000
            words = f'20ms..{end}ms'
            t.keys('2')
            t.type(f':range {words}')
            t.keys('Enter')
            in_range(v, t, place, words)
            program.go()
            program.wait()
            t.wait_end()
            in_range(v, t, place, words)
        t.keys('p', ',')
        t.wait('PAUSED')
        t.wait('00:00:00.000 to')
        t.keys('C-r')
        t.wait(lambda screen: ' to 00:' not in screen)
        left(t, v)


CASES = {'mid-run': mid_run, 'panes': panes, 'pause': pause, 'growing': growing, 'elsewhere': elsewhere, 'silent': silent, 'indexed': indexed,
         'changed': changed, 'sizes': sizes, 'plain': plain, 'two-viewers': two_viewers,
         'no-terminal': no_terminal, 'shot': shot, 'compared': compared, 'range': ranged}


def main(case, profview, exe):
    target.need('tmux')
    v = Verdict(f'live-{case}')
    with target.scratch() as folder:
        CASES[case](v, profview, exe, folder)
    v.close()


if __name__ == '__main__':
    main(*sys.argv[1:])
