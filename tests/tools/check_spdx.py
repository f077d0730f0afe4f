#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every source file says its licence near its top.

usage: check_spdx.py SOURCE_ROOT [write]    `write` puts the line in where it is missing
A line of its own: the first, or the second behind the line that says what runs or completes a script.
"""
import pathlib
import sys

TAG = 'SPDX-License-Identifier: MIT'
STYLES = {'.c': '/* %s */', '.h': '/* %s */', '.def': '/* %s */', '.S': '/* %s */', '.cpp': '/* %s */', '.cs': '/* %s */',
          '.js': '/* %s */', '.py': '# %s', '.sh': '# %s', '.bash': '# %s', '.fish': '# %s', 'meson.build': '# %s',
          'meson_options.txt': '# %s', '_profview': '# %s', 'run': '# %s'}
FOLDERS = ('.ci', '.packaging', 'common', 'probe', 'screenshots', 'tests', 'tui')
TOP = 3  # lines that are looked at


def sources(root):
    paths = [p for p in root.iterdir() if p.is_file()]
    for folder in FOLDERS:
        paths += (root / folder).rglob('*')
    for path in sorted(paths):
        style = STYLES.get(path.suffix if path.suffix in STYLES else path.name)
        if style and path.is_file() and not any(part.startswith('corpus') for part in path.parts):
            yield path, style % TAG


def add(path, line):
    data = path.read_bytes()
    bom = b'\xef\xbb\xbf' if data.startswith(b'\xef\xbb\xbf') else b''
    lines = data[len(bom):].splitlines(keepends=True)
    end = b'\r\n' if lines and lines[0].endswith(b'\r\n') else b'\n'
    lines.insert(1 if lines and lines[0].startswith((b'#!', b'#compdef')) else 0, line.encode() + end)
    path.write_bytes(bom + b''.join(lines))


def main(root, *args):
    root, count, missing = pathlib.Path(root), 0, []
    for path, line in sources(root):
        count += 1
        if TAG.encode() not in b'\n'.join(path.read_bytes().split(b'\n', TOP)[:TOP]):
            missing.append(path)
            if 'write' in args:
                add(path, line)
    if 'write' in args:
        print(f'{len(missing)} of {count} files have the line now')
        return 0
    print(*(f'{path.relative_to(root)}: no {TAG} in the first {TOP} lines' for path in missing), sep='\n')
    if not missing:
        print(f'{count} files')
    return 1 if missing or count < 6 else 0


if __name__ == '__main__':
    sys.exit(main(*sys.argv[1:]))
