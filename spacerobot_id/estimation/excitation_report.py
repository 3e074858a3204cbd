"""What a motion will show of each parameter, before anything is fitted.

The rows of the output error are taken at the description's values, so that only the motion
matters: covariance after it, against what the description leaves open before.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.estimation.batch.gauss_newton import absorb_rows
from spacerobot_id.estimation.estimate import regressor_condition, shrunk_combinations
from spacerobot_id.measurement import Record
from spacerobot_id.measurement.record import stands_still
from spacerobot_id.methods.derived_rates import at_calm_rates
from spacerobot_id.methods.method import gram, Method
from spacerobot_id.model import JointType, RobotModel

_WELL, _WEAKLY = 0.1, 0.5
"""Shares of the uncertainty before up to which a parameter is seen well, and weakly."""

_SHORT = 0.2
"""Travel of a joint that is named where its link is not seen; rad or m."""

_TURNING = 1e-3
"""Rate of a wheel that counts, rad/s."""

_ONE_AXIS = 0.05
"""Share of the base's turning about other axes up to which it turns about one alone."""


class Visibility(Enum):
    """How well a motion shows a parameter."""

    WELL = 'seen well'
    WEAKLY = 'seen weakly'
    NOT = 'not seen'


@dataclass(frozen=True)
class ParameterExcitation:
    """What a motion shows of one parameter.

    Parameters
    ----------
    name, unit : str
        Name and unit.
    description : float
        Value of the description.
    before, after : float
        Standard deviations: what the description leaves open, and what is to be expected.
    visibility : Visibility
        How well it is seen.
    sentence : str
        The same as a sentence, with a reason where it is not seen well.
    """

    name: str
    unit: str
    description: float
    before: float
    after: float
    visibility: Visibility
    sentence: str


@dataclass(frozen=True)
class ExcitationReport:
    """What a motion shows.

    Parameters
    ----------
    samples : int
        Samples in which something moves.
    rank, total : int
        Combinations of parameters that the motion shows, and how many there are.
    condition : float
        Condition number of the momentum regressor; infinite where something stays hidden.
    parameters : tuple of ParameterExcitation
        Each minimal parameter.
    """

    samples: int
    rank: int
    total: int
    condition: float
    parameters: tuple[ParameterExcitation, ...]

    def count(self, visibility: Visibility) -> int:
        """Return how many parameters are seen so."""
        return sum(each.visibility is visibility for each in self.parameters)

    def to_dict(self) -> dict[str, object]:
        """Return plain values."""
        return {
            'summary': self.summary(),
            'samples': self.samples,
            'rank': self.rank,
            'total': self.total,
            'condition_number': self.condition if np.isfinite(self.condition) else None,
            'parameters': [
                {
                    'name': each.name,
                    'unit': each.unit,
                    'description': each.description,
                    'std_before': each.before,
                    'std_expected': each.after,
                    'visibility': each.visibility.value,
                    'words': each.sentence,
                }
                for each in self.parameters
            ],
        }

    def lines(self, *, everything: bool) -> Iterator[str]:
        """Yield the summary, then a line for each parameter, or for those not seen well."""
        yield f'before fitting: {self.summary()}'
        width = max(len(each.name) for each in self.parameters)
        for each in self.parameters:
            if everything or each.visibility is not Visibility.WELL:
                yield f'  {each.name:<{width}}  {each.sentence}'

    def summary(self) -> str:
        """Return all of it in a sentence."""
        counts = ', '.join(f'{self.count(each)} {each.value}' for each in Visibility)
        condition = f'{self.condition:.4g}' if np.isfinite(self.condition) else 'infinite'
        return (
            f'{self.samples} samples with motion show {self.rank} of {self.total} combinations '
            f'of parameters: {counts}; condition number {condition}'
        )


def excitation_report(
    method: Method,
    record: Record,
) -> ExcitationReport | None:
    """Return what a motion shows of each parameter, before any fit.

    Parameters
    ----------
    method : Method
        Robot, noise and unknowns.
    record : Record
        Samples of the motion, measured or planned.

    Returns
    -------
    ExcitationReport
        Ranks, standard deviations and sentences; None for a method whose readings follow from
        whole stretches of samples.
    """
    if method.solves_at_once:
        return None
    moved = _Moved.of(method, record)
    prior = method.prior()
    p = method.unknowns.parameters
    information = prior.linearised(prior.mean)
    before = information.covariance()[:p, :p]
    if len(moved.samples):
        started = method.since(float(moved.samples.times[0]))
        information = absorb_rows(started, moved.samples, prior.mean, information, predicted=True)
    after = information.covariance()[:p, :p]
    spread = _Spread(before, after, np.linalg.norm(information.factor[:, :p], axis=0))
    parameters = tuple(_parameter(moved, index, prior.mean[:p], spread) for index in range(p))
    return ExcitationReport(
        len(moved.samples),
        shrunk_combinations(after, before),
        p,
        regressor_condition(gram(method, moved.samples)),
        parameters,
    )


