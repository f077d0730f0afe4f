#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The table of roles (tui/draw/roles.def), computed: it is there to be read by every eye.

    tests/tools/check_contrast.py ROOT

Text has a contrast of 4.5 at least and bars and signs one of 3 (WCAG 2.1, 1.4.3 and 1.4.11), on five dark
and four light grounds, on the panel and on the selection. Rules are excepted, and on dark grounds fills of
frames: their text and the gaps between them carry those. Series that stand beside each other are 10 apart
(CIEDE2000), as they are and for three kinds of colour-blindness (Machado, Oliveira, Fernandes 2009, severity 1).
"""
import itertools
import math
import pathlib
import re
import sys

GROUNDS = {'dark': ['#000000', '#16181d', '#282a36', '#002b36', '#2e3440'],  # black, a usual one, Dracula, Solarized, Nord
           'light': ['#ffffff', '#fafafa', '#fdf6e3', '#eff1f5']}  # white, a usual one, Solarized, Latte
SERIES = 'own', 'framework', 'runtime', 'native'
BARS = *SERIES, 'accent', 'warn', 'bad'
TEXT, BAR, APART = 4.5, 3, 10
MACHADO = {
    'as it is': ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    'protanopia': ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    'deuteranopia': ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    'tritanopia': ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900))}


def rgb_of(colour):
    """0 to 1 each, of a number from 16 to 255 or '#rrggbb'."""
    if isinstance(colour, str):
        parts = [int(colour[i:i + 2], 16) for i in (1, 3, 5)]
    elif colour >= 232:
        parts = [8 + (colour - 232) * 10] * 3
    else:
        n = colour - 16
        parts = [(0, 95, 135, 175, 215, 255)[p] for p in (n // 36, n // 6 % 6, n % 6)]
    return [p / 255 for p in parts]


def linear(colour):
    return [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in rgb_of(colour)]


def contrast(a, b):
    low, high = sorted(sum(w * p for w, p in zip((0.2126, 0.7152, 0.0722), linear(c))) for c in (a, b))
    return (high + 0.05) / (low + 0.05)


def lab(colour, matrix):
    seen = [min(1, max(0, sum(m * p for m, p in zip(row, linear(colour))))) for row in matrix]
    xyz = [sum(m * p for m, p in zip(row, seen)) / white for row, white in (
        ((0.4124564, 0.3575761, 0.1804375), 0.95047), ((0.2126729, 0.7151522, 0.0721750), 1),
        ((0.0193339, 0.1191920, 0.9503041), 1.08883))]
    x, y, z = (v ** (1 / 3) if v > 216 / 24389 else (24389 / 27 * v + 16) / 116 for v in xyz)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def ciede2000(one, two):
    """As Sharma, Wu and Dalal write it (2005)."""
    (l1, a1, b1), (l2, a2, b2) = one, two
    mean = ((math.hypot(a1, b1) + math.hypot(a2, b2)) / 2) ** 7
    g = 1.5 - 0.5 * math.sqrt(mean / (mean + 25 ** 7))
    c1, c2 = math.hypot(a1 * g, b1), math.hypot(a2 * g, b2)
    h1, h2 = (math.degrees(math.atan2(b, a * g)) % 360 for a, b in ((a1, b1), (a2, b2)))
    turn = 0 if c1 * c2 == 0 else (h2 - h1 + 180) % 360 - 180
    dh = 2 * math.sqrt(c1 * c2) * math.sin(math.radians(turn / 2))
    l, c = (l1 + l2) / 2, (c1 + c2) / 2
    h = h1 + h2 if c1 * c2 == 0 else (h1 + turn / 2) % 360
    t = 1 - 0.17 * math.cos(math.radians(h - 30)) + 0.24 * math.cos(math.radians(2 * h)) \
        + 0.32 * math.cos(math.radians(3 * h + 6)) - 0.2 * math.cos(math.radians(4 * h - 63))
    sl = 1 + 0.015 * (l - 50) ** 2 / math.sqrt(20 + (l - 50) ** 2)
    sc, sh = 1 + 0.045 * c, 1 + 0.015 * c * t
    rt = -2 * math.sqrt(c ** 7 / (c ** 7 + 25 ** 7)) * math.sin(math.radians(60 * math.exp(-((h - 275) / 25) ** 2)))
    dl, dc, dh = (l2 - l1) / sl, (c2 - c1) / sc, dh / sh
    return math.sqrt(dl * dl + dc * dc + dh * dh + rt * dc * dh)


def roles(text):
    """{ground: {role: (bare, selected, fill, second fill, text on both)}}; None: the terminal's own, or not there."""
    found = {'dark': {}, 'light': {}}
    for name, *both in re.findall(r'^ROLE\(\w+,\s*"(\w+)",\s*ON\(([^)]*)\),\s*ON\(([^)]*)\)\)', text, re.M):
        for ground, parts in zip(found, both):
            found[ground][name] = [int(p) if p.strip().isdigit() else None for p in parts.split(',')[1:]]
    return found


