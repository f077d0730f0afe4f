#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How quick the viewer is: what design promises of the screen, measured and printed beside it.

usage: viewer.py PROFVIEW BIGLOG [--size MB] [--log FILE] [first] [keys] [reopen] [live] [events] [flame] [idle]
BIGLOG is the writer of synthetic logs in the build folder. Without --log one of --size MB is made
(default 2000), for `reopen` one of each kind. This measures; it is no test. Times depend on what else
the machine does.
"""
import argparse
import json
import os
import pathlib
import re
import signal
import statistics
import subprocess
import tempfile
import time

from screen import Program

MS = 1000
KEY_MS = 50
FIRST_ROW = 6  # line of the frame
ASKING = '▸ asking'  # the frame says that the answer is on its way
PANES = {'1': '[1 Home', '2': '[2 CPU', '3': '[3 Alloc', '5': '[5 GC', 'L': '[Locks',
         'X': '[8 Err', 'J': '[JIT', 'C': '[Counters', 'i': '[Recording'}


def row(what, figure, target, missed):
    print(f'| {what} | {figure} | {target} | {"MISSED" if missed else "ok"} |', flush=True)


def shown(text):
    """The whole first frame: status, a pane, the keys."""
    return 'profview' in text and 'F10Quit' in text and '[1 Home' in text


def quit_at_once(v):
    """Milliseconds from Q, pressed when the first frame is there, until it has ended."""
    v.until(shown)
    start = time.monotonic()
    v.keys('Q')
    v.wait()
    return (time.monotonic() - start) * MS


def first(a, log):
    """From exec to the first whole frame, and to the first figures; then quitting."""
    whole, figures, left = [], [], []
    for _ in range(a.runs):
        v = Program([a.profview, str(log), '--no-index'])
        v.until(shown)
        whole.append((time.monotonic() - v.started) * MS)
        v.until(lambda text: 'Big.Program' in text or '.' in text.partition('Hot methods')[2][:200])
        figures.append((time.monotonic() - v.started) * MS)
        start = time.monotonic()
        v.keys('Q')
        v.wait()
        left.append((time.monotonic() - start) * MS)
    size = log.stat().st_size / 1e9
    worst = max(whole)
    row(f'first frame, log of {size:.1f} GB', f'{statistics.median(whole):.0f} ms, worst {worst:.0f}',
        '500 ms', worst > 500)
    row('first figures in it', f'{statistics.median(figures):.0f} ms, worst {max(figures):.0f}',
        '-', False)
    row('Q while it loads, to the end of the process',
        f'{statistics.median(left):.0f} ms, worst {max(left):.0f}', '50 ms', max(left) > 50)


def lines_of(text):
    return [line.rstrip() for line in text.splitlines()]


def kept():
    """The index that is kept; there is one log at a time."""
    [entry] = pathlib.Path(os.environ['XDG_CACHE_HOME'], 'profview', 'index').glob('*.*')
    return entry


def reopened(a, what, log):
    """From exec to the frame that --dump makes, which waits for everything, with the log's index."""
    start = time.monotonic()
    subprocess.run([a.profview, 'report', str(log)], stdout=subprocess.DEVNULL, check=True)
    loaded = time.monotonic() - start
    exact = lines_of(subprocess.run([a.profview, str(log), '--dump', '--size', '120x36'],
                                    capture_output=True, check=True, text=True).stdout)
    took, told, left = [], [], []
    for _ in range(a.runs):
        left.append(quit_at_once(Program([a.profview, str(log)])))
        v = Program([a.profview, str(log)])
        if v.until(lambda text: lines_of(text) == exact, 20) is None:
            raise SystemExit(f'{what}: its frame is not the one of --dump:\n{v.screen.text()}')
        took.append((time.monotonic() - v.started) * MS)
        v.keys('Q')
        v.wait()
        start = time.monotonic()
        subprocess.run([a.profview, 'report', str(log)], stdout=subprocess.DEVNULL, check=True)
        told.append((time.monotonic() - start) * MS)
    size, index = log.stat().st_size / 1e9, kept().stat().st_size / 1e6
    row(f'opened again, {what} of {size:.1f} GB, index of {index:.0f} MB',
        f'{statistics.median(took):.0f} ms, worst {max(took):.0f}', '500 ms', max(took) > 500)
    row('Q while its index is read, to the end of the process',
        f'{statistics.median(left):.0f} ms, worst {max(left):.0f}', '50 ms', max(left) > 50)
    row(f'its report again (the first took {loaded:.1f} s)',
        f'{statistics.median(told):.0f} ms, worst {max(told):.0f}', '500 ms', max(told) > 500)