@dataclass(frozen=True, eq=False)
class _Moved:
    """The samples in which something moves, and how far everything goes in them."""

    method: Method
    samples: Record
    travel: NDArray[np.float64]
    still: NDArray[np.bool_]
    wheels_turn: bool
    turns_about_one_axis: bool

    @classmethod
    def of(cls, method: Method, record: Record) -> '_Moved':
        """Return them; joints that stand still have no rate, whatever their noise."""
        samples = at_calm_rates(record)[method.is_moving(record)]
        travel = samples.travel()
        still = stands_still(travel, method.model.noise.joint_position)
        samples = replace(samples, qd=np.where(still, 0.0, samples.qd))
        turning = bool(np.any(np.abs(samples.wheel_rates) > _TURNING))
        return cls(method, samples, travel, still, turning, _about_one_axis(samples))

    @property
    def model(self) -> RobotModel:
        """The description."""
        return self.method.model


@dataclass(frozen=True, eq=False)
class _Spread:
    """Covariances before and after, and the root information of each parameter alone."""

    before: NDArray[np.float64]
    after: NDArray[np.float64]
    alone: NDArray[np.float64]

    def share(self, index: int) -> float:
        """Return how much of a parameter's uncertainty stays."""
        return float(np.sqrt(self.after[index, index] / self.before[index, index]))

    def has_no_part(self, index: int) -> bool:
        """Return whether it would not be seen well even if all others were known."""
        return bool(self.alone[index] * np.sqrt(self.before[index, index]) < 1.0 / _WEAKLY)

    def partner(self, index: int) -> int:
        """Return the parameter that it is most correlated with."""
        std = np.sqrt(np.diag(self.after))
        correlation = np.abs(self.after[index] / std)
        correlation[index] = 0.0
        return int(np.argmax(correlation))


def _parameter(
    moved: _Moved, index: int, values: NDArray[np.float64], spread: _Spread
) -> ParameterExcitation:
    """Return the excitation of one parameter."""
    unknowns, share = moved.method.unknowns, spread.share(index)
    before, after = (np.sqrt(each[index, index]) for each in (spread.before, spread.after))
    visibility = Visibility.NOT
    if share <= _WEAKLY:
        visibility = Visibility.WELL if share <= _WELL else Visibility.WEAKLY
    if visibility is Visibility.WELL:
        sentence = (
            f'{visibility.value}: to {_precision(values[index], after, unknowns.units[index])}'
        )
    else:
        sentence = f'{visibility.value}: {_reason(moved, index, spread)}'
        if visibility is Visibility.WEAKLY:
            sentence += f'; {100.0 * share:.0f} % of its uncertainty stays'
    return ParameterExcitation(
        unknowns.names[index],
        unknowns.units[index],
        float(values[index]),
        float(before),
        float(after),
        visibility,
        sentence,
    )


def _precision(value: float, std: float, unit: str) -> str:
    """Return a standard deviation as text, as a share of the value where that is larger."""
    share = f' ({100.0 * std / abs(value):.2g} %)' if abs(value) > std else ''
    return f'{std:.2g} {unit}{share}'


def _reason(moved: _Moved, index: int, spread: _Spread) -> str:
    """Return why a parameter is not seen well: the first reason that holds."""
    model, minimal, names = moved.model, moved.method.minimal, moved.method.unknowns.names
    link = None if minimal is None else int(minimal.columns[index]) // 10
    planar = moved.method.planar
    if not len(moved.samples):
        return 'nothing moves'
    if planar and spread.has_no_part(index):
        return 'it has no part in motion in the plane'
    if link == 0 and moved.turns_about_one_axis and not planar:
        return 'the base turns about one axis only'
    own = [link - 1] if link else []
    joints = list(enumerate(model.tree_joints))
    around = own + [place for place, joint in joints if joint.parent == link]
    around = [model.leader(place) for place in around]
    still = [model.joints[place].name for place in around if moved.still[place]]
    if still:
        return f'{still[0]} does not move'
    if link is not None and not moved.wheels_turn:
        return 'no wheel turns, which leaves the scale of all parameters open'
    for place in around:
        if moved.travel[place] < _SHORT:
            travel = _travel(model, place, moved.travel[place])
            return f'{model.joints[place].name} moves by {travel} only'
    if spread.has_no_part(index):
        return 'it has no part in this motion'
    return f'hardly on its own, most of all together with {names[spread.partner(index)]}'


def _about_one_axis(samples: Record) -> bool:
    """Return whether the base turns about one axis alone, if it turns at all."""
    if not len(samples):
        return False
    spread = np.linalg.svd(samples.base_twist[:, 3:], compute_uv=False)
    return bool(spread[1] <= _ONE_AXIS * spread[0]) if len(spread) > 1 else True


def _travel(model: RobotModel, place: int, travel: float) -> str:
    """Return a travel with its unit."""
    if model.joints[place].type is JointType.PRISMATIC:
        return f'{travel:.2g} m'
    return f'{np.rad2deg(travel):.2g} deg'
