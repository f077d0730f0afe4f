# fish completion of profview: its options are those that `profview --help` prints.

function __profview_commands
    profview --help 2>/dev/null | awk '
        /^Options/ { exit }
        /^  profview [a-z]+ / { name = $2; sub(/^.*  +/, ""); print name "\t" $0 }'
end

function __profview_verb
    set -l commands (__profview_commands | string replace -r '\t.*' '')
    for word in (commandline -opc)[2..-1]
        contains -- $word $commands; and echo $word; and return 0
    end
    return 1
end

function __profview_options
    set -l verb (__profview_verb; or echo :)
    profview --help 2>/dev/null | awk -v verb="$verb" '
        /^Options:/ { on = 1; next }
        /^Options of / { on = index($0 ",", "Options of " verb ",") || index($0, "Options of " verb ":"); next }
        /^Exit codes/ { exit }
        on && match($0, /--[a-z][a-z-]*/) { print substr($0, RSTART, RLENGTH) "\t" substr($0, 28) }'
end

# No command is the value of an option that has a list of them below.
complete -c profview -n 'not __profview_verb; and not contains -- (commandline -opc)[-1] --color --glyphs' -a '(__profview_commands)'
complete -c profview -n 'string match -q -- "-*" (commandline -ct)' -a '(__profview_options)'

function __profview_after
    test (commandline -opc)[-1] = $argv[1]
end

complete -c profview -n '__profview_after --color' -f -a 'auto always never'
complete -c profview -n '__profview_after --glyphs' -f -a 'block braille ascii'
complete -c profview -n '__profview_after --names' -f -a 'readable raw'
complete -c profview -n '__profview_after --via' -f -a 'probe events auto'
complete -c profview -n '__profview_after --by' -f -a 'identity address class'
complete -c profview -n '__profview_after --to' -f -a 'mlpd folded pprof speedscope callgrind html chrome firefox heapsnapshot'
