#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What another process names is opened in common/target/foreign alone.

usage: check_foreign.py SOURCE

Nowhere else, probe/outside included, stands a path below /proc/PID/root or /proc/PID/cwd. In common/target, where other processes are spoken to, each
call that opens, makes, changes or looks at something by its name stands in NAMED with what the name is; below tui/
and in the other rooms of common/ each file that has such calls, with whose names they are. A row is added only when no other process can say what
the name is, or change what it leads to.
"""
import pathlib
import re
import sys

ROOM = 'common/target/foreign/'
BELOW = re.compile(r'"[^"\n]*/proc/[^"\n]*/(root|cwd)\b')
CALLS = re.compile(
    r'(?<![\w.>])(open|openat|openat2|creat|fopen|freopen|opendir|scandir|glob|nftw|ftw|fts_open|stat|lstat|fstatat|statx|access|'
    r'faccessat|readlink|readlinkat|realpath|truncate|chmod|fchmodat|chown|lchown|fchownat|utimensat|mkdir|mkdirat|mkdtemp|mkstemps?|mkostemps?|'
    r'mkfifo|mkfifoat|mknod|link|linkat|symlink|symlinkat|rename|renameat2?|unlink|unlinkat|remove|rmdir|mount|chdir|'
    r'chroot|bind|connect|execv|execve|execvp|posix_spawnp?|inotify_add_watch|getxattr|setxattr|system|popen|dlopen|dwfl_linux_proc_report|dwfl_report_offline)\s*\(')
OURS = 'of the command line, or ours'
PROC = "in /proc by a process's number: the kernel's own names"
# In common/target: file: {the name, as it stands in the call: what it is}.
NAMED = {
    'aot_names.c': {'link': PROC},  # and descriptors
    'carried.c': {'at|folder': 'in a folder of ours, checked once it is open, never followed', '"/tmp"': 'a folder of ours is made there',
                  'link': PROC, 'f->link': 'our own name'},
    'control.c': {'fd': 'a port, on loopback'},
    'dotnet_find.c': {'f->fd': 'names in a folder that foreign.h opened, never followed'},
    'dotnet_why.c': {'link': PROC},
    'event_door.c': {'fd|at->sun_path|path': OURS},
    'event_relay.c': {'path': 'the pipe, which is made for ourselves', '"/dev/null"': 'the null device'},
    'gather.c': {'path': 'in the folder of the recording, or in /proc', 'from': 'of a descriptor of foreign.h, or among our own files',
                 'AT_FDCWD': 'likewise', '"/dev/null"': 'the null device'},
    'inherited.c': {'.*': PROC},
    'join.c': {'name': 'of a file of our own user, compared with what foreign.h opened', 'ours': 'the library',
               'socket': 'of the command line; who listens there is asked, the pipe is made with the rights of the owner'},
    'join_ways.c': {'exe': PROC},
    'joinable.c': {'"/proc"|dirfd\\(proc\\)': PROC},
    'process_limits.c': {'"/proc/self/mountinfo"|"/proc"': PROC},
    'log_peer.c': {'"/proc"': PROC},
    'mono_attach.c': {'path|pattern|all.gl_pathv\\[i\\]': 'of our own user, in /tmp and /proc', '&child': PROC, 'socket': 'of our own user'},
    'outside.c': {'path': 'our own program', '"/dev/null"': 'the null device'},
    'port.c': {'path|"/proc/(thread-)?self/ns/net"|dirfd\\(fds\\)': PROC},
    'probe_socket.c': {'folder': 'of a user, checked once it is open', '"/tmp"': 'to list it'},
    'proc.c': {'link': PROC},
    'program.c': {'path|word|to|ret->path|name|fd': OURS},
    'thread_times.c': {'path|"/proc/self/ns/time"|dirfd\\(t->task\\)': PROC},
    # The programs that profview starts, and their children.
    **dict.fromkeys(('join_folder.c', 'launch.c', 'launch_exit.c', 'launch_folder.c', 'launch_index.c', 'launch_library.c', 'launch_scan.c', 'launch_serve.c', 'launch_silence.c', 'launch_tree.c',
                     'preload.c', 'relay.c', 'starter.c'), {'.*': 'of the recording, or of what we started'}),
}
# Elsewhere: file: whose names they are.
FILES = {
    'common/base/system/new_file.c': OURS, 'common/base/system/private_place.c': OURS, 'common/base/system/proc_file.c': PROC, 'common/base/system/small_file.c': OURS, 'common/check/rules_file.c': OURS,
    **dict.fromkeys(('common/remote/carrier.c', 'common/remote/jobs.c', 'common/remote/keeper.c', 'common/remote/kept.c', 'common/remote/serve.c', 'common/remote/way.c', 'tui/commands/on_run.c'),
                    'of the command line, or in a folder of ours'),
    'common/remote/followed.c': 'of the user whose relay it is, who may read it',
    'common/ingest/convert/convert.c': OURS, 'common/ingest/index_file.c': OURS, 'common/io/cache.c': OURS,
    'common/io/drainer.c': OURS, 'common/io/fd.c': OURS, 'common/io/log_print.c': OURS, 'common/io/log_writer.c': 'names in /proc, compared', 'common/io/pipe_lock.c': OURS,
    'common/io/private_folder.c': OURS, 'common/io/process_list.c': OURS, 'common/io/source.c': OURS, 'common/io/source_file.c': OURS,
    'common/io/source_pipe.c': OURS, 'common/io/spool_place.c': OURS, 'common/io/thread_numbers.c': PROC,
    'common/heap/graph_link.c': 'connect() is a function of its own there',
    'common/model/names/symbols.c': "a log's, where the file is root's or ours and nobody else may write to it",
    'common/pdb/pdb_find.c': 'modules of a log: regular files, and only what bears the identity of the build is used',
    'common/pdb/pdb_image.c': 'the same',
    'common/base/system/run_output.c': 'a program of the user, found by PATH',
    'common/query/machine_code.c': "a log's: a regular file, of which objdump only prints the code",
    'tui/commands/check_run.c': OURS, 'tui/app/child.c': OURS, 'tui/app/stream_wish.c': OURS, 'tui/commands/child_run.c': OURS, 'tui/app/conf.c': OURS, 'tui/app/conf_save.c': OURS,
    'tui/commands/diff_run.c': OURS, 'tui/app/editor.c': OURS, 'tui/commands/export_run.c': OURS, 'tui/feed/feed.c': OURS, 'tui/feed/feed_tell.c': OURS, 'tui/app/folder.c': OURS, 'tui/commands/main.c': OURS,
    'tui/terminal/term.c': OURS, 'tui/terminal/term_out.c': OURS, 'tui/screen/open_help.c': OURS,
}


def code_of(text):
    """Without comments; lines stay where they are."""
    return re.sub(r'/\*.*?\*/|//[^\n]*', lambda m: re.sub(r'[^\n]', ' ', m[0]), text, flags=re.S)


def first_argument(text, at):
    depth, start = 1, at
    while depth and not (depth == 1 and text[at] == ','):
        depth += (text[at] in '([{') - (text[at] in ')]}')
        at += 1
    return re.sub(r'\s+', ' ', text[start:at - (depth == 0)]).strip()


def below(name, text):
    for match in BELOW.finditer(text):
        yield f'{name}:{text.count(chr(10), 0, match.start()) + 1}: a path below /proc/PID/{match[1]}: {ROOM}foreign.h opens those'


def problems_of(name, text):
    yield from below(name, text)
    target = re.fullmatch(r'common/target/(?!foreign/)(?:\w+/)?([^/]+)', name)
    if not target and name in FILES:
        return
    rows = NAMED.get(target[1], {}) if target else {}
    for match in CALLS.finditer(text):
        line, start = text.count('\n', 0, match.start()) + 1, text.rfind('\n', 0, match.start()) + 1
        if text.count('"', start, match.start()) % 2:
            continue  # in a text
        if re.match(r'(?:static |const |\w+ \*?)+$', text[start:match.start()]) and text[start] not in ' \t':
            continue  # a function of that name
        arg = first_argument(text, match.end())
        if not any(re.fullmatch(row, arg) for row in rows):
            yield (f'{name}:{line}: {match[1]}({arg}, ...): if another process names that, or what lies on the way to it, foreign.h '
                   f'opens it; else it gets a row in check_foreign.py')


def main(root):
    problems, seen = [], 0
    for path in sorted(p for top in ('common', 'tui') for p in (pathlib.Path(root) / top).rglob('*.[ch]')):
        name = path.relative_to(root).as_posix()
        if not name.startswith(ROOM):
            seen += 1
            problems += problems_of(name, code_of(path.read_text(encoding='utf-8')))
    for path in sorted((pathlib.Path(root) / 'probe/outside').rglob('*.[ch]')):  # another process's, too
        problems += below(path.relative_to(root).as_posix(), code_of(path.read_text(encoding='utf-8')))
    print('\n'.join(problems) or f'{seen} files leave what other processes name to {ROOM}')
    return 1 if problems or not seen else 0


if __name__ == '__main__':
    sys.exit(main(sys.argv[1]))
