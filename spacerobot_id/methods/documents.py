"""The table of methods for the docs: it follows from the registry."""

from spacerobot_id.measurement.stream_needs import Need, StreamNeeds
from spacerobot_id.methods.method import Method
from spacerobot_id.methods.registry import method_class, method_names

_TOPICS = {
    'joints': 'joint_states',
    'gyro': 'imu/data',
    'velocity': 'base_twist',
    'pose': 'base_pose',
    'torque': 'efforts',
    'wrench': 'base_wrench',
}


def methods_page() -> str:
    """Return a page in Markdown with a row for every method."""
    head = (
        '# Methods\n\n'
        'Written by `spacerobot-id parameters --methods`. The name is that of the parameter\n'
        '`method` of the estimator and of `spacerobot-id identify --method`.\n\n'
        '| method | what it does | needs | may use | does not show | intervals hold | settings |\n'
        '| --- | --- | --- | --- | --- | --- | --- |\n'
    )
    rows = [_row(method_class(name)) for name in method_names()]
    return head + '\n'.join(rows) + '\n'


def _row(kind: type[Method]) -> str:
    """Return the row of a method."""
    return (
        f'| `{kind.name}` | {kind.summary} | {_streams(kind.needs, Need.NEEDED)} | '
        f'{_streams(kind.needs, Need.USED)} | {kind.gauge or "-"} | '
        f'{"no" if kind.is_for_comparison else "yes"} | '
        f'{", ".join(f"`{key}`" for key in sorted(kind.takes)) or "-"} |'
    )


def _streams(needs: StreamNeeds, wanted: Need) -> str:
    """Return the topics that are needed, or used."""
    return (
        ', '.join(topic for name, topic in _TOPICS.items() if getattr(needs, name) is wanted)
        or '-'
    )
