#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The recipes of profview-keys(7), pressed in tmux on a program that has an answer to each planted.

usage: test_questions.py PROFVIEW MANUAL PROGRAM.dll

The keys come from the manual, so that it cannot say others than are tried here.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import target
from term import Terminal
from verdict import Verdict

WORDS = 'nodefaults,gc,alloc,exception,monitor,sample-real=1000,heapshot=500ms'
MOST_KEYS = 5
# Question, texts of the last frame, names for what the manual leaves open.
ANSWERS = {
    'What is hot?': (r'▶ .*Pricing\.Discount', r'Called by Pricing\.Discount'),
    'Who calls it?': (r'\[Flame\]', r'Checkout\.Pay', r'Pricing\.Discount'),
    'What ran on a thread, from 3 to 4 s?': (r'thread "night" [\d.]+-[\d.]+ s', r'▶ .*NightShift\.CountStock'),
    'What made this pause long?': (r'\[Cause\]', r'▶ .*object\[\]', r'Report\.Build'),
    'Which class leaks, and what holds it?': (r'paths to Session', r'static SessionCache\.all'),
    'Who allocates most strings?': (r'▶ .*string$', r'Where string is allocated', r'Invoice\.Print'),
    'Where are exceptions thrown?': (r'▶ .*OrderNotFound', r'Orders\.Find\(int\) ←'),
    'Who holds the lock?': (r'thread "auditor"', r'▶ .*Ledger\.Audit'),
    'What happened in a burst?': (r'\[Flame\]', r'Rush\.Sell'),
    'What did the log not record?': (r'calls +not recorded', r'samples +(partial|complete)'),
}
NAMES = {'What ran on a thread, from 3 to 4 s?': 'night', 'Who holds the lock?': 'auditor'}
# Times in the manual: the thread that they are of.
TIMES = {'3s..4s': 'night', '1.2s..1.4s': 'seller'}
# Frames on the way that say what leads on.
ON_THE_WAY = {('Which class leaks, and what holds it?', 'Y'): r'(?s)▶ [^\n]*Session.*▸ shots \d+ to \d+ by',
              ('Who holds the lock?', 'L'): r'▶ .*Ledger', ('Who holds the lock?', 'D'): r'auditor .*[▇▄].*[▇▄]',
              ('What made this pause long?', 'g'): r'STOPPED▼'}


def recipes(manual):
    """question -> keys, as the manual says them; what comes after a colon explains."""
    text = pathlib.Path(manual).read_text(encoding='utf-8')
    section = re.search(r'^# RECIPES\n(.*?)^# ', text, re.M | re.S)[1]
    found = {}
    for question, rest in re.findall(r'^_([^_]+\?)_ (.*)$', section, re.M):
        found[question] = re.findall(r'\*([^*]+)\*(?=[,:])', rest.split('. By eye')[0])
    return found


def press(t, key):
    if key in ('Enter', 'Space', 'Tab', 'BSpace'):
        t.keys(key)
    elif len(key) > 1:
        t.type(key)
        t.keys('Enter')
    else:
        t.type(key)


def has(*patterns):
    def look(screen):
        lines = '\n'.join(line.rstrip() for line in screen.splitlines())
        return all(re.search(p, lines, re.M) for p in patterns)
    look.__doc__ = ' and '.join(patterns)
    return look


def work_of(profview, log, thread):
    """When a thread worked longest, as a range of the log's time: the runtime is slow to start."""
    report = subprocess.run([profview, 'report', log, '--section', 'timeline', '--format', 'json'],
                            check=True, capture_output=True, text=True, timeout=target.DEADLINE).stdout
    row = next(r for r in json.loads(report)['timeline'] if r['name'] == thread)
    ran = max(re.finditer('[RQ]+', row['lane']), key=lambda m: len(m[0]))
    at = [(row['from_ns'] + cell * row['cell_ns']) / 1e9 for cell in ran.span()]
    return f'{at[0]:.2f}s..{at[1]:.2f}s'


def ask(v, t, question, keys, names):
    v.between(f'{question} keys', len(keys), 1, MOST_KEYS)
    for key in keys:
        press(t, names(question, key))
        on_the_way = ON_THE_WAY.get((question, key))
        if on_the_way:
            t.wait(has(on_the_way))
    t.wait(has(*ANSWERS[question]))
    v.true(question, True)


def main(profview, manual, program):
    v = Verdict('questions')
    recipe = recipes(manual)
    v.equal('the questions', sorted(recipe), sorted(ANSWERS))
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, 'shop.mlpd')
        subprocess.run([profview, 'run', '--probe', WORDS, '--record', log, '--', 'dotnet', program],
                       check=True, timeout=target.DEADLINE, stdout=subprocess.DEVNULL)
        times = {said: work_of(profview, log, thread) for said, thread in TIMES.items()}

        def names(question, key):
            for said, is_at in times.items():
                key = key.replace(said, is_at)
            return key.replace('NAME', NAMES.get(question, 'NAME'))

        with Terminal(folder) as t:
            for question, keys in recipe.items():
                t.run(profview, '--no-index', log)
                t.wait_end()
                ask(v, t, question, keys, names)
                t.keys('Q')
                t.wait_prompt()
    v.close()


if __name__ == '__main__':
    main(*sys.argv[1:])
