"""Momentum balance on an air-bearing table, MuJoCo as the plant: intervals, and what they cost.

The shipped robot, drawn for every seed: strengths 30 % off, 15 % lost per further open valve,
20 ms dead time, 150 ms delay, pulses that scatter by 15 %, a table tilted by 6 mN; motion capture
at 10 Hz, by a clock that is up to 1 s off in every flight, stamped as it is received after up to
40 ms, by ticks of 50 ms; encoders in steps of 1.5 mrad; the mass weighed to 0.1 %. The same with
one strength known and not the mass. Then with one unknown less, each in turn. Errors are compared
with those that the information makes likely, which is the Cramer-Rao bound's: its median is 0.6745
deviations. The clock's is not counted: how late frames are received on average is part of it.
Run with ``python benchmarks/balance.py [SEEDS] [FLIGHTS] [CASES]``, 5 draws of 3 flights by
default; CASES is how many of the cases, all by default.
"""

from dataclasses import dataclass, replace
from pathlib import Path
import sys
import time

from accuracy import squared_error
import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2, norm
from timing import print_machine, print_table

sys.path.insert(0, str(Path(__file__).parents[1] / 'test' / 'support'))

from air_bearing import air_bearing
from thruster_flights import fly, Motion, sensed, Sensing, Truth, valves

from spacerobot_id.estimation.states.fit import StatesFit
from spacerobot_id.estimation.states.flights_fit import fit_flights
from spacerobot_id.exceptions import EstimationError
from spacerobot_id.measurement import Record
from spacerobot_id.methods.balance.actuators.actuator_settings import ActuatorSettings
from spacerobot_id.methods.calibrations.calibration import CalibrationSettings
from spacerobot_id.methods.momentum_balance import MomentumBalance
from spacerobot_id.methods.settings import PriorSettings
from spacerobot_id.model import RobotModel

DURATION = 60.0
UNKNOWN = ActuatorSettings(
    strength=0.3, strength_loss=0.2, dead_time=0.03, delay_wrench=0.2, disturbance_force=0.02
)
CLOCK = CalibrationSettings(delay_base_pose=1.0)
RECEIVED = Sensing(encoder_step=1.5e-3, on_receipt=0.05, transport=0.04)
TRUTH = Truth(loss=0.15, dead_time=0.02, delay=0.15, scatter=0.15)
LIKELY = float(norm.ppf(0.75))
"""Median of the errors that information makes likely, in deviations."""

WEIGHED, UNWEIGHED = PriorSettings(1.0, 1e-3), PriorSettings(1.0)
KNOWN, NO_CLOCK = 'one strength known, no mass', 'no clock'
CASES = {
    'all unknowns': {},
    KNOWN: {'known_strengths': ('thruster_1',)},
    'strengths as stated': {'strength': 0.0},
    'no loss': {'strength_loss': 0.0},
    'no dead time': {'dead_time': 0.0},
    'no delay': {'delay_wrench': 0.0},
    'no tilt': {'disturbance_force': 0.0},
    NO_CLOCK: {},
}


@dataclass(frozen=True, eq=False)
class Draw:
    """Records of flights of one robot, the truth of it, and its description."""

    records: list[Record]
    truth: Truth
    prior: RobotModel


def described(rng: np.random.Generator) -> RobotModel:
    """Return a description whose parameters are some 20 % off, and whose mass was weighed."""
    robot = air_bearing()
    links = [link.inertial for link in robot.links]
    vectors = []
    for body in links:
        mass = body.mass * (1.0 + 0.1 * rng.uniform(-1.0, 1.0))
        com = body.com + 0.02 * rng.uniform(-1.0, 1.0, 3)
        inertia = body.inertia_about_com * (1.0 + 0.2 * rng.uniform(-1.0, 1.0))
        vectors.append(type(body).from_com(mass, com, inertia).vector)
    vector = np.concatenate(vectors)
    mass = sum(body.mass for body in links)
    mass *= 1.0 + WEIGHED.scale_std * rng.spawn(1)[0].normal()
    vector[6] += mass - vector[6::10].sum()
    return robot.with_parameters(vector)


def records(
    seed: int, flights: int, duration: float = DURATION
) -> tuple[Truth, RobotModel, list[Record]]:
    """Return what is injected, the description, and what sensors see, drawn at random."""
    rng = np.random.default_rng(seed)
    tilt = rng.uniform(0.0, 2.0 * np.pi)
    truth = replace(
        TRUTH,
        strength=0.3 * rng.uniform(-1.0, 1.0, 8),
        force=6e-3 * np.array([np.cos(tilt), np.sin(tilt), 0.0]),
    )
    robot, prior = air_bearing(), described(rng)
    found = []
    for _ in range(flights):
        joints, wheels = Motion.drawn(3, 0.8, rng), Motion.drawn(0, 1.0, rng)
        thrust = valves(8, duration, rng)
        flown = fly(robot, truth, joints, wheels, thrust, duration, rng, planar=True)
        late = replace(truth, clock=rng.uniform(-1.0, 1.0))
        found.append(sensed(robot, flown, late, RECEIVED, rng))
    return truth, prior, found


