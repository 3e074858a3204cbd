"""Mutations of good files: bytes, lines, numbers, nesting, aliases."""

import random
import re

_NUMBER = re.compile(rb'-?\d+\.?\d*(?:[eE][-+]?\d+)?')
_WORD = re.compile(rb'[A-Za-z_][A-Za-z_0-9.]*')

HOSTILE = (
    b'nan', b'.nan', b'-.inf', b'1e400', b'-1', b'0', b'1e308', b'9' * 400, b'1' + b'0' * 20,
    b'-0.0', b'1e-320', b'0x7f', b'null', b'~', b'true', b'[]', b'{}', b'""', b"'", b'"', b'\x00',
    b'\xff\xfe', b'\xc3\x28', b'../../../etc/passwd', b'/dev/zero', b'A' * 5000, b'%s%n',
    b'${x}', b'$(find x)', b'!!python/object/apply:os.system ["true"]', b'<<: *a', b'&a *a',
    b'- ' * 300, b'[' * 2000, b'{a: ' * 500, b'<a>' * 2000, b'<!DOCTYPE a [<!ENTITY b "c">]>',
    b'&b;', b'\t', b'2026-11-22', b'1_000', b'012', b'1:30', b'.', b'-', b'!!binary x', b'? a',
    b'|', b'>-', '\u202e\u0000\U0001f600'.encode(),
)  # fmt: skip
"""What stands where something else is expected."""

BOMB = b''.join(
    b'z%d: &z%d [%s]\n' % (k, k, b', '.join([b'*z%d' % (k - 1)] * 9) if k else b'x, x, x')
    for k in range(12)
)
"""Aliases of aliases: written out, a list of nine to the eleventh."""


def mutated(data: bytes, others: list[bytes], rng: random.Random) -> bytes:
    """Return bytes after some mutations."""
    for _ in range(rng.choice((1, 1, 2, 4))):
        data = rng.choice(_MUTATIONS)(data, others, rng)
    return data[:200_000]


def _place(data, rng):
    return rng.randrange(len(data) + 1)


def _flipped(data, _others, rng):
    changed = bytearray(data)
    for _ in range(rng.choice((1, 3, 20))):
        if changed:
            changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def _truncated(data, _others, rng):
    return data[: _place(data, rng)]


def _cut(data, _others, rng):
    begin, end = sorted((_place(data, rng), _place(data, rng)))
    return data[:begin] + data[min(end, begin + 200) :]


def _doubled(data, _others, rng):
    begin, end = sorted((_place(data, rng), _place(data, rng)))
    return data[:end] + data[begin:end] * rng.choice((1, 2, 30)) + data[end:]


def _inserted(data, _others, rng):
    place = _place(data, rng)
    return data[:place] + rng.choice(HOSTILE) + data[place:]


def _replaced(pattern):
    def change(data, _others, rng):
        found = list(pattern.finditer(data))
        if not found:
            return data
        one = rng.choice(found)
        return data[: one.start()] + rng.choice(HOSTILE) + data[one.end() :]

    return change


def _lines_swapped(data, _others, rng):
    lines = data.split(b'\n')
    a, b = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[a], lines[b] = lines[b], lines[a]
    return b'\n'.join(lines)


def _line_lost(data, _others, rng):
    lines = data.split(b'\n')
    del lines[rng.randrange(len(lines))]
    return b'\n'.join(lines)


def _spliced(data, others, rng):
    other = rng.choice(others)
    return data[: _place(data, rng)] + other[_place(other, rng) :]


def _bombed(data, _others, rng):
    """Put aliases of aliases in the place of a value, as YAML has them."""
    found = list(re.finditer(rb': [^\n]+', data))
    if not found:
        return BOMB
    one = rng.choice(found)
    return BOMB + data[: one.start()] + b': *z%d' % rng.randrange(12) + data[one.end() :]


_MUTATIONS = (
    _flipped,
    _truncated,
    _cut,
    _doubled,
    _inserted,
    _replaced(_NUMBER),
    _replaced(_NUMBER),
    _replaced(_WORD),
    _lines_swapped,
    _line_lost,
    _spliced,
    _bombed,
)
