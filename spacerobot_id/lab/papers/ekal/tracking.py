"""Predictive control beside the plain one on a few flights of [Ekal 2019]."""

from dataclasses import replace
import importlib.util

import numpy as np
from scipy.spatial.transform import Rotation

from spacerobot_id.excitation.trajectory.periodic_fourier import PeriodicFourierMotion
from spacerobot_id.excitation.trajectory.trajectory import FreeFlyerReference
from spacerobot_id.kinematics import PoseMotion
from spacerobot_id.lab.papers.ekal.estimation import collect, estimate_flight, METHODS
from spacerobot_id.lab.papers.ekal.study import EkalCase, EkalSettings, measured_record
from spacerobot_id.model import InertialParameters, RobotModel
from spacerobot_id.simulation import (
    fly,
    FreeFlyerFlight,
    PredictiveControl,
    SaturatedTracking,
)

CONTROLS = ('saturated', 'predictive')
"""The plain control, and that of section 4.2."""

_CYCLES = 3
"""Cycles flown: predictive control takes its time."""


def has_predictive_control() -> bool:
    """Return whether CasADi is there."""
    return importlib.util.find_spec('casadi') is not None


def tracked_flight(
    control: str,
    robot: RobotModel,
    load: InertialParameters,
    motion: PeriodicFourierMotion,
    case: EkalCase,
    settings: EkalSettings,
) -> tuple[float, ...]:
    """Return how a control tracked a motion for a few cycles, within the thrusts.

    Parameters
    ----------
    control : str
        One of ``CONTROLS``.
    robot : RobotModel
        The robot without its load, as the control knows it.
    load : InertialParameters
        The body that flies.
    motion : PeriodicFourierMotion
        What it should do.
    case : EkalCase
        Where the motion is from.
    settings : EkalSettings
        Step and seed.

    Returns
    -------
    tuple of 9 floats
        Root mean square distance (m) and angle (rad) from the reference, share of the time in
        which a propeller was at its limit, %, and relative errors of mass, offset and inertia by
        least squares and by likelihood, %.
    """
    steps = round(_CYCLES * motion.period / settings.step)
    sampled = FreeFlyerReference(motion).sample(settings.step * np.arange(steps))
    names = PoseMotion.__dataclass_fields__
    reference = PoseMotion(*(getattr(sampled, name)[None] for name in names))
    alone, propellers = robot.links[0].inertial.vector, robot.actuators.propellers
    if control == 'predictive':
        chosen = PredictiveControl(alone, propellers, reference, settings.step)
    else:
        chosen = SaturatedTracking(alone, reference)
    flight = fly([load.vector], chosen, steps, settings.step, propellers)
    record = measured_record(flight, 0, robot, settings.seed + 2)
    estimates = estimate_flight(record, motion.period, robot)
    limited = replace(case, limited=True)
    errors = collect(limited, robot, [load], flight, [estimates]).relative
    of_methods = (errors[METHODS.index(name), 0] for name in ('least squares', 'likelihood'))
    saturated = 100.0 * flight.saturated_share[0]
    return (*_tracking_errors(flight, reference), saturated, *np.concatenate([*of_methods]))


def _tracking_errors(flight: FreeFlyerFlight, reference: PoseMotion) -> tuple[float, float]:
    """Return the root mean square distance (m) and angle (rad) of the first flight."""
    states = flight.states[0, :-1]
    away = np.linalg.norm(states[:, :3] - reference.position[0], axis=1)
    wanted = Rotation.from_matrix(reference.rotation[0])
    turned = (wanted.inv() * Rotation.from_quat(states[:, 3:7])).magnitude()
    return float(np.sqrt(np.mean(away**2))), float(np.sqrt(np.mean(turned**2)))