def drawn(seed: int, flights: int) -> Draw:
    """Return some flights of a robot drawn at random."""
    truth, prior, found = records(seed, flights)
    return Draw(found, truth, prior)


@dataclass(frozen=True, eq=False)
class Found:
    """Errors of what is seen, in deviations and by the full covariance, and what else a fit gives.

    Parameters
    ----------
    off : ndarray, shape (s,)
        Errors of all unknowns that show, in standard deviations.
    square : float
        Their squared error by the full covariance, per unknown.
    median : float
        Median relative error of the parameters.
    scatter, seconds : float
        Scatter of the pulses that was found, and processor time, s.
    """

    off: NDArray[np.float64]
    square: float
    median: float
    scatter: float
    seconds: float


def method_of(draw: Draw, name: str) -> MomentumBalance:
    """Return the method of a case for a robot as described, one strength measured if known."""
    prior, weighed = draw.prior, WEIGHED
    if name == KNOWN:
        first, *others = prior.thrusters
        measured = replace(first, strength=first.strength * (1.0 + draw.truth.strength[0]))
        prior, weighed = replace(prior, thrusters=(measured, *others)), UNWEIGHED
    return MomentumBalance(
        prior,
        planar=True,
        prior_settings=weighed,
        actuators=replace(UNKNOWN, **CASES[name]),
        calibration=CalibrationSettings() if name == NO_CLOCK else CLOCK,
    )


def errors(draw: Draw, name: str) -> Found | None:
    """Return what a fit of one draw comes to; None where it is refused."""
    method, injected = method_of(draw, name), np.array(draw.truth.strength)
    if name == KNOWN:
        injected[0] = 0.0
    begin = time.process_time()
    try:
        fit = fit_flights(
            method, [method.flight(each) for each in draw.records]
        )  # strengths as described
    except EstimationError:
        return None
    seconds = time.process_time() - begin
    count, unknowns = len(method.minimal), method.unknowns
    true = {
        **{
            f'strength.{each.name}': s
            for each, s in zip(draw.prior.thrusters, injected, strict=True)
        },
        'strength_loss': draw.truth.loss,
        'dead_time': draw.truth.dead_time,
        'delay.wrench': draw.truth.delay,
        'disturbance.fx': draw.truth.force[0],
        'disturbance.fy': draw.truth.force[1],
        'delay.base_pose': np.nan,
    }
    truth = np.array([true.get(each, 0.0) for each in unknowns.names])
    truth[:count] = method.minimal.values(air_bearing())
    return judged(method, fit, truth, np.abs(truth[:count]), seconds)


def judged(
    method: MomentumBalance,
    fit: StatesFit,
    truth: NDArray[np.float64],
    size: NDArray[np.float64],
    seconds: float,
) -> Found:
    """Return what a fit comes to beside the truth, (u,); parameters of a size, (p,).

    What has no truth is NaN.
    """
    covariance = fit.information.covariance()
    std = np.sqrt(np.diag(covariance))
    prior = method.prior()
    before = np.sqrt(np.diag(prior.linearised(prior.mean).covariance()))
    seen = (std < 0.5 * before) & ~np.isnan(truth)
    error = fit.values - truth
    shown = np.flatnonzero(seen[: len(size)])
    return Found(
        (error / std)[seen],
        squared_error(error[seen], covariance[np.ix_(seen, seen)]),
        float(np.median(np.abs(error[shown]) / size[shown])),
        fit.sizes['scatter'],
        seconds,
    )


HEADS = (
    *('unknown', 'refused', 'inside 95 %, %', 'normalised squared error', 'median error, %'),
    *("over the bound's", 'scatter found', 'seconds'),
)


def summary(name: str, every: list[Found | None]) -> list[str]:
    """Return a row of the table of all draws of a case."""
    found = [each for each in every if each is not None]
    refused = f'{len(every) - len(found)} of {len(every)}'
    if not found:
        return [name, refused, *[''] * (len(HEADS) - 2)]
    off = np.concatenate([each.off for each in found])
    bounds = chi2.ppf([0.025, 0.975], off.size) / off.size
    square = np.average([each.square for each in found], weights=[each.off.size for each in found])
    return [
        name,
        refused,
        f'{100.0 * np.mean(np.abs(off) < 1.96):.1f}',
        f'{square:.2f} ({bounds[0]:.2f}-{bounds[1]:.2f})',
        f'{100.0 * np.median([each.median for each in found]):.2f}',
        f'{np.median(np.abs(off)) / LIKELY:.2f}',
        f'{np.median([each.scatter for each in found]):.3f}',
        f'{np.mean([each.seconds for each in found]):.1f}',
    ]


def main() -> None:
    """Fly, identify and print."""
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    flights = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    cases = list(CASES)[: int(sys.argv[3]) if len(sys.argv) > 3 else None]
    print_machine()
    draws = [drawn(seed, flights) for seed in range(seeds)]
    rows = []
    for name in cases:
        rows.append(summary(name, [errors(draw, name) for draw in draws]))
        print(rows[-1], file=sys.stderr, flush=True)
    print(f'\nAir-bearing robot, {seeds} draws of {flights} flights of {DURATION:g} s')
    print_table(list(HEADS), rows)


if __name__ == '__main__':
    main()