def reopen(a, folder):
    """Finished logs with an index, until all figures are on the screen."""
    if a.log:
        reopened(a, a.log.name, a.log)
        return
    for kind in a.kinds.split():
        log = folder / f'{kind}.mlpd'
        with open(log, 'wb') as out:
            subprocess.run([a.biglog, kind, str(a.size)], stdout=out, check=True)
        reopened(a, kind, log)
        log.unlink()
        kept().unlink()


def cursor(text):
    """The line of the cursor in the list in front."""
    return next((i for i, line in enumerate(text.split('\n')) if line[:1] == '▶'), None)


def kept_waiting(v):
    """Milliseconds that the screen's thread was ready to run and others had the processors."""
    try:
        with open(f'/proc/{v.pid}/task/{v.pid}/schedstat', encoding='ascii') as f:
            return int(f.read().split()[1]) / 1e6
    except (OSError, IndexError):
        return 0.0


def stolen():
    """Milliseconds that the host of this machine took from it, of all processors together."""
    with open('/proc/stat', encoding='ascii') as f:
        return int(f.readline().split()[8]) * MS / os.sysconf('SC_CLK_TCK')


def press(v, key, holds):
    """Milliseconds from before the key to the last byte of the frame that shows what it did."""
    if holds(v.screen.text()):
        raise SystemExit(f'key {key!r}: what it is to do stands on the screen already')
    waits, steals = kept_waiting(v), stolen()
    start = time.monotonic()
    v.keys(key)
    took = (v.read_at - start) * MS if v.until(holds, 10) is not None else 10000.0
    if took > KEY_MS:
        v.slow.append(f'key {key!r}: {took:.0f} ms; meanwhile the screen waited for a processor '
                      f'{kept_waiting(v) - waits:.0f} ms, the host took {stolen() - steals:.0f} ms')
    return took


def answer(v, key, holds):
    v.catch_up()
    return press(v, key, holds)


def place(text):
    """What the cursor is on: figures that grow move its line, never it to another row."""
    return text.split('\n')[4].replace(ASKING, '').rstrip()


def heading(text):
    """Of the list in front, and that a question waits: lists below it have orders of their own."""
    line = text.split('\n')[FIRST_ROW - 1]
    return line + ' TOTAL▼ TOTAL▲' if ASKING in text else line


def moved(v):
    """
    Never up to the first row: there the cursor keeps to the place, not to its row, and the row it
    has come from may have risen to that place meanwhile. From any other one that it was moved to,
    what it is on changes by the key alone.
    """
    v.catch_up()
    v.until(lambda text: cursor(text) is not None)
    before = place(v.screen.text())
    key = 'k' if cursor(v.screen.text()) > FIRST_ROW + 1 else 'j'
    return press(v, key, lambda text: place(text) != before)


