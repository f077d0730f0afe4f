# SPDX-License-Identifier: MIT
"""What the live tests share: a viewer in a terminal on a pipe or file that a program writes."""
import contextlib
import json
import os
import pathlib
import signal
import subprocess

import target
import term
from checks import said_of

OPTIONS = ('nodefaults,calls,callspec=program,calldepth=10000,alloc,exception,monitor,gchandle,'
           'finalization,heapshot=ondemand')


class Place:
    """A folder with a pipe in which `tee` keeps what passes, and a terminal beside it."""

    def __init__(self, folder, profview):
        self.folder, self.profview = pathlib.Path(folder), profview
        self.written, self.pipe = self.folder / 'written', self.folder / 'pipe'
        self.record, self.file = self.folder / 'record.mlpd', self.folder / 'log.mlpd'

    @contextlib.contextmanager
    def tee(self):
        """Whatever is written into `written` comes out of `pipe`, and stands in `record`."""
        for fifo in (self.written, self.pipe):
            os.mkfifo(fifo)
        process = subprocess.Popen(
            ['sh', '-c', f'exec tee "{self.record}" <"{self.written}" >"{self.pipe}"'],
            start_new_session=True)
        try:
            yield process
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()

    def report(self, path):
        done = subprocess.run([self.profview, 'report', str(path), '--format', 'json',
                               '--no-index'], capture_output=True, check=True,
                              timeout=target.DEADLINE)
        return json.loads(done.stdout)


def watch(t, place, path, *words):
    """Starts the viewer in the terminal's shell and waits until it has the screen."""
    t.run(place.profview, '--follow', path, *words)
    target.wait_for('the viewer', lambda: t.ask('alternate_on') == '1')


def only(t, text):
    """Filters the list in front, whatever its filter was."""
    t.keys('DC')
    t.type('\\')
    t.type(text)
    t.keys('Enter')


def left(t, v):
    """`q` gave the terminal back: main screen, cursor, echo, a prompt that works."""
    t.keys('q')
    target.wait_for('the main screen', lambda: t.ask('alternate_on') == '0')
    t.run('stty', '-a')
    t.wait(lambda screen: ' icanon' in screen and ' echo ' in screen)
    v.equal('cursor after leaving', t.ask('cursor_flag'), '1')
    t.run('echo', 'it', 'works')
    t.wait('\nit works')


def figures(t, said):
    """The panes show exactly what the program says of itself."""
    t.keys('2')
    only(t, 'Counted.Calls:')
    for name, n in said_of(said, 'calls').items():
        if name.startswith('Counted.Calls:') and n < 100000:
            t.wait_row(name.split(' ')[0].replace(':', '.'), n)
    t.keys('3')
    only(t, 'Counted.')
    for name, n in said_of(said, 'allocs').items():
        t.wait_row(name.replace('System.Int32', 'int'), n)
    t.keys('X')
    only(t, 'Counted.')
    t.wait_row('Counted.OwnException', said['throws Counted.OwnException'])


def scene(profview, folder, **terminal):
    """(place, terminal), the terminal as a context."""
    return Place(folder, profview), term.Terminal(folder, **terminal)
