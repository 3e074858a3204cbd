"""What a run came to against its own truth: the columns of the table of runs."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
import yaml

from spacerobot_id.estimation.batch.cause import cause_name
from spacerobot_id.estimation.result import Result
from spacerobot_id.flight.recording import Grasp
from spacerobot_id.model import RobotModel, shipped_file
from spacerobot_id.multibody import whole_robot
from spacerobot_id.report.metrics import error_values, relative_to

_LATE = 10.0
"""Time after a grasp within which it must have been announced, s."""


@dataclass(frozen=True)
class Metric:
    """A column of the table of runs: a measure of how good a run was.

    Parameters
    ----------
    unit : str
        SI unit.
    description : str
        What it is.
    is_flag : bool
        Whether it is 1 for true and 0 for false.
    """

    unit: str
    description: str
    is_flag: bool = False


_LIST = shipped_file('config/lab/metrics.yaml').read_text(encoding='utf-8')

METRICS = {name: Metric(**given) for name, given in yaml.safe_load(_LIST).items()}
"""What a requirement can be on, beside the errors of single parameters (``error.NAME``)."""


@dataclass(frozen=True, eq=False)
class Truth:
    """The true robot at the end of a run.

    Parameters
    ----------
    robot : RobotModel
        With what it grasped.
    values : ndarray, shape (p,)
        Its parameters as the method names them.
    grasp : Grasp, optional
        What it grasped.
    begin : float
        When the motion began, s.
    errors : frozenset of str
        Errors of sensors and geometry that were there and not among the unknowns, by the keys of
        the calibrations that would find them.
    """

    robot: RobotModel
    values: NDArray[np.float64]
    grasp: Grasp | None
    begin: float
    errors: frozenset[str] = frozenset()


@dataclass(frozen=True, eq=False)
class Outcome:
    """Metrics and parameters of a run.

    Parameters
    ----------
    metrics : dict of str to float
        Those of ``METRICS``; NaN where a method has none.
    error, std : ndarray, shape (p,)
        Errors of the parameters and their standard deviations.
    identified : ndarray of bool, shape (p,)
        Which parameters are identified.
    causes : str
        Causes of a misfit that were named.
    errors_present : str
        Errors that were there, as of ``Truth``.
    """

    metrics: Mapping[str, float]
    error: NDArray[np.float64]
    std: NDArray[np.float64]
    identified: NDArray[np.bool_]
    causes: str
    errors_present: str = ''


def outcome_of(result: Result, rejected: int, truth: Truth) -> Outcome:
    """Return how far a result is from the truth.

    Parameters
    ----------
    result : Result
        Result of the method.
    rejected : int
        Messages that were not used, and samples.
    truth : Truth
        True robot.
    """
    estimate = result.estimate
    seen = ~np.isin(estimate.names, estimate.not_identified())
    metrics = dict.fromkeys(METRICS, np.nan)
    metrics |= {
        'usable': float(result.is_usable),
        'identified': float(seen.sum()),
        'chi_square': estimate.chi_square,
        'samples': float(estimate.samples),
        'rejected': float(rejected),
        'changes': float(result.changes),
        'cause_named': float(bool(result.causes)),
    }
    if result.causes:
        metrics['cause_right'] = float(cause_name(result.causes[0].description) in truth.errors)
    metrics |= _parameter_metrics(result, seen, truth.values)
    metrics |= _whole_metrics(result, truth.robot)
    metrics |= _detection_metrics(result, truth)
    causes = '; '.join(cause.description for cause in result.causes)
    error = estimate.values - truth.values
    return Outcome(metrics, error, estimate.std, seen, causes, '; '.join(sorted(truth.errors)))


def _parameter_metrics(
    result: Result, seen: NDArray[np.bool_], true: NDArray[np.float64]
) -> dict[str, float]:
    estimate = result.estimate
    if not seen.any() or not np.isfinite(estimate.std[seen]).all():
        return {}
    rows = np.ix_(seen, seen)
    found = error_values(estimate.values[seen], estimate.covariance[rows], true[seen])
    return {
        'median_error': found['median_relative_error'],
        'largest_error': found['max_relative_error'],
        'coverage': found['coverage_95'],
        'nees': found['normalised_squared_error'],
    }


def _whole_metrics(result: Result, robot: RobotModel) -> dict[str, float]:
    """Return the errors of mass, centre of mass and inertia of the whole robot as it stands."""
    true = whole_robot(robot, result.positions)
    found: dict[str, float] = {}
    if result.robot is not None:
        off = relative_to(np.array(true.mass), result.robot.mass - true.mass)
        found['mass_error'] = abs(float(off))
        found['com_error'] = float(np.linalg.norm(result.robot.com - true.com))
    if result.inertia is not None:
        about = true.inertia_about_com
        off = np.linalg.norm(result.inertia - about)
        found['inertia_error'] = float(off / np.linalg.norm(about))
    return found


def _detection_metrics(result: Result, truth: Truth) -> dict[str, float]:
    """Return what was announced of changes of the robot."""
    if truth.grasp is None:
        return {'false_changes': float(result.changes)}
    moment = truth.begin + truth.grasp.time
    delays = [time - moment for time in result.announced if time >= moment]
    is_found = bool(delays) and delays[0] <= _LATE
    found = {
        'grasp_detected': float(is_found),
        'false_changes': float(len(result.announced) - is_found),
    }
    if is_found:
        found['detection_delay'] = float(delays[0])
    if is_found and result.changed:
        mass = sum(body.mass for body in result.changed)
        found['payload_mass_error'] = abs(mass - truth.grasp.payload.body.mass)
    return found
