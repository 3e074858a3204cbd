"""Texts of errors, warnings and diagnostics in the source of the package, by AST."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
import re

import spacerobot_id

ROOT = Path(spacerobot_id.__file__).parent
REPORTING = ('error', 'fatal', 'reject', 'warn', 'warn_explicit', 'warning')
"""Methods and functions that report the text that they are given."""

DECLARATIONS = ('parameter', '_std', '_Layout', 'info', 'create_service')
"""Functions whose texts explain, or are written when all is well."""

EXPLAINING = {'summary', 'gauge', 'UNITS', '_COMMENTS', '_QUERIES'}
"""Names of texts that describe something, or ask a database."""

REPORTING_ROOMS = (
    *('estimation', 'excitation', 'kinematics', 'measurement', 'methods', 'model', 'multibody'),
    *('nodes', 'regressor', 'simulation', 'spatial', 'statistics'),
)
"""Rooms whose functions return messages of nodes and commands; all of their texts count."""


@dataclass(frozen=True)
class Message:
    """A text, and where it stands."""

    text: str
    place: str


def template(node: ast.AST) -> str | None:
    """Return the text of a constant or an f-string, three dots for what is filled in."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return re.sub(r'\{[^{} ]*\}', '...', node.value)  # as str.format fills it in
    if isinstance(node, ast.JoinedStr):
        parts = (part.value if isinstance(part, ast.Constant) else '...' for part in node.values)
        return ''.join(parts)
    return None


def texts_under(node: ast.AST) -> Iterator[tuple[str, int]]:
    """Yield the texts within a node, none of them twice."""
    text = template(node)
    if text is not None:
        yield text, node.lineno
        return
    for name, value in ast.iter_fields(node):
        if name in ('annotation', 'returns'):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not _explains(child):
                yield from texts_under(child)


def _explains(node: ast.AST) -> bool:
    """Return whether a node is a docstring, a declaration or an annotation."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if isinstance(node, ast.Call):
        return _called(node) in DECLARATIONS
    if isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        return any(isinstance(each, ast.Name) and each.id in EXPLAINING for each in targets)
    return False


def _called(node: ast.Call) -> str:
    """Return the name of what is called."""
    return getattr(node.func, 'attr', getattr(node.func, 'id', ''))


def _is_error_print(node: ast.Call) -> bool:
    """Return whether something is printed to standard error."""
    return _called(node) == 'print' and any(each.arg == 'file' for each in node.keywords)


def is_sentence(text: str) -> bool:
    """Return whether a text is a sentence: two words at least, and no code or markup."""
    if re.match(r'[\s#]|<\?|<\w+/?>\n', text) or text.endswith('\n') or '="' in text:
        return False
    return len(re.findall(r'[A-Za-z_-]{2,}', text)) >= 2 and ' ' in text.strip()


def raised(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Yield the texts that are raised, or given to what reports them."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) and node.exc is not None:
            yield from texts_under(node.exc)
        elif isinstance(node, ast.Call) and (_called(node) in REPORTING or _is_error_print(node)):
            for argument in node.args:
                yield from texts_under(argument)


def sources() -> Iterator[tuple[Path, ast.AST]]:
    """Yield the modules of the package, less those that explain: catalogues, pages, schemas."""
    for path in sorted(ROOT.rglob('*.py')):
        is_document = path.stem.endswith(('schema', 'documents', 'catalogue'))
        if path.relative_to(ROOT).parts[0] != 'troubleshooting' and not is_document:
            yield path, ast.parse(path.read_text(encoding='utf-8'))


def every_text() -> set[str]:
    """Return all texts of the package, whatever they are for."""
    found = {template(node) for _, tree in sources() for node in ast.walk(tree)}
    return found - {None}


def every_message() -> set[Message]:
    """Return the texts of the package that report that something is wrong."""
    found = set()
    for path, tree in sources():
        room = path.relative_to(ROOT).parts[0]
        texts = [*raised(tree), *(texts_under(tree) if room in REPORTING_ROOMS else ())]
        for text, line in texts:
            if is_sentence(text):
                found.add(Message(text, f'{path.relative_to(ROOT)}:{line}'))
    return found