def press_all(v, times):
    """Every kind of key once."""
    for key, title in PANES.items():
        times['panes'].append(answer(v, key, lambda text, t=title: t in text))
        if key in '23':
            v.until(lambda text: cursor(text) is not None, 5)
            v.until(lambda text: False, 0.3)  # the method picked elsewhere is looked for first
            moved(v)  # from where rows may come and go
            for _ in range(4):
                times['moving'].append(moved(v))
    v.keys('2')
    v.until(lambda text: PANES['2'] in text)
    times['help'].append(answer(v, '?', lambda text: 'In lists' in text))
    times['help'].append(answer(v, '?', lambda text: 'In lists' not in text))
    for i, key in enumerate('\\sys'):
        wanted = ('Filter: ' + 'sys'[:i]).rstrip()
        times['filter'].append(answer(v, key, lambda text, w=wanted: w in text))
    times['filter'].append(answer(v, '\x1b', lambda text: 'Filter:' not in text))
    for key, sign in ('$', 'TOTAL▼'), ('I', 'TOTAL▲'), ('I', 'TOTAL▼'):
        v.until(lambda text: ASKING not in text, 5)  # or the answer would stand there already
        times['order'].append(answer(v, key, lambda text, s=sign: s in heading(text)))
    times['window'].append(answer(v, 'w', lambda text: 'last 60 s' in text))
    v.keys(':window all\r')
    v.keys(':sort self\r')
    v.until(lambda text: re.search(r'SELF[▼▲]', text))
    times['pause'].append(answer(v, 'p', lambda text: 'PAUSED' in text))
    times['pause'].append(answer(v, 'p', lambda text: 'PAUSED' not in text))


