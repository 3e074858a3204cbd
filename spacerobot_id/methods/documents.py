"""The tables of methods for the docs: they follow from the registry."""

from collections.abc import Collection
from dataclasses import dataclass

from spacerobot_id.measurement.stream import Need, StreamNeeds, TOPICS
from spacerobot_id.methods.method import Method
from spacerobot_id.methods.registry import method_class, method_names

_STREAMS = (*TOPICS, 'thrust')
"""Streams that a method may need."""


@dataclass(frozen=True)
class SensorSet:
    """Sensors that a robot has.

    Parameters
    ----------
    description : str
        What they are.
    streams : collection of str
        Streams, as ``StreamNeeds`` names them.
    is_slow : bool
        Whether the robot moves too fast for its poses to be interpolated.
    """

    description: str
    streams: Collection[str]
    is_slow: bool = False


SENSOR_SETS = (
    SensorSet('joints, gyro, base velocity', ('joints', 'gyro', 'velocity')),
    SensorSet('joints, gyro, base velocity and pose', ('joints', 'gyro', 'velocity', 'pose')),
    SensorSet('joints, gyro, pose; no `base_twist`', ('joints', 'gyro', 'pose')),
    SensorSet(
        'joints, gyro, motion capture at 25 Hz and less, fast motion',
        ('joints', 'gyro', 'pose'),
        is_slow=True,
    ),
    SensorSet('joints and motion capture at any rate; no gyro', ('joints', 'pose')),
    SensorSet(
        'joints, motion capture, thrusters that fire', ('joints', 'pose', 'thrust'), is_slow=True
    ),
    SensorSet('joints, gyro, pose, a wrench on the base', ('joints', 'gyro', 'pose', 'wrench')),
    SensorSet('joints and gyro; neither position nor velocity', ('joints', 'gyro')),
    SensorSet('joints with torques, gyro', ('joints', 'gyro', 'torque')),
    SensorSet('pose and a wrench on the base; arms at rest', ('pose', 'wrench')),
    SensorSet('joints alone', ('joints',)),
)
"""Sensors as robots have them."""


def takes(kind: type[Method], sensors: SensorSet) -> bool:
    """Return whether a method does with some sensors, and takes what acts on the base."""
    needs, have = kind.needs, set(sensors.streams)
    missing = {name for name in _STREAMS if getattr(needs, name) is Need.NEEDED} - have
    ignored = {name for name in have & {'wrench', 'thrust'} if getattr(needs, name) is Need.UNUSED}
    needs_positions = needs.velocity is Need.USED and not have & {'velocity', 'pose'}
    return not (
        missing or ignored or needs_positions or (sensors.is_slow and not needs.own_stamps)
    )


def which_method_page() -> str:
    """Return a page in Markdown with a row for every set of sensors."""
    head = (
        '# Which method for my sensors\n\n'
        'Written by `python docs/generate.py` from what each method needs. Take the first method\n'
        'of the row; what each does not show, and its settings: [methods](../methods.md). Joints\n'
        'are `joint_states`, the gyro `imu/data`, the pose `base_pose`, the base velocity\n'
        '`base_twist`; wheels are joints.\n\n'
        '| you have | use | to compare with |\n'
        '| --- | --- | --- |\n'
    )
    return head + '\n'.join(map(_sensor_row, SENSOR_SETS)) + '\n' + _NOTES


_NOTES = """
- **No base_twist** is no error: `momentum` then follows the position of the base.
- **Motion capture at 25 Hz**, or 5 Hz: `momentum_balance` fits poses at their own times, without a
  gyro and without thrusters, too. `momentum` interpolates between poses, which is good enough
  where the robot moves little from one to the next.
- **The scale** of all masses rests on a wheel, a thruster, a wrench or a momentum that is known
  ([what can be seen](../theory/identifiability.md)).
- **Joint torques** add little where the momentum is seen, and need a model of friction; they are
  used by methods that have them among their needs.
- On an air-bearing table set `planar: true`.
"""


def _sensor_row(sensors: SensorSet) -> str:
    """Return the row of a set of sensors."""
    kinds = [kind for kind in map(method_class, method_names()) if takes(kind, sensors)]
    own = [kind for kind in kinds if not kind.is_for_comparison]
    own.sort(key=lambda kind: -_used(kind, sensors))
    names = ', '.join(f'`{kind.name}`' for kind in own) or 'none: measure the motion of the base'
    others = ', '.join(f'`{kind.name}`' for kind in kinds if kind.is_for_comparison) or '-'
    return f'| {sensors.description} | {names} | {others} |'


def _used(kind: type[Method], sensors: SensorSet) -> int:
    """Return how many of the streams a method takes."""
    return sum(getattr(kind.needs, each) is not Need.UNUSED for each in sensors.streams)


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
        ', '.join(topic for name, topic in TOPICS.items() if getattr(needs, name) is wanted) or '-'
    )
