"""One run of a campaign: draw, fly, identify, judge against its own truth.

A run depends on the texts of the campaign, the plan and its index alone, whichever process runs it
and whatever ran before.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib import import_module
import time
from types import ModuleType
import warnings
import zlib

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.estimation.batch.identify import identify, log_from_streams, RecordedLog
from spacerobot_id.estimation.result import Result
from spacerobot_id.estimation.settings import true_parameters
from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.excitation.planner import plan_excitation
from spacerobot_id.excitation.trajectory.approach import with_approach
from spacerobot_id.excitation.trajectory.trajectory import ExcitingMotion
from spacerobot_id.flight.conserved_flight import actuator_columns
from spacerobot_id.flight.recording import fly
from spacerobot_id.lab.campaign.campaign_file import Campaign
from spacerobot_id.lab.campaign.draws.dispersions import RunSetting
from spacerobot_id.lab.campaign.draws.keys import setting_with, values_of
from spacerobot_id.lab.campaign.outcome import Outcome, outcome_of, Truth
from spacerobot_id.lab.faults import as_found, injected, Occurrence
from spacerobot_id.measurement.bag.reader import streams_of_readings
from spacerobot_id.measurement.log_record import readings_in_order
from spacerobot_id.measurement.streams.log_streams import BagStreams, LOG_STREAMS
from spacerobot_id.model import RobotModel
from spacerobot_id.multibody.free_floating.planned_base import KnownMomentum
from spacerobot_id.simulation.dynamic.plant import with_body


def library(name: str) -> ModuleType:
    """Return a module of an optional library.

    Raises
    ------
    ConfigurationError
        If it is not installed; the message has the command that installs it.
    """
    try:
        return import_module(name)
    except ImportError:
        package = name.partition('.')[0]
        raise ConfigurationError(
            f'campaigns need {package}, which is not installed: pip install '
            "'spacerobot_id[lab]', or pip install 'dask[distributed]' pyarrow bokeh"
        ) from None


_DELAYED = {
    'delay.imu': 'imu/data',
    'delay.base_twist': 'base_twist',
    'delay.base_pose': 'base_pose',
}
"""Streams by the calibrations of their delays."""

_OF_SENSORS = (
    'gyro_mounting',
    'gyro_scale',
    'twist_point',
    'twist_mounting',
    'twist_scale',
    'pose_point',
    'pose_mounting',
)
"""Calibrations that are three numbers of the sensors, of the same names."""

_ROUNDING = 1e-12

_TURNS = 'angular_momentum'
"""How methods are called that plan with a known angular momentum."""


def with_faults(
    model: RobotModel,
    streams: BagStreams,
    faults: Mapping[str, Occurrence],
    begin: float,
    seed: int,
) -> tuple[BagStreams, dict[str, Occurrence]]:
    """Return the streams of a flight with faults in them, and the faults as messages show them.

    Parameters
    ----------
    model : RobotModel
        Robot that flew.
    streams : BagStreams
        Streams of its flight.
    faults : mapping of str to Occurrence
        Faults by name; their times are counted from when the motion begins.
    begin : float
        When it does, s.
    seed : int
        Seed of all that is random in them; each fault has its own numbers by its name.

    Raises
    ------
    MeasurementError
        If messages of a stream contradict each other then, as by a frame that changes.
    """
    if not faults:
        return streams, {}
    messages, found = list(readings_in_order(model, streams)), {}
    for name, fault in faults.items():
        wanted = replace(fault, begin=begin + fault.begin)
        changed = injected(model, messages, wanted, (seed, zlib.crc32(name.encode())))
        shown = as_found(model, messages, changed, wanted)
        found[name] = replace(shown, begin=shown.begin - begin)
        messages = changed
    measured = streams_of_readings('messages with faults', messages)
    truth = {name: getattr(streams, name) for name in ('true_joints', 'true_pose', 'true_twist')}
    return replace(measured, **truth), found


def _true_errors(used: RunSetting, prior: RobotModel) -> frozenset[str]:
    """Return the calibrations whose unknowns are not zero in a run, by what it was flown with."""
    robot, sensors, start = used.robot, used.robot.sensors, used.start
    found = {key for key in _OF_SENSORS if any(getattr(sensors, key))}
    beside = sensors.stream('joint_states').delay
    late = {each.fault.key.removeprefix('F16 skew ') for each in used.faults.values()}
    found |= {
        key
        for key, stream in _DELAYED.items()
        if sensors.stream(stream).delay != beside or stream in late
    }
    there = {
        'encoder_offset': any(sensors.encoder_offset.values()),
        'gyro_bias': bool(sensors.gyro_bias or sensors.gyro_bias_walk),
        'angular_momentum': _is_some(start.angular_momentum),
        'linear_momentum': _is_some(start.linear_momentum),
    }
    pairs = zip(_geometry(robot), _geometry(prior), strict=True)
    moved = (_is_some(true - described) for true, described in pairs)
    there |= zip(('joint_axis', 'joint_origin', 'wheel_scale'), moved, strict=True)
    return frozenset(found | {key for key, is_there in there.items() if is_there})


def _is_some(numbers: ArrayLike) -> bool:
    """Return whether any of some numbers is more than rounding."""
    return bool((np.abs(numbers) > _ROUNDING).any())


def _geometry(robot: RobotModel) -> tuple[NDArray[np.float64], ...]:
    """Return axes and origins of the joints, and spin inertias of the wheels."""
    joints = robot.tree_joints
    return (
        np.array([joint.R_PC for joint in joints]),
        np.array([joint.p_PC_P for joint in joints]),
        np.array([wheel.spin_inertia for wheel in robot.wheels]),
    )


@dataclass(frozen=True, eq=False)
class Run:
    """What is kept of a run.

    Parameters
    ----------
    index : int
        Its index.
    error : str
        Why it has no outcome; empty if it has one.
    drawn : mapping of str to float
        What was drawn, by key, SI units.
    read : mapping of str to float
        The same read back from the objects that it was flown with; what was not reached is
        missing.
    not_applied : tuple of str
        Keys that it was not flown with as they were drawn.
    outcome : Outcome, optional
        What it came to.
    seconds : float
        How long it took, s of wall time.
    """

    index: int
    error: str
    drawn: Mapping[str, float]
    read: Mapping[str, float]
    not_applied: tuple[str, ...]
    outcome: Outcome | None
    seconds: float


@dataclass(frozen=True, eq=False)
class FlownRun:
    """All that a run was made of, for a page and a bag.

    Parameters
    ----------
    streams : BagStreams
        Messages, faults among them.
    recorded : RecordedLog
        The samples that they make.
    result : Result
        What the method found.
    truth : Truth
        True robot at its end.
    """

    streams: BagStreams
    recorded: RecordedLog
    result: Result
    truth: Truth


def planned(campaign: Campaign, seed: int | None = None) -> ExcitingMotion:
    """Return the motion of a campaign, planned with the prior from the nominal start.

    Parameters
    ----------
    campaign : Campaign
        Campaign.
    seed : int, optional
        Seed of the search in place of that of the settings.

    Raises
    ------
    PlanningError
        If a limit leaves no motion.
    """
    settings = campaign.plan.settings
    settings = settings if seed is None else replace(settings, seed=seed)
    start, method = campaign.nominal.start, campaign.identify.method
    momentum = None
    if method.startswith(_TURNS) and any(start.angular_momentum):
        momentum = KnownMomentum(start.angular_momentum, start.quaternion)
    wheels = 0 if momentum is not None else len(campaign.prior.wheels)
    present = np.array([*start.joints.values(), *np.zeros(wheels)])
    return plan_excitation(
        campaign.prior, present, settings, method=method, momentum=momentum
    ).plan


def flown_run(campaign: Campaign, index: int) -> tuple[Run, FlownRun | None]:
    """Return what is kept of a run, and all that it was made of; None of one that fails.

    Parameters
    ----------
    campaign : Campaign
        Campaign.
    index : int
        Index of the run.
    """
    begin, drawn = time.perf_counter(), campaign.draws.of_run(index)
    read: dict[str, float] = {}
    flown, error, outcome = None, '', None
    try:
        with warnings.catch_warnings():  # what is wrong with a run is in its outcome
            warnings.simplefilter('ignore')
            flown = _flown(campaign, index, drawn, read)
            result, log = flown.result, flown.recorded.log
            rejected = log.rejected.total() + sum(result.rejected.values())
            outcome = outcome_of(result, rejected, flown.truth)
    except Exception as problem:
        flown, error = None, f'{type(problem).__name__}: {problem}'
    missed = tuple(
        name
        for name, value in drawn.items()
        if read and not campaign.keys[name].is_at(value, read.get(name, np.nan))
    )
    run = Run(index, error, drawn, read, missed, outcome, time.perf_counter() - begin)
    return run, flown


def _flown(
    campaign: Campaign, index: int, drawn: Mapping[str, float], read: dict[str, float]
) -> FlownRun:
    """Fly and identify; what was flown with is read back before anything can fail after it."""
    prior, settings, seed = campaign.prior, campaign.identify, campaign.draws.noise_seed(index)
    setting = setting_with(campaign.nominal, drawn)
    plan = campaign.motion
    if plan is None:
        plan = planned(campaign, campaign.draws.plan_seed(index))
    motion = _led(prior, tuple(setting.start.joints.values()), plan)
    flight = fly(setting.robot, motion, prior, setting.flown_with(campaign.flight, seed))
    streams, faults = with_faults(prior, flight.streams, setting.faults, flight.begin, seed)
    used = RunSetting.of_flight(flight, faults)
    read |= values_of(used, campaign.nominal, drawn.keys())
    streams = _with_messages(streams)
    recorded = log_from_streams(prior, streams, settings)
    result = identify(
        recorded.log.measurement, recorded.method, settings.recursion, with_links=False
    )
    robot = flight.robot
    if flight.grasp is not None:
        robot = with_body(robot, flight.grasp.payload)
    true = true_parameters(settings, robot, result.estimate.names)
    errors = _true_errors(used, prior) & recorded.method.candidate_errors.keys()
    truth = Truth(robot, true, flight.grasp, flight.begin, errors)
    return FlownRun(streams, recorded, result, truth)


def _led(prior: RobotModel, joints: tuple[float, ...], plan: ExcitingMotion) -> ExcitingMotion:
    """Return a plan with an approach from where the joints are, if they are not at its start."""
    _, wheels = actuator_columns(prior, plan)
    motion = plan.reordered((*prior.joint_names, *prior.wheel_names))
    begin = plan.sample([0.0]).position[0]
    return with_approach(prior, np.concatenate([joints, begin[wheels]]), motion)


def _with_messages(streams: BagStreams) -> BagStreams:
    """Return streams without those that no message came of, as a log would have them."""
    present: dict[str, object] = {}
    for name in LOG_STREAMS:
        stream = getattr(streams, name)
        if stream is not None and not len(stream.stamps):
            present[name] = None
    return replace(streams, **present)
