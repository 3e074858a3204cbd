"""YAML files read as dataclasses by pydantic; what is wrong is one sentence with file and key.

Nothing in them is executed, and none takes more memory than a setting or a description may.
"""

import codecs
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
import errno
from pathlib import Path
import re
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails
import yaml

from spacerobot_id.exceptions import DescriptionError
from spacerobot_id.settings.kinds import KeyedError, type_adapter
from spacerobot_id.settings.schema import known_keys, schema_of

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


KeyPath = tuple[str | int, ...]
"""Keys and numbers of entries that lead to a value."""

OUTERMOST = 'the file'
"""What errors name where no key is at fault."""

_UNKNOWN = ('extra_forbidden', 'unexpected_keyword_argument')

_REASONS = {
    'missing': 'it is missing',
    'string_type': 'must be a string',
    'bool_type': 'must be true or false',
    'float_type': 'must be a number',
    'int_type': 'must be a whole number',
    'int_from_float': 'must be a whole number',
    'int_parsing': 'must be a whole number',
    'finite_number': 'must be finite',
    'greater_than': 'must be above {gt}',
    'greater_than_equal': 'must be at least {ge}',
    'less_than_equal': 'must be at most {le}',
    'literal_error': 'must be one of {expected}',
    'enum': 'must be one of {expected}',
    'tuple_type': 'must be a list',
    'too_short': 'must have {min_length} entries',
    'too_long': 'must have {max_length} entries',
    'dict_type': 'must be a mapping',
    'dataclass_type': 'must be a mapping',
}
"""What is wrong by the kinds of pydantic's errors."""


class _Loader(Loader):
    """Loader that takes no key twice, and text alone for a key."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        """Return the mapping of a node."""
        known: set[str] = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode) and key.value in known:
                problem = f'duplicate key {key.value!r}'
                raise yaml.MarkedYAMLError(problem=problem, problem_mark=key.start_mark)
            known.add(str(key.value))
        mapping = super().construct_mapping(node, deep)
        return {str(key): value for key, value in mapping.items()}


for _tag in ('binary', 'omap', 'pairs', 'set'):  # which pydantic would take for texts and lists
    _Loader.add_constructor(f'tag:yaml.org,2002:{_tag}', yaml.SafeLoader.construct_undefined)


def yaml_content(text: str, source: str) -> object:
    """Return what a YAML text stands for; an empty mapping for an empty text.

    Parameters
    ----------
    text : str
        Text of the file.
    source : str
        File, or another name for it, to be named in errors.

    Raises
    ------
    DescriptionError
        If it is no YAML, or a key is there twice; names the line.
    """
    try:
        value = load_yaml(text, _Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = f'line {mark.line + 1}' if mark else 'the text'
        raise DescriptionError(source, line, f'invalid YAML: {error.problem}') from error
    except yaml.YAMLError as error:
        raise DescriptionError(source, 'the text', f'invalid YAML: {error}') from error
    return {} if value is None else value


def read_yaml(kind: Any, text: str, source: str) -> Any:  # noqa: ANN401
    """Return a YAML text as a value of a type; ``source`` names it in errors."""
    return checked(kind, yaml_content(text, source), source)


def checked(kind: Any, content: object, source: str, path: KeyPath = ()) -> Any:  # noqa: ANN401
    """Return what stands in a file as a value of a type.

    Parameters
    ----------
    kind : type
        Dataclass whose fields are keys, or another type that pydantic knows.
    content : object
        What YAML makes of it.
    source : str
        File, or another name for it, to be named in errors.
    path : tuple
        Where in the file it stands.

    Raises
    ------
    DescriptionError
        If a key is unknown or missing, or has no value that it can have; names file and key.
    """
    try:
        return type_adapter(kind).validate_python(content)
    except ValidationError as error:
        below, reason = _fault(error.errors(), kind, content)
        raise DescriptionError(source, key_name((*path, *below)), reason) from None


@contextmanager
def faults_named(source: str) -> Iterator[None]:
    """Within the block what makes no sense beside others is an error that names the file."""
    try:
        yield
    except KeyedError as error:
        raise DescriptionError(source, key_name(error.path), str(error)) from None


def key_name(path: KeyPath) -> str:
    """Return the name of a key as errors have it: ``wheels[0].axis``."""
    parts = [f'[{part}]' if isinstance(part, int) else f'.{part}' for part in path]
    return ''.join(parts).lstrip('.') or OUTERMOST


def _fault(errors: Sequence[ErrorDetails], kind: Any, content: object) -> tuple[KeyPath, str]:  # noqa: ANN401
    """Return where the first fault is and what it is; an unknown key explains others."""
    for each in errors:
        path = _path(each, content)
        if each['type'] in _UNKNOWN:
            keys = known_keys(schema_of(kind), path, content)
            return path, f'unknown key; known are {", ".join(keys)}'
    first = _path(errors[0], content)
    near = [(_path(each, content), each) for each in errors]
    near = [(path, each) for path, each in near if path[: len(first)] == first]
    deepest = max((path for path, _ in near), key=len)  # of the kinds that a value may have
    alike = [each for path, each in near if path == deepest]
    alike = [each for each in alike if not each['type'].endswith('_type')] or alike
    reasons = list(dict.fromkeys(_reason(each) for each in alike))
    reason = ' or '.join([reasons[0], *(each.removeprefix('must be ') for each in reasons[1:])])
    below = getattr(alike[0].get('ctx', {}).get('error'), 'path', ())
    shows = alike[0]['type'] not in ('missing', 'value_error') and '[key]' not in alike[0]['loc']
    return (*deepest, *below), reason + (f', got {alike[0]["input"]!r}' if shows else '')


def _reason(error: ErrorDetails) -> str:
    """Return what is wrong with a value."""
    if error['type'] == 'value_error':
        return str(error['ctx']['error'])
    ctx = {
        key: 'zero' if each == 0 else f'{each:g}' if isinstance(each, float) else each
        for key, each in error.get('ctx', {}).items()
    }
    if 'expected' in ctx:
        ctx['expected'] = ctx['expected'].replace("'", '').replace(' or ', ', ')
    if error['loc'][-1:] == ('[key]',) and 'expected' in ctx:
        return f'unknown key; known are {ctx["expected"]}'
    reason = _REASONS.get(error['type'], error['msg']).format(**ctx)
    reason = reason.replace('must have 1 entries', 'must not be empty')
    return reason.replace('must be at least zero', 'must not be negative')


def _path(error: ErrorDetails, content: object) -> KeyPath:
    """Return where in a file a fault is: pydantic names the kinds of values on the way, too."""
    path: list[str | int] = []
    for part in error['loc']:
        is_key = isinstance(content, Mapping) and part in content
        if is_key or (isinstance(content, list) and isinstance(part, int) and part < len(content)):
            content = content[part]
        elif error['type'] != 'missing' or part != error['loc'][-1]:
            continue
        path.append(part)
    return tuple(path)
