# bash completion of profview: its options are those that `profview --help` prints.

# Options of a command, those of the screen for none of them.
_profview_options() {
	"$1" --help 2>/dev/null | awk -v verb="$2" '
		/^Options:/ { on = 1; next }
		/^Options of / { on = index($0 ",", "Options of " verb ",") || index($0, "Options of " verb ":"); next }
		/^Exit codes/ { exit }
		on && match($0, /--[a-z][a-z-]*/) { print substr($0, RSTART, RLENGTH) }'
}

_profview_commands() {
	"$1" --help 2>/dev/null | awk '/^Options/ { exit } /^  profview [a-z]+ / { print $2 }'
}

_profview() {
	local program=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
	local commands verb= i
	commands=" $(_profview_commands "$program" | tr '\n' ' ') "
	COMPREPLY=()
	for ((i = 1; i < COMP_CWORD; i++)); do
		if [[ ${COMP_WORDS[i]} == -- ]]; then # a program, and its words
			mapfile -t COMPREPLY < <(((i + 1 == COMP_CWORD)) && compgen -c -- "$word" || compgen -f -- "$word")
			return
		fi
		[[ -z $verb && $commands == *" ${COMP_WORDS[i]} "* ]] && verb=${COMP_WORDS[i]}
	done
	case $before in
	--color) mapfile -t COMPREPLY < <(compgen -W 'auto always never' -- "$word") ;;
	--glyphs) mapfile -t COMPREPLY < <(compgen -W 'block braille ascii' -- "$word") ;;
	--names) mapfile -t COMPREPLY < <(compgen -W 'readable raw' -- "$word") ;;
	--via) mapfile -t COMPREPLY < <(compgen -W 'probe events auto' -- "$word") ;;
	--by) mapfile -t COMPREPLY < <(compgen -W 'identity address class' -- "$word") ;;
	--to) mapfile -t COMPREPLY < <(compgen -W 'mlpd folded pprof speedscope callgrind html chrome firefox heapsnapshot' -- "$word") ;;
	*)
		if [[ $word == -* ]]; then
			mapfile -t COMPREPLY < <(compgen -W "$(_profview_options "$program" "${verb:-:}")" -- "$word")
		else
			mapfile -t COMPREPLY < <([[ -n $verb ]] || compgen -W "$commands" -- "$word"; compgen -f -- "$word")
		fi
		;;
	esac
}

complete -o filenames -F _profview profview
