"""Angular momentum and joint torques together, without accelerations."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_solve, solve_triangular

from spacerobot_id.exceptions import EstimationError
from spacerobot_id.measurement import Record
from spacerobot_id.measurement.stream import Need, StreamNeeds
from spacerobot_id.methods.angular_momentum import AngularMomentum, CALIBRATED, moving_stretch
from spacerobot_id.methods.joint_torque_rows import joint_torque_rows, JointTorqueRows
from spacerobot_id.methods.solution import Solution
from spacerobot_id.model import RobotModel
from spacerobot_id.statistics.square_root_information import SquareRootInformation

if TYPE_CHECKING:
    from spacerobot_id.methods.angular_momentum import AngularMomentum


_SUPPORT, _LEAST_STEPS = 1.0, 12
"""Length of a test function: seconds, and steps between samples at least."""

_HOLE = 2.5
"""Step between two samples, in usual steps, that no integral is taken across."""

_SEGMENT = 1000
"""Samples whose rows are weighted together at most; some integrals are lost between two."""

_DELAY = 0.01
"""How far torques may be from their stamps, standard deviation, s."""

_LINEARISATIONS, _WEIGHINGS = 10, 4
"""Most times that rows are relinearised, and reweighted in between."""

_NEAR, _TOLERANCE = 0.1, 1e-2
"""Largest steps, in standard deviations, that end the one and the other."""

_ROUNDING = 1e-7
"""Least noise of torques, as a share of their root mean square: no sensor is as good."""

_LEAST_SHRINKAGE = 1e-2
"""Factor on the variance of torques that seem to have less noise than none."""

_SHORTER, _MOST_COARSE = 0.8, 2.0
"""Shorter support, as a share, and the most chi-square per row over it: one of white noise."""

_LEAST_ROWS = 2.0
"""Least integrals per unknown: the noise of torques is found from what these leave over."""


def absorb_joint_torques(
    method: 'AngularMomentum',
    record: Record,
    values: NDArray[np.float64],
    information: SquareRootInformation,
) -> SquareRootInformation:
    """Return information with the torques of the joints as further rows.

    The noise of gyro, joint rates and attitude is that of the method; that of the torques, which
    is not stated, is estimated joint by joint from what is left (restricted maximum likelihood).
    A delay common to all torques is integrated out.

    Parameters
    ----------
    method : AngularMomentum
        Robot and noise.
    record : Record
        Samples in the order of time, with torques.
    values : ndarray, shape (u,)
        Unknowns to linearise about first.
    information : SquareRootInformation
        What is known of the u unknowns from the angular momentum.

    Raises
    ------
    EstimationError
        If torques are missing, a wheel sits on a link that moves, or samples follow one another
        nowhere for the length of a test function.
    """
    check_torques(method.model, record)
    if not method.model.joints:
        return information
    found = _fitted(method, record, values, information)
    return found.information.of_first(len(information.target))


def _fitted(
    method: 'AngularMomentum',
    record: Record,
    values: NDArray[np.float64],
    information: SquareRootInformation,
) -> '_Weighted':
    """Return what is known with the torques, their delay the last unknown, and their noise."""
    step = float(np.median(np.diff(record.times))) if len(record) > 1 else 0.0
    support = max(_SUPPORT, _LEAST_STEPS * step)
    segments = _segments(record, step, support)
    if not segments:
        raise EstimationError(
            f'joint torques need samples without a hole for {support:g} s at least'
        )
    known = _with_delay(information)
    values = np.append(values, 0.0)
    std, least = None, _ROUNDING * float(np.sqrt(np.mean(record.joint_torque**2)))
    for _ in range(_LINEARISATIONS):
        rows = [joint_torque_rows(method, each, values[:-1], support) for each in segments]
        std = _first_std(rows, values) if std is None else std
        found = _weighted(known, rows, values, np.maximum(std, least))
        moved = found.information.deviations(found.information.values() - values)
        values, std = found.information.values(), found.torque_std
        if moved < _NEAR:
            break
    count = sum(len(each.right) for each in rows)
    if count < _LEAST_ROWS * len(values):
        return replace(found, shortage=f'{count} integrals are too few for {len(values)} unknowns')
    support *= _SHORTER
    rows = [joint_torque_rows(method, each, values[:-1], support) for each in segments]
    chi_square = _chi_square(rows, values, np.maximum(std, least))
    if chi_square < _MOST_COARSE:
        return found
    return replace(found, shortage=f'chi-square over {support:.2g} s is {chi_square:.3g}, not 1')


def _chi_square(
    rows: Sequence[JointTorqueRows], values: NDArray[np.float64], std: NDArray[np.float64]
) -> float:
    """Return the mean square of what rows leave over, each in its own standard deviations."""
    left = [(each.right - each.matrix @ values, _factor(each, std)) for each in rows]
    squares = [error**2 / np.sum(factor**2, axis=1) for error, factor in left]
    return float(np.mean(np.concatenate(squares)))


def check_torques(model: RobotModel, record: Record) -> None:
    """Raise an ``EstimationError`` if torques cannot be used, with the reason."""
    if record.joint_torque is None or not np.isfinite(record.joint_torque).all():
        raise EstimationError('this method needs the torques of all joints (effort)')
    for wheel in model.wheels:
        if wheel.link:
            raise EstimationError(f'{wheel.name}: torques take wheels on the base only')


@dataclass(frozen=True, eq=False)
class _Weighted:
    """What is known with torques, the noise found in these, shape (n,), and why it may not hold.

    Where samples are too coarse for the motion, sums are no integrals: over a shorter support
    chi-square is then far above one.
    """

    information: SquareRootInformation
    torque_std: NDArray[np.float64]
    shortage: str = ''


def _segments(record: Record, step: float, support: float) -> list[Record]:
    """Return stretches without a hole, each long enough for a test function."""
    holes = np.flatnonzero(np.diff(record.times) > _HOLE * step) + 1
    segments = []
    for stretch in np.split(np.arange(len(record)), holes):
        parts = max(1, round(len(stretch) / _SEGMENT))
        segments += [record[rows] for rows in np.array_split(stretch, parts)]
    return [each for each in segments if each.times[-1] - each.times[0] >= support]


def _with_delay(information: SquareRootInformation) -> SquareRootInformation:
    """Return information with a delay as the last unknown, about zero."""
    count = len(information.target)
    factor = np.zeros((count + 1, count + 1))
    factor[:count, :count], factor[count, count] = information.factor, 1.0 / _DELAY
    target = np.append(information.target, 0.0)
    return SquareRootInformation(factor, target, information.residual, information.rows)


def _first_std(
    rows: Sequence[JointTorqueRows], values: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the torques' noise if all that is left were of it, shape (n,)."""
    squares, weights = 0.0, 0.0
    for each in rows:
        left = (each.right - each.matrix @ values).reshape(len(each.of_torques), -1)
        squares += np.sum(left**2, axis=0)
        weights += np.trace(each.of_torques)
    return np.sqrt(np.maximum(squares / weights, np.finfo(float).tiny))


