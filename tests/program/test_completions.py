#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Completion in bash, zsh and fish offers the commands and options that --help prints, and no others.

test_completions.py SHELL PROFVIEW FOLDER: FOLDER has the three scripts, as they are built. Words after an
option are those that its refusal names.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

SKIP = 77
CHOSEN = {'--color', '--background', '--glyphs', '--format', '--names', '--via', '--by', '--to'}
failed = 0


def check(ok, text):
    global failed
    if not ok:
        print('FAIL', text)
        failed += 1


def ask(shell, profview, folder, line):
    """The words offered at the end of the line."""
    words = line.split(' ')
    env = {**os.environ, 'PATH': f'{pathlib.Path(profview).resolve().parent}:{os.environ["PATH"]}', 'HOME': '/nonexistent'}
    if shell == 'bash':
        script = f'source {folder}/profview; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _profview; printf "%s\\n" "${{COMPREPLY[@]}}"'
        command = ['bash', '--norc', '-c', script, 'bash', *words]
    elif shell == 'zsh':
        script = '''script=$1; shift; words=("$@"); CURRENT=$#
            compadd() { print -l -- "$@" }
            _describe() { local list=${@[-1]}; print -l -- ${${(P)list}%%:*} }
            _files() { print -l -- *(N) }
            _normal() { print -l -- ${(k)commands} }
            source $script'''
        command = ['zsh', '-f', '-c', script, 'zsh', f'{folder}/_profview', *words]
    else:
        command = ['fish', '--no-config', '-c', f'source {folder}/profview.fish; complete -C $argv[1]', line]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120, cwd=folder)
    check(done.returncode == 0 and not done.stderr, f'{shell}: {line!r}: {done.returncode} {done.stderr}')
    return {row.split('\t')[0] for row in done.stdout.splitlines() if row}


def options_of(profview, verb):
    """Its options with the arguments that they take, and the commands that its help names."""
    text = subprocess.run([profview, *verb.split(), '--help'], capture_output=True, text=True, check=True).stdout
    lines = text.splitlines()
    check(len(lines) <= 40 and max(map(len, lines)) <= 80, f'{verb} --help: {len(lines)} lines, {max(map(len, lines))} wide')
    beside = dict.fromkeys(re.findall(r'(?:which| another machine;) (--[a-z-]+) ', text), '')
    return beside | dict(re.findall(r'^  (?:-\w, |    )(--[a-z-]+)(\S*)', text, re.M)), re.findall(r'^  profview ([a-z]+) ', text, re.M)


def main(shell, profview, folder):
    folder = pathlib.Path(folder).resolve()
    if not shutil.which(shell):
        print(f'{shell} is not installed')
        return SKIP
    commands = set(options_of(profview, '')[1])
    check(len(commands) == 11, f'{commands}')
    got = ask(shell, profview, folder, 'profview ')
    check(commands <= got, f'{shell}: commands {commands - got} are missing')
    check('profview.fish' in got, f'{shell}: no files: {got}')
    choices = 0
    for verb in '', *sorted(commands):
        want, named = options_of(profview, verb)
        check(not verb or named == [verb], f'{verb} --help names {named}')
        line = f'profview {verb} '.replace('  ', ' ')
        got = {w for w in ask(shell, profview, folder, line + '--') if w[:2] == '--'}
        check(set(want) == got, f'{shell}: {line}: missing {set(want) - got}, too many {got - set(want)}')
        for option in want:
            refused = subprocess.run([profview, *verb.split(), option, 'zzz', '--', 'x'], capture_output=True, text=True, check=False,
                                     stdin=subprocess.DEVNULL, timeout=150).stderr if option in CHOSEN else ''
            words = re.search(rf'{option} wants ((?:[a-z]+, )*[a-z]+ or [a-z]+), not "zzz"', refused)
            if words:
                choices += 1
                got = ask(shell, profview, folder, f'{line}{option} ')
                check(got == set(re.split(', | or ', words[1])), f'{shell}: {line}{option}: {got}, not {words[1]}')
    check(choices == 24, f'{choices} options with choices')
    got = ask(shell, profview, folder, 'profview run --calls -- aw')
    check('awk' in got or shell == 'fish', f'{shell}: no program after --: {sorted(got)[:5]}')
    print(f'{failed} failed')
    return failed > 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
