"""Messages of fast sensors, many at once, as long as all of them are good beyond doubt.

Live, what the intake finds out message by message is asked here of all that came since the last
look: names, numbers, stamps, glitches, frozen values, each going on from the messages before.
Where the answer is not a plain yes, nothing is taken, and the messages go through the intake one
by one.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.exceptions import MeasurementError
from spacerobot_id.measurement.bag.streams import ImuStream, JointStream
from spacerobot_id.measurement.good_streams import good_gyro, good_joints, GoodStream, is_good
from spacerobot_id.measurement.intake import Intake
from spacerobot_id.measurement.stream_needs import Need
from spacerobot_id.model import RobotModel

PLAIN = {'joint_states': JointStream, 'imu': ImuStream}
"""Streams that batches are made of, by their quantity."""


@dataclass(frozen=True, eq=False)
class _Plain:
    """A stream that may be taken as it is.

    Parameters
    ----------
    good : GoodStream
        What the alignment buffers.
    judged : ndarray, shape (N, w)
        What would be frozen if it stayed the same.
    off : ndarray, shape (N, n), optional
        How far joints are from where they were going.
    """

    good: GoodStream
    judged: NDArray[np.float64]
    off: NDArray[np.float64] | None = None


def take_plain(
    model: RobotModel, streams: Sequence[JointStream | ImuStream], intake: Intake
) -> bool:
    """Take messages that go on from those before, all but the last of each stream, or none.

    The last ones go through the intake one by one, in the order in which they came, so that each
    stream knows the values of the others at that moment.

    Parameters
    ----------
    model : RobotModel
        Robot of the intake.
    streams : sequence of JointStream or ImuStream
        What came since, two messages of each at least.
    intake : Intake
        What judges messages; it knows of each stream one at least.

    Returns
    -------
    bool
        Whether they were taken: all, and the last ones, are good beyond doubt.
    """
    made = []
    for stream in streams:
        make = _joints if isinstance(stream, JointStream) else _gyro
        try:
            plain = make(model, stream, intake)
        except MeasurementError:
            return False
        if plain is None or not _goes_on(plain, intake):
            return False
        made.append(plain)
    for plain in made:
        _take(plain, len(model.joints), intake)
    return True


def _joints(model: RobotModel, stream: JointStream, intake: Intake) -> _Plain | None:
    """Return joint states, if motion explains them and they give the rates that others did."""
    good, n = good_joints(model, stream, intake), len(model.joints)
    if good is None or intake.joints.merges or intake.joints.rates_given is None:
        return None
    wheels = len(model.wheels)
    good.values[:, :n] += intake.joints.turns.added
    q, spins, qd = np.split(good.values[:, : 2 * n + wheels], [n, n + wheels], axis=1)
    rates = np.hstack([qd, spins])
    uses_rates = intake.alignment.needs.rates is Need.USED
    if uses_rates and (np.isfinite(rates) != intake.joints.rates_given).any():
        return None
    off = intake.joints.glitches.would_pass(good.stamps, q)
    return None if off is None else _Plain(good, np.hstack([q, rates]), off)


def _gyro(model: RobotModel, stream: ImuStream, intake: Intake) -> _Plain | None:
    """Return angular velocities; what is judged as frozen are those that came."""
    return _Plain(good_gyro(model, stream, intake), stream.angular_velocity)


def _goes_on(plain: _Plain, intake: Intake) -> bool:
    """Return whether stamps and values go on from those before."""
    good, gap = plain.good, intake.alignment.settings.longest_gap
    step = good.stamps[0] - intake.alignment.streams[good.name].latest
    if not (0.0 < step <= gap and is_good(good, intake, gap)):
        return False
    return intake.frozen.would_pass(good.topic, plain.judged)


def _take(plain: _Plain, joints: int, intake: Intake) -> None:
    """Take what is known to be good, all but the last message."""
    good, stamps = plain.good, plain.good.stamps[:-1]
    values = good.values[:-1]
    intake.alignment.streams[good.name].extend(stamps.tolist(), values)
    intake.statistics[good.topic].accept_all(stamps.tolist())
    if plain.off is not None:
        intake.joints.turns.pass_all(values[:, :joints])
        intake.joints.glitches.pass_all(stamps, values[:, :joints], plain.off[:-1])
    intake.frozen.pass_all(good.topic, float(stamps[-1]), plain.judged[-2])
