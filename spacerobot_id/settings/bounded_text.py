"""Texts that others wrote, read within bounds: files, and YAML with numbers as YAML 1.2 has them.

Nothing in them is executed, and none takes more memory than a setting or a description may.
"""

import codecs
import errno
from pathlib import Path
import re

import yaml

_MOST_BYTES = 2**25
"""Most bytes of a text file: devices and pipes may never end."""

_MOST_VALUES = 100_000
"""Values that a text may stand for, those of aliases counted as often as they are named."""


_MARKS = {
    codecs.BOM_UTF8: 'utf-8-sig',
    codecs.BOM_UTF32_LE: 'utf-32',
    codecs.BOM_UTF16_LE: 'utf-16',
    codecs.BOM_UTF16_BE: 'utf-16',
    '<?'.encode('utf-16-le'): 'utf-16-le',
    '<?'.encode('utf-16-be'): 'utf-16-be',
}
"""Encodings by the bytes that a text begins with."""

_DECLARED = re.compile(rb'\s*<\?xml[^>]*?encoding\s*=\s*["\']([A-Za-z][\w.-]*)["\']')


class Loader(yaml.SafeLoader):
    """Safe loader that takes 1e-5 for a number, and refuses aliases that stand for too much."""

    def construct_document(self, node: yaml.Node) -> object:
        """Return what a text stands for; aliases of aliases would take memory without end."""
        if _values(node, {}) > _MOST_VALUES:
            raise yaml.MarkedYAMLError(
                problem=f'aliases stand for more than {_MOST_VALUES} values, or for themselves',
                problem_mark=node.start_mark,
            )
        return super().construct_document(node)


Loader.add_implicit_resolver(
    'tag:yaml.org,2002:float', re.compile(r'[-+]?\d+(\.\d*)?[eE][-+]?\d+$'), list('-+0123456789')
)


def read_text_file(path: str | Path) -> str:
    """Return the text of a file, of a pipe too.

    Raises
    ------
    OSError
        If it cannot be read or is larger than 32 MB.
    UnicodeDecodeError
        If it is neither UTF-8 nor what its first bytes or its declaration of XML say.
    """
    with Path(path).open('rb') as file:
        data = file.read(_MOST_BYTES + 1)
    if len(data) > _MOST_BYTES:
        raise OSError(errno.EFBIG, f'is larger than {_MOST_BYTES // 2**20} MB', str(path))
    return data.decode(_encoding(data)).replace('\r\n', '\n')


def _encoding(data: bytes) -> str:
    """Return the encoding that a text has by its byte order mark or its declaration of XML."""
    for mark, name in _MARKS.items():
        if data.startswith(mark):
            return name
    declared = _DECLARED.match(data)
    if declared is None:
        return 'utf-8'
    name = declared[1].decode('ascii')
    try:
        codecs.lookup(name)
    except LookupError as error:
        raise UnicodeDecodeError('utf-8', data[:1], 0, 1, f'no encoding {name}') from error
    return name


def load_yaml(text: str, loader: type[yaml.SafeLoader] = Loader) -> object:
    """Return what a YAML text stands for.

    Parameters
    ----------
    text : str
        Text.
    loader : type
        Loader derived from ``Loader``.

    Raises
    ------
    yaml.YAMLError
        If it is no YAML, is nested too deeply or stands for too much.
    """
    try:
        return yaml.load(text, loader)
    except RecursionError as error:
        raise yaml.YAMLError('it is nested too deeply') from error
    except (ValueError, OverflowError) as error:  # numbers and dates that there are not
        raise yaml.YAMLError(str(error)) from error


def _values(node: yaml.Node, known: dict[yaml.Node, float]) -> float:
    """Return the number of values that a node stands for; infinite within itself."""
    if node in known:
        return known[node]
    known[node] = float('inf')  # while it is counted
    within: list[yaml.Node] = []
    if isinstance(node, yaml.SequenceNode):
        within = node.value
    elif isinstance(node, yaml.MappingNode):
        within = [each for pair in node.value for each in pair]
    known[node] = 1.0 + sum(_values(each, known) for each in within)
    return known[node]
