#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Completions of a shell, made from the rows of options.def.

usage: completions.py OPTIONS_DEF bash|zsh|fish
"""
import pathlib
import re
import sys

VERB = re.compile(r'^VERB\((\w+), *"profview ?(\w*)", *"[^"]*", *"([^"]*)"\)$', re.M)
OPTION = re.compile(r'^OPTION\w*\((\w+), [\w.]+, "(--[\w-]+)", ([A-Z_ |]+),(.*?)\.help = "([^"]*)"\)$', re.M | re.S)
GROUPS = {'LIVE': ('VIEW', 'RUN', 'ATTACH', 'LISTEN')}


def read(path):
    """Verbs with their help, and for each of them its options: (name, letter, choices, help); '' is the viewer."""
    text = pathlib.Path(path).read_text(encoding='utf-8')
    symbols = {symbol: word for symbol, word, _ in VERB.findall(text)}
    verbs = {word: about for _, word, about in VERB.findall(text)}
    options = {word: [] for word in verbs}
    rows = OPTION.findall(text)
    if not verbs or len(rows) != len(re.findall(r'^OPTION', text, re.M)):
        sys.exit(f'{path}: rows that are not understood')
    for _, name, takers, more, about in rows:
        words = [w.strip() for w in takers.split('|')]
        letter = re.search(r"\.letter = '(.)'", more)
        choices = re.search(r'\.choices = "([^"]*)"', more)
        row = (name, letter[1] if letter else '', choices[1].split('|') if choices else [], about)
        for symbol in {s for w in words for s in GROUPS.get(w, symbols if w == 'ALL' else (w,))}:
            options[symbols[symbol]].append(row)
    return verbs, options


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


BASH = '''# bash completion of profview, made from its table of options.

_profview() {
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} verb= i options choices=
	COMPREPLY=()
	for ((i = 1; i < COMP_CWORD; i++)); do
		if [[ ${COMP_WORDS[i]} == -- ]]; then # a program, and its words
			mapfile -t COMPREPLY < <(((i + 1 == COMP_CWORD)) && compgen -c -- "$word" || compgen -f -- "$word")
			return
		fi
		[[ -z $verb && ' %(words)s ' == *" ${COMP_WORDS[i]} "* ]] && verb=${COMP_WORDS[i]}
	done
	case $verb in
%(options)s	esac
	case $verb$before in
%(choices)s	esac
	if [[ -n $choices ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$word")
	elif [[ $word == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
	else
		mapfile -t COMPREPLY < <([[ -n $verb ]] || compgen -W '%(words)s' -- "$word"; compgen -f -- "$word")
	fi
}

complete -o filenames -F _profview profview
'''

ZSH = '''#compdef profview
# zsh completion of profview, made from its table of options.

_profview() {
	local verb= word
	local -a known options choices
	known=(%(known)s)
	for word in ${words[2,CURRENT - 1]}; do
		if [[ $word == -- ]]; then # a program, and its words
			_normal
			return
		fi
		[[ -z $verb && -n ${known[(r)${word}:*]} ]] && verb=$word
	done
	case $verb in
%(options)s	esac
	case $verb${words[CURRENT - 1]} in
%(choices)s	esac
	if (( $#choices )); then
		compadd $choices
	elif [[ ${words[CURRENT]} == -* ]]; then
		_describe -o option options
	else
		[[ -n $verb ]] || _describe command known
		_files
	fi
}

_profview "$@"
'''

FISH = '''# fish completion of profview, made from its table of options.

function __profview_verb
    for word in (commandline -opc)[2..-1]
        contains -- $word %(words)s; and echo $word; and return 0
    end
    echo -
end

%(rows)s'''


def choices_of(options, form):
    """A line for each option that has choices, with its verb in front."""
    return ''.join(form % (verb + name, ' '.join(choices)) for verb, rows in options.items()
                   for name, _, choices, _ in rows if choices)


def bash(verbs, options):
    rows = ''.join(f"\t{verb or quoted('')}) options='{' '.join(name for name, *_ in rows)}' ;;\n" for verb, rows in options.items())
    return BASH % {'words': ' '.join(v for v in verbs if v), 'options': rows, 'choices': choices_of(options, "\t%s) choices='%s' ;;\n")}


def zsh(verbs, options):
    rows = ''.join(f"\t{verb or quoted('')}) options=({' '.join(quoted(f'{name}:{about}') for name, _, _, about in rows)}) ;;\n"
                   for verb, rows in options.items())
    known = ' '.join(quoted(f'{verb}:{about}') for verb, about in verbs.items() if verb)
    return ZSH % {'known': known, 'options': rows, 'choices': choices_of(options, '\t%s) choices=(%s) ;;\n')}


def fish(verbs, options):
    lines = [f"complete -c profview -n 'test (__profview_verb) = -' -a {verb} -d {quoted(about)}" for verb, about in verbs.items() if verb]
    for verb, rows in options.items():
        for name, letter, choices, about in rows:
            more = (f' -s {letter}' if letter else '') + (f" -x -a '{' '.join(choices)}'" if choices else '')
            lines.append(f"complete -c profview -n 'test (__profview_verb) = {verb or '-'}' -l {name[2:]}{more} -d {quoted(about)}")
    return FISH % {'words': ' '.join(v for v in verbs if v), 'rows': '\n'.join(lines) + '\n'}


if __name__ == '__main__':
    print({'bash': bash, 'zsh': zsh, 'fish': fish}[sys.argv[2]](*read(sys.argv[1])), end='')