def _weighted(
    known: SquareRootInformation,
    rows: Sequence[JointTorqueRows],
    values: NDArray[np.float64],
    std: NDArray[np.float64],
) -> _Weighted:
    """Return the solution of some rows, weighted until the torques' noise is what is left."""
    information = known
    for _ in range(_WEIGHINGS):
        information = known
        factors = [_factor(each, std) for each in rows]
        for each, factor in zip(rows, factors, strict=True):
            both = np.column_stack([each.matrix, each.right])
            whitened = solve_triangular(factor, both, lower=True)
            information = information.absorb(whitened[:, :-1], whitened[:, -1])
        moved = information.deviations(information.values() - values)
        values = information.values()
        std = _scored(rows, factors, information, std)
        if moved < _TOLERANCE:
            break
    return _Weighted(information, std)


def _factor(rows: JointTorqueRows, std: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the lower root of the covariance of rows."""
    return np.linalg.cholesky(rows.of_rates + np.kron(rows.of_torques, np.diag(std**2)))


def _scored(
    rows: Sequence[JointTorqueRows],
    factors: Sequence[NDArray[np.float64]],
    information: SquareRootInformation,
    std: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the torques' noise after a step of Fisher scoring, shape (n,).

    It rests where the squares of what is left are those that the noise should leave, less what
    the unknowns have taken up (restricted maximum likelihood).
    """
    values, joints = information.values(), len(std)
    surplus, weight = np.zeros(joints), np.zeros((joints, joints))
    for each, factor in zip(rows, factors, strict=True):
        shape = len(each.of_torques), joints
        left = cho_solve((factor, True), each.right - each.matrix @ values).reshape(shape)
        inverse = cho_solve((factor, True), np.eye(len(factor)))
        taken = information.whitened(inverse @ each.matrix)
        free = (inverse - taken @ taken.T).reshape(*shape, *shape)
        through = np.tensordot(each.of_torques, free, axes=1)
        surplus += np.sum(left * (each.of_torques @ left), axis=0)
        surplus -= np.einsum('ajaj->j', through)
        weight += np.einsum('aibj,bjai->ij', through, through)
    variance = std**2 + np.linalg.solve(weight, surplus)
    return np.sqrt(np.maximum(variance, _LEAST_SHRINKAGE * std**2))


@dataclass(frozen=True, eq=False)
class AngularMomentumAndTorques(AngularMomentum):
    """Output error of the gyro, then Lagrange's equations of the joints in weak form."""

    name: ClassVar[str] = 'angular_momentum_and_torques'
    summary: ClassVar[str] = 'angular momentum, and joint torques without accelerations'
    needs: ClassVar[StreamNeeds] = StreamNeeds(
        joints=Need.NEEDED,
        gyro=Need.NEEDED,
        velocity=Need.UNUSED,
        pose=Need.USED,
        torque=Need.NEEDED,
    )

    takes: ClassVar[frozenset[str]] = AngularMomentum.takes - CALIBRATED

    def prepared(self, record: Record) -> Record:
        """Return the samples whose attitude is known; torques are checked."""
        check_torques(self.model, record)
        return super().prepared(record)

    def usable(self, record: Record, *, begun: bool = False) -> Record:
        """Return the samples from the first in which something moves to the last."""
        return moving_stretch(self, record)

    def finished(self, record: Record, solution: Solution) -> Solution:
        """Return the fit with the torques of the joints as further rows."""
        if not self.model.joints:
            return solution
        found = _fitted(self, record, solution.values, solution.information)
        short = solution.shortages
        if found.shortage:
            advice = 'log them at a higher rate, move for longer or more slowly'
            short += (f'joint torques: {found.shortage}; {advice}',)
        information = found.information.of_first(len(solution.values))
        return replace(solution, information=information, shortages=short)
