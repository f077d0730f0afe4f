#!/usr/bin/env python3
"""Completion in bash, zsh and fish offers the commands and options that --help prints, and no others.

test_completions.py SHELL PROFVIEW FOLDER: FOLDER has the three scripts. Words after an option are those
of its line of help.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

SKIP = 77
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
        script = f'source {folder}/profview.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _profview; printf "%s\\n" "${{COMPREPLY[@]}}"'
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


def parts_of(help_text):
    """Commands, and options by what has them; '' is the screen."""
    head, *parts = re.split(r'^(?=Options)', help_text, flags=re.M)
    commands = set(re.findall(r'^  profview ([a-z]+) ', head, re.M))
    options = {}
    for part in parts:
        verb = re.match(r'Options(?: of (\w+))?', part)[1] or ''
        part = part.partition('\nExit codes')[0]
        options[verb] = dict(re.findall(r'^  (?:-\w, |    )(--[a-z-]+)(.*)$', part, re.M))
    return commands, options


def main(shell, profview, folder):
    folder = pathlib.Path(folder).resolve()
    if not shutil.which(shell):
        print(f'{shell} is not installed')
        return SKIP
    text = subprocess.run([profview, '--help'], capture_output=True, text=True, check=True).stdout
    commands, options = parts_of(text)
    check(len(commands) >= 10 and len(options) >= 8, f'{commands} {list(options)}')
    got = ask(shell, profview, folder, 'profview ')
    check(commands <= got, f'{shell}: commands {commands - got} are missing')
    check('profview.bash' in got, f'{shell}: no files: {got}')
    for verb, rows in options.items():
        got = {w for w in ask(shell, profview, folder, f'profview {verb} --' if verb else 'profview --') if w[:2] == '--'}
        want = set(rows) | set(options[''])
        check(want == got, f'{shell}: {verb or "the screen"}: missing {want - got}, too many {got - want}')
    for words in '--color', '--glyphs', 'report --names', 'attach --via', 'report --by', 'convert --to':
        option = words.split()[-1]
        got = ask(shell, profview, folder, f'profview {words} ')
        more = ['-o', 'y'] if option == '--to' else []
        refused = subprocess.run([profview, *words.split(), 'zzz', 'x', *more], capture_output=True, text=True, check=False).stderr
        want = set(re.split(r', or |, | or ', re.search(rf'{option} wants (.*), not "zzz"', refused)[1]))
        check(got == want, f'{shell}: {option}: {got}, not {want}')
    got = ask(shell, profview, folder, 'profview run --calls -- aw')
    check('awk' in got or shell == 'fish', f'{shell}: no program after --: {sorted(got)[:5]}')
    print(f'{failed} failed')
    return failed > 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