def contrasts(of, ground):
    """(what, contrast, the least that it may be) of all that is drawn."""
    panel, select = of['panel'][0], of['select'][0]
    for name, (bare, selected, *fills, on_fill) in of.items():
        if name in ('rule', 'panel', 'select'):
            continue
        # names of roles are drawn as text, too, but for the series, which are bars and letters of kind
        least = BAR if name in SERIES else TEXT
        for own in GROUNDS[ground] if bare is not None else []:
            yield f'{name} on {own}', contrast(bare, own), least
        for own, fill in itertools.product(GROUNDS[ground] if ground == 'light' else [], fills):
            if fill is not None:
                yield f'fill of {name} on {own}', contrast(fill, own), BAR
        if name in ('text', 'accent'):
            yield f'{name} on the panel', contrast(bare if bare is not None else selected, panel), TEXT
        yield f'{name} on the selection', contrast(selected, select), least
        for fill in fills:
            if fill is not None:
                yield f'text on the fill {fill} of {name}', contrast(on_fill, fill), TEXT


def distances(of):
    """(what, distance) of series that stand beside each other."""
    for what, *parts in (('bars', 0), ('bars on the selection', 1), ('fills', 2, 3)):
        for eye, matrix in MACHADO.items():
            for a, b in itertools.combinations(SERIES, 2):
                for one, two in itertools.product(parts, parts):
                    yield f'{what} of {a} and {b}, {eye}', ciede2000(lab(of[a][one], matrix), lab(of[b][two], matrix))


def faults(text):
    table = roles(text)
    for ground, of in table.items():
        missing = {'text', 'dim', 'rule', 'panel', 'select', *BARS} - set(of)
        if missing:
            yield f'{ground}: no role {", ".join(sorted(missing))}'
            continue
        for what, is_, least in contrasts(of, ground):
            if is_ < least:
                yield f'{ground}: {what} has a contrast of {is_:.2f}, {least} wanted'
        for what, is_ in distances(of):
            if is_ < APART:
                yield f'{ground}: {what} are {is_:.1f} apart, {APART} wanted'


def main(root):
    text = pathlib.Path(root, 'tui/draw/roles.def').read_text(encoding='utf-8')
    # the formula itself, by a pair of Sharma's; and that a spoiled table would be found
    assert abs(ciede2000((50, 2.6772, -79.7751), (50, 0, -82.7485)) - 2.0425) < 1e-4
    assert abs(ciede2000((50, -1, 2), (50, 0, 0)) - 2.3669) < 1e-4
    assert abs(contrast('#000000', '#ffffff') - 21) < 1e-9
    assert any('contrast' in f for f in faults(text.replace('ON(OWN, 241, 238', 'ON(OWN, 250, 238')))
    assert any('apart' in f for f in faults(text.replace('139, 181, 139', '139, 182, 139')))
    wrong = list(faults(text))
    for line in wrong:
        print(line)
    for ground, of in roles(text).items():
        print(f'{ground}: least contrast {min(c for _, c, least in contrasts(of, ground) if least == TEXT):.2f} (text),'
              f' {min(c for _, c, least in contrasts(of, ground) if least == BAR):.2f} (bars);'
              f' least distance {min(d for _, d in distances(of)):.1f}')
    return bool(wrong)


if __name__ == '__main__':
    sys.exit(main(sys.argv[1]))