def keys(a, log):
    """Keys while a log loads, until the frame shows what they did."""
    times = {k: [] for k in ('panes', 'moving', 'help', 'filter', 'order', 'window', 'pause')}
    v = Program([a.profview, str(log), '--no-index'])
    v.slow = []
    v.until(shown)
    v.keys('2')  # a round begins with another pane than the last one ended with
    v.until(lambda text: PANES['2'] in text)
    rounds = 0
    while 'LOADING' in v.screen.text() and rounds < a.rounds:
        press_all(v, times)
        rounds += 1
    v.keys('Q')
    v.wait()
    everything = sorted(sum(times.values(), []))
    if not everything:
        print('the log was loaded before a key could be pressed: give a larger --size')
        return
    for name, taken in (*times.items(), ('all', everything)):
        taken = sorted(taken)
        p99 = taken[min(len(taken) - 1, len(taken) * 99 // 100)]
        row(f'keys while it loads: {name}, {len(taken)} keys',
            f'{statistics.median(taken):.0f} ms, p99 {p99:.0f}, worst {taken[-1]:.0f}', f'{KEY_MS} ms',
            taken[-1] > KEY_MS)
    for line in v.slow:
        print(line)


def live(a, folder):
    """A fifo written at a rate: when marks are on the screen, and how long the writer blocked."""
    pipe, marks = folder / 'pipe', folder / 'marks'
    os.mkfifo(pipe)
    v = Program([a.profview, '--follow', str(pipe)])
    v.until(lambda text: 'WAITING' in text)
    with open(pipe, 'wb') as out:
        writer = subprocess.Popen([a.biglog, 'calls', str(a.rate * a.seconds), '--rate',
                                   str(a.rate), '--marks', str(marks)], stdout=out)
    seen = {}

    def thrown(text):
        m = re.search(r'^ *error.* ([\d ]+) thrown', text, re.M)  # in Home's lane
        return int(m[1].replace(' ', '')) if m else 0

    while writer.poll() is None:
        v.read(0.05)
        n = thrown(v.screen.text())
        if n and n not in seen:
            seen[n] = time.monotonic_ns()
    v.until(lambda text: any(word in text for word in ('ENDED', 'END ?', 'CUT OFF', 'LIVE')), 5)
    v.keys('Q')
    v.keys('y')
    _, usage = v.wait()
    lines = [line.split() for line in marks.read_text().splitlines()]
    written = {int(n): int(at) for n, at, _ in lines}
    late, last = [], 0
    for n in sorted(seen):
        # What was not seen on its own came with the next that was.
        late += [(seen[n] - written[k]) / 1e6 for k in range(last + 1, n + 1) if k in written]
        last = n
    late.sort()
    if not late:
        print('live: no mark was seen')
        return
    p99 = late[min(len(late) - 1, len(late) * 99 // 100)]
    row(f'live: {a.rate} MB/s for {a.seconds} s, {len(late)} marks to the screen',
        f'{statistics.median(late):.0f} ms, p99 {p99:.0f}, worst {late[-1]:.0f}', '750 ms',
        late[-1] > 750)  # half a second between two frames
    blocked = int(lines[-1][2]) / 1e6
    row('live: longest write() of the writer', f'{blocked:.0f} ms', '250 ms', blocked > 250)
    cpu = usage.ru_utime + usage.ru_stime
    row('live: processor time of the viewer', f'{100 * cpu / a.seconds:.0f} % of a core', '-', False)


def bytes_an_event(a, folder):
    log = folder / 'some.mlpd'
    with open(log, 'wb') as out:
        subprocess.run([a.biglog, 'calls', '3'], stdout=out, check=True)
    told = json.loads(subprocess.run([a.profview, 'report', '--no-index', '--format', 'json', '--section', 'events', log],
                                     capture_output=True, check=True).stdout)
    return log.stat().st_size / sum(told['events'].values())


def events(a, folder):
    """So many events a second come through a fifo: what the viewer uses for them, and how often it draws."""
    pipe = folder / 'events'
    os.mkfifo(pipe)
    rate = bytes_an_event(a, folder) * a.events / 1e6
    v = Program([a.profview, '--follow', str(pipe)])
    v.until(lambda text: 'WAITING' in text)
    with open(pipe, 'wb') as out:
        writer = subprocess.Popen([a.biglog, 'calls', f'{rate * (a.seconds + 2):.6f}', '--rate', f'{rate:.6f}'], stdout=out)
    stop = time.monotonic() + 2
    while time.monotonic() < stop:
        v.read(0.05)
    before, frames, drawn = cpu_of(v.pid), 0, 0.0
    start = time.monotonic()
    while writer.poll() is None:
        at = v.read_at
        v.read(0.05)
        if v.read_at != at:
            frames += v.read_at - drawn > 0.05  # a frame may come in several pieces
            drawn = v.read_at
    took = time.monotonic() - start
    used = cpu_of(v.pid) - before
    v.keys('Q')
    v.keys('y')
    v.wait()
    row(f'{a.events:,} events a second for {took:.0f} s: processor time', f'{100 * used / took:.1f} % of a core', '10 %',
        used > 0.1 * took)
    row('frames a second meanwhile', f'{frames / took:.1f}', '2', frames > 2.2 * took)


def picture(text):
    """The cells of a flame and what is said of the cursor's: no titles, messages, keys."""
    return text.split('\n')[6:-2]


def flame(a, folder):
    """A log of as many call paths as a tree keeps: keys in its flame, until the frame shows what they did."""
    log = folder / 'paths.mlpd'
    with open(log, 'wb') as out:
        subprocess.run([a.biglog, 'paths', '60'], stdout=out, check=True)
    v = Program([a.profview, str(log), '--no-index'])
    v.slow = []
    v.until(lambda text: shown(text) and 'END' in text.split('\n')[0], 120)
    v.keys(':flame\r')
    v.until(lambda text: '= 100 %' in text, 60)
    taken, first = [], []
    for _ in range(a.rounds):
        v.keys('g')
        v.until(lambda text: False, 0.3)  # it was there already, or it goes
        for key, to in (('j', taken), ('j', taken), ('\x1bOC', taken), ('k', taken), ('u', taken), ('u', taken),
                        ('B', first), ('j', taken), ('j', taken), ('B', first)):
            while v.read_at > time.monotonic() - 0.15:
                v.read(0.05)
            before = picture(v.screen.text())
            to.append(press(v, key, lambda text, b=before: picture(text) != b and ASKING not in text))
    v.keys('Q')
    v.wait()
    for name, times in ('moving, turning over', taken), ('B, the other way', first):
        times = sorted(times)
        p99 = times[min(len(times) - 1, len(times) * 99 // 100)]
        row(f'keys in a flame of a million nodes: {name}, {len(times)} keys',
            f'{statistics.median(times):.0f} ms, p99 {p99:.0f}, worst {times[-1]:.0f}', f'{KEY_MS} ms', p99 > KEY_MS)
    for line in v.slow:
        print(line)


def cpu_of(pid):
    """With its children: one of them empties the pipe."""
    with open(f'/proc/{pid}/stat', encoding='ascii') as stat:
        fields = stat.read().rsplit(')', 1)[1].split()
    with open(f'/proc/{pid}/task/{pid}/children', encoding='ascii') as children:
        below = sum(cpu_of(int(child)) for child in children.read().split())
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK') + below


def switches(pid):
    total = 0
    for task in os.listdir(f'/proc/{pid}/task'):
        with open(f'/proc/{pid}/task/{task}/status', encoding='ascii') as status:
            total += int(re.search(r'^voluntary_ctxt_switches:\s+(\d+)', status.read(), re.M)[1])
    return total


def idle(a, folder):
    """A log that is followed and does not grow."""
    log = folder / 'idle.mlpd'
    with open(log, 'wb') as out:
        subprocess.run([a.biglog, 'calls', '30'], stdout=out, check=True)
    v = Program([a.profview, '--follow', str(log)])
    v.until(lambda text: 'idle since' in text)
    stop = time.monotonic() + 3
    while time.monotonic() < stop:
        v.read(0.2)
    before, turns = cpu_of(v.pid), switches(v.pid)
    stop = time.monotonic() + a.idle
    output = 0
    while time.monotonic() < stop:
        text = v.screen.text()
        v.read(0.5)
        output += text != v.screen.text()
    used, turned = cpu_of(v.pid) - before, switches(v.pid) - turns
    row(f'idle: processor time in {a.idle} s', f'{used * MS:.0f} ms', '0 ms', used > 0)
    row('idle: times a thread woke', f'{turned}', '0', turned > 0)
    os.kill(v.pid, signal.SIGTERM)
    v.wait()


def be_prompt():
    """What this does late would count as late on the screen; what it starts is as it always is."""
    try:
        os.sched_setscheduler(0, os.SCHED_RR | os.SCHED_RESET_ON_FORK, os.sched_param(1))
    except OSError:
        print('(without the right to: where the machine has other work, this may read late)')


def main():
    p = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    p.add_argument('profview')
    p.add_argument('biglog')
    p.add_argument('what', nargs='*', default=['first', 'keys', 'reopen', 'live', 'events', 'flame', 'idle'])
    p.add_argument('--log', type=pathlib.Path)
    p.add_argument('--size', type=int, default=2000, help='MB')
    p.add_argument('--kinds', default='calls threads deep methods paths classes', help='for reopen')
    p.add_argument('--runs', type=int, default=5)
    p.add_argument('--rounds', type=int, default=20)
    p.add_argument('--rate', type=int, default=100, help='MB/s')
    p.add_argument('--seconds', type=int, default=60)
    p.add_argument('--events', type=int, default=100000, help='a second')
    p.add_argument('--idle', type=int, default=10, help='seconds')
    a = p.parse_args()
    a.profview, a.biglog = os.path.abspath(a.profview), os.path.abspath(a.biglog)
    be_prompt()
    print(f'{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n')
    print('| what | measured | target | |\n|---|---|---|---|')
    with tempfile.TemporaryDirectory(prefix='profview-bench-') as name:
        folder = pathlib.Path(name)
        os.environ['XDG_CACHE_HOME'] = name
        log = a.log
        if not log and {'first', 'keys'} & set(a.what):
            log = folder / 'big.mlpd'
            with open(log, 'wb') as out:
                subprocess.run([a.biglog, 'calls', str(a.size)], stdout=out, check=True)
        for what, run in (('first', first), ('keys', keys)):
            if what in a.what:
                run(a, log)
        for what, run in (('reopen', reopen), ('live', live), ('events', events), ('flame', flame), ('idle', idle)):
            if what in a.what:
                run(a, folder)


if __name__ == '__main__':
    main()
