"""Values of an estimate as a YAML file: parameters of a node of ROS, or keys of one's own."""

from collections.abc import Mapping

import yaml

from spacerobot_id.estimation.result import Result
from spacerobot_id.estimation.write_back.body_values import body_values
from spacerobot_id.estimation.write_back.output import Kind, Output
from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.measurement.adapters.assignment import Value


def value_file(result: Result, output: Output, stamp: float) -> str:
    """Return the text of the file of an output.

    Parameters
    ----------
    result : Result
        A usable result.
    output : Output
        Parameters of a node, which make a parameter file, or a file.
    stamp : float
        Time of the last sample, s.

    Raises
    ------
    ConfigurationError
        If it writes to a topic or a service.
    DescriptionError
        If a value does not show.
    """
    refuse_without_file(output)
    tree = _tree(output.filled(body_values(result, output, stamp)))
    if output.kind is Kind.PARAMETERS:
        node = output.name if output.name.startswith('/') else f'/**/{output.name}'
        tree = {node: {'ros__parameters': tree}}
    method, samples = result.method, result.estimate.samples
    lines = [f'# {method.model.name} by {method.name}, {samples} samples']
    if output.description:
        lines.append(f'# {" ".join(output.description.split())}')
    lines.append(yaml.safe_dump(tree, sort_keys=False, default_flow_style=None))
    return '\n'.join(lines)


def refuse_without_file(output: Output) -> None:
    """Raise ConfigurationError if an output writes to a topic or a service."""
    if output.kind in (Kind.TOPIC, Kind.SERVICE):
        raise ConfigurationError(
            f'{output.source}: the {output.kind.value} {output.name} can be written to live only, '
            'by ~/apply of the estimator'
        )


def file_name(output: Output) -> str:
    """Return the name of the file of an output."""
    if output.kind is Kind.FILE:
        return output.name
    return f'{output.name.rpartition("/")[2]}.yaml'


def _tree(values: Mapping[str, Value]) -> dict[str, object]:
    """Return values by dotted names as mappings of mappings."""
    tree: dict[str, object] = {}
    for path, value in values.items():
        *above, name = path.split('.')
        inner = tree
        for each in above:
            inner = inner.setdefault(each, {})
        inner[name] = value
    return tree
