# SPDX-License-Identifier: MIT
"""A terminal to try programs in: a tmux server of its own, keys in, text out."""
import os
import pathlib
import re
import shlex
import subprocess

from target import DEADLINE, TimedOut, need, wait_for


class Terminal:
    """A shell in a tmux pane. Use as a context; the server dies with it."""

    def __init__(self, folder, columns=120, rows=36, env=()):
        need('tmux')
        self.socket = str(pathlib.Path(folder, 'tmux'))
        clean = {k: v for k, v in os.environ.items() if k not in ('TMUX', 'NO_COLOR', 'LC_ALL')}
        self.env = {**clean, 'LANG': 'C.UTF-8', 'TERM': 'xterm-256color', **dict(env)}
        prompt = pathlib.Path(folder, 'prompt')
        prompt.write_text("PS1='ready> '\n")
        self.tmux('new-session', '-d', '-x', str(columns), '-y', str(rows),
                  f'bash --noprofile --rcfile {shlex.quote(str(prompt))}', config=True)
        self.tmux('set-option', '-g', 'status', 'off')
        self.tmux('resize-window', '-x', str(columns), '-y', str(rows))
        self.wait('ready>')

    def tmux(self, *words, config=False):
        done = subprocess.run(
            ['tmux', '-S', self.socket, *(('-f', '/dev/null') if config else ()), *words],
            capture_output=True, text=True, env=self.env, timeout=DEADLINE, check=False)
        if done.returncode:
            raise RuntimeError(f'tmux {words[0]}: {done.stderr.strip()}')
        return done.stdout

    def text(self):
        return self.tmux('capture-pane', '-p')

    def lines(self):
        return self.text().splitlines()

    def ask(self, variable):
        return self.tmux('display-message', '-p', f'#{{{variable}}}').strip()

    def keys(self, *names):
        """Keys in tmux notation: 'F1', 'Enter', 'C-l', 'q'."""
        self.tmux('send-keys', *names)

    def type(self, text):
        self.tmux('send-keys', '-l', text)

    def run(self, *words):
        """Types a command line into the shell."""
        self.type(shlex.join(map(str, words)))
        self.keys('Enter')

    def resize(self, columns, rows):
        self.tmux('resize-window', '-x', str(columns), '-y', str(rows))

    def wait(self, wanted, deadline=DEADLINE):
        """Polls until the screen holds a text, or a function of the screen gives something true."""
        def look():
            screen = self.text()
            found = wanted(screen) if callable(wanted) else wanted in screen
            return (found, screen) if found else None

        name = getattr(wanted, '__doc__', None) if callable(wanted) else wanted
        try:
            return wait_for(f'{name!r} on the screen', look, deadline)[0]
        except TimedOut as late:
            raise TimedOut(f'{late}; it reads\n{self.text()}') from None

    def wait_end(self):
        """The recording is over; logs of the stock profiler do not say how it ended."""
        def over(screen):
            return re.search(r'^ .*[■*#] (ENDED|END \?|CUT OFF)\s*$', screen.splitlines()[0])

        over.__doc__ = 'the end of the recording'
        return self.wait(over)

    def wait_prompt(self):
        """The shell's next one: the program has ended. The one it was typed behind is still above."""
        def prompt(screen):
            return screen.rstrip().endswith('ready>')

        prompt.__doc__ = 'the next prompt'
        return self.wait(prompt)

    def wait_row(self, name, *figures):
        """A line that holds `name` and every figure, as people read it; gives that line."""
        def row(screen):
            return next((line for line in screen.splitlines() if name in line
                         and all(holds(line, n) for n in figures)), None)

        row.__doc__ = f'{name} with {figures}'
        return self.wait(row)

    def close(self):
        subprocess.run(['tmux', '-S', self.socket, 'kill-server'], capture_output=True,
                       timeout=DEADLINE, check=False)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def exact(number):
    """1391007 as '1 391 007'."""
    return f'{number:,}'.replace(',', ' ')


def rounded(number):
    """1391007 as '1.39 M', as lists have what is 1,000 or more."""
    for size, unit in (1e3, 'k'), (1e6, 'M'), (1e9, 'G'):
        v = number / size
        if v < 999.5:
            return f'{v:.{2 if v < 9.995 else 1 if v < 99.95 else 0}f} {unit}'
    return exact(number)


def holds(line, figure):
    """Whether a line has this number as a cell: grouped by blanks, or rounded to three digits."""
    whole = rf'{re.escape(exact(figure))}(?![\d.,kMG])(?! \d{{3}}(?!\d))'
    either = whole if figure < 1000 else rf'(?:{whole}|{re.escape(rounded(figure))}\b)'
    return re.search(rf'(?<![\d.]){either}', line) is not None
