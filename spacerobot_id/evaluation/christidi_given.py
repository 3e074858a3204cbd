"""What papers/004 is given, beside what ours has: Tables I and II, noise."""

import numpy as np

from spacerobot_id.evaluation.christidi_published import PublishedChristidi
from spacerobot_id.evaluation.reproduction import ComparisonTable
from spacerobot_id.model import RobotModel

_FIRST_JOINT = (
    'Table I prints [0.1, 0.2, 1] m, with which Appendix B does not give the true values of '
    'Table III; with [1, 1, 1] m, which our description has, it gives all 19.'
)
_LAST_LINK = 'No joint follows link 3: r_3 is in no formula of Appendix B and in no description.'
_SWAPPED = (
    'The text swaps the two: it gives sigma_omega, the white noise of Eq. 24, the value and the '
    'unit of the bias walk of Eq. 25, and the other way round; ours goes by the units.'
)


def robot_table(published: PublishedChristidi, model: RobotModel) -> ComparisonTable:
    """Return Tables I and II and the noise, beside what the description and the run have."""
    rows: list[tuple[str, float, float | None]] = []
    first = model.joints[0].p_PC_P
    rows += [
        (f'r_0{axis}, m', printed, float(value))
        for axis, printed, value in zip('xyz', published.r_0, first, strict=True)
    ]
    reaches = [np.linalg.norm(joint.p_PC_P) for joint in model.joints[1:]]
    for number, (body, link) in enumerate(zip(published.bodies, model.links, strict=True)):
        rows.append((f'm_{number}, kg', body.mass, link.inertial.mass))
        moments = np.diag(link.inertial.inertia_about_com)
        rows += [
            (f'I_{number}{axis}{axis}, kg m^2', float(printed), float(value))
            for axis, printed, value in zip('xyz', body.inertia, moments, strict=True)
        ]
        if body.l is not None:
            length = float(np.linalg.norm(link.inertial.com))
            rows.append((f'l_{number}, m', body.l, length))
            is_last = number > len(reaches)
            reach = None if is_last else float(reaches[number - 1] - length)
            rows.append((f'r_{number}, m', body.r, reach))
    motion = published.motion(model.joint_names)
    for letter, coefficients in (('a', motion.sines), ('b', motion.cosines)):
        rows += [
            (f'{letter}_{harmonic}^{joint}, rad/s', float(value), float(value))
            for joint, row in enumerate(coefficients, 1)
            for harmonic, value in enumerate(row, 1)
        ]
    rows += _given(published, model)
    notes = {'r_0': _FIRST_JOINT, 'r_3': _LAST_LINK, 'sigma': _SWAPPED}
    return ComparisonTable(
        'Tables I and II and section V: what is given',
        ('quantity', 'paper', 'ours'),
        tuple(rows),
        row_notes={
            index: note
            for index, (name, printed, ours) in enumerate(rows)
            for start, note in notes.items()
            if name.startswith(start) and printed != ours
        },
    )


def _given(published: PublishedChristidi, model: RobotModel) -> list[tuple[str, float, float]]:
    """Return momentum, attitude, counts and noise."""
    per_root_second = np.sqrt(model.noise.rate)
    rows = [
        (f'h_{axis}, N m s', float(value), float(value))
        for axis, value in zip('xyz', published.angular_momentum, strict=True)
    ]
    rows += [
        (f'attitude {axis}', float(value), float(value))
        for axis, value in zip('xyzw', published.attitude, strict=True)
    ]
    density = model.noise.base_angular_velocity / per_root_second
    hourly = 3600.0 * np.rad2deg([published.gyro_bias, model.sensors.gyro_bias])
    return [
        *rows,
        ('duration, s', published.duration, published.duration),
        ('harmonics', published.harmonics, published.harmonics),
        ('samples', published.measurements, published.measurements),
        ('sigma_omega, Eq. 24, urad/s^(1/2)', 1e6 * published.gyro_bias_walk, 1e6 * density),
        (
            'sigma_b_omega, Eq. 25, urad/s^(3/2)',
            1e6 * published.gyro_white,
            1e6 * model.sensors.gyro_bias_walk,
        ),
        ('first bias, deg/h', float(hourly[0]), float(hourly[1])),
        ('joint angles, rad', published.joint_angle, model.noise.joint_position),
    ]
