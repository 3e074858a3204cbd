"""A fit of flights as the solution that every method gives: noise, notes, residuals."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from spacerobot_id.measurement import Record
from spacerobot_id.methods.balance.feedback import coupling
from spacerobot_id.methods.balance.flight import READINGS
from spacerobot_id.methods.balance.flight_fit import BalanceFit
from spacerobot_id.methods.balance.noise.command_likeness import (
    pulse_likeness,
    step_likeness,
    wrench_likeness,
)
from spacerobot_id.methods.balance.noise.flight_scatter import flight_scatter, FlightScatter
from spacerobot_id.methods.balance.noise.noise_sizes import NoiseSizes
from spacerobot_id.methods.solution import FoundNoise, Residuals, Solution

if TYPE_CHECKING:
    from spacerobot_id.methods.momentum_balance import MomentumBalance

_SCATTER = 'scatter of pulses'
_MOST_SCATTER = 0.5
"""Name of the deviation of the strength of a pulse, as a share of it, and the largest that is
plausible: twice that of the test beds that publish theirs."""

_LIKENESS = {
    "other forces within a pulse over a thruster's": pulse_likeness,
    'other forces between wrenches over their changes': step_likeness,
}
_MOST_LIKENESS = 0.3
"""Names of the size of other forces as a share of what commands change, and the largest that is
plausible: the table of ``test/reference`` has 0.007, and 0.2 with a tenth of its commands lost."""

_OVER_WRENCH = "other forces over the wrench's own", "other torques over the wrench's own"
_MOST_OVER_WRENCH = 0.15
"""Names of the size of other forces and torques over the wrench's, of a robot that it alone moves,
and the largest that is plausible: pulses that scatter by 15 % make 0.07, a wrench in inertial axes
that is taken for one in those of the base, or two of whose axes are exchanged, 0.2 to 0.5."""

_OVER = 'noise of {} over that stated'
"""Name of the noise of a kind of readings."""


def solution_of(method: 'MomentumBalance', record: Record, found: BalanceFit) -> Solution:
    """Return a fit of samples with notes on them.

    Parameters
    ----------
    method : MomentumBalance
        Robot and unknowns.
    record : Record
        The samples.
    found : BalanceFit
        The fit of their flights.
    """
    scatter = flight_scatter(found)
    return Solution(
        found.values,
        found.information,
        found.iterations,
        found.converged,
        cost=found.information.residual,
        noise=_found_noise(method, found),
        notes=_notes(method, found, scatter),
        residuals=left_of(method, record, found),
        std_by_flights=None if scatter is None else scatter.std,
        fit=found,
    )


def left_of(method: 'MomentumBalance', record: Record, found: BalanceFit) -> Residuals:
    """Return what a fit leaves over of samples.

    What states and pushes have taken of the noise is given back, to all readings alike.
    """
    read = sum(len(own.linear.kind) for own in found.flights)
    given_back = np.sqrt(read / max(read - found.fitted, 1.0))
    whole = np.full((len(record), method.outputs), np.nan)
    misfit = whole.copy()
    for own in found.flights:
        white = given_back * own.whitened(found.sizes)
        for kind, (name, offset) in enumerate(zip(READINGS, (0, 6, 9), strict=True)):
            rows = own.linear.kind == kind
            number, component = own.linear.places[rows].T
            at = np.searchsorted(record.times, own.flight.readings[name].stamps[number])
            whole[at, offset + component] = white[rows]
            misfit[at, offset + component] = own.linear.misfit[rows]
    return Residuals(whole, misfit)


def sizes_of(method: 'MomentumBalance', noise: Sequence[FoundNoise]) -> NoiseSizes | None:
    """Return the sizes of noise that an earlier fit found; None if there was none."""
    found, units = {each.name: each.value for each in noise}, _noise_units(method)
    if units[0][0] not in found:
        return None
    pushes = [found[name] / factor for name, _, factor in units]
    return NoiseSizes(*pushes, tuple(found.get(_OVER.format(kind), 1.0) for kind in READINGS))


def _noise_units(method: 'MomentumBalance') -> tuple[tuple[str, str, float], ...]:
    """Return name, unit and factor of the sizes of noise but for those of readings."""
    mass, inertia = method.usual_mass, method.usual_inertia
    return (
        ('other forces', 'N s^0.5', mass),
        ('other torques', 'N m s^0.5', inertia),
        (_SCATTER, '1', 1.0),
        ('change of lasting forces', 'N s^-0.5', mass),
        ('change of lasting torques', 'N m s^-0.5', inertia),
        ('memory of lasting forces and torques', 's', 1.0),
    )


def _found_noise(method: 'MomentumBalance', found: BalanceFit) -> tuple[FoundNoise, ...]:
    """Return the sizes of noise that a fit found, those of readings that there are."""
    sizes = found.sizes
    kinds = sorted({int(kind) for own in found.flights for kind in np.unique(own.linear.kind)})
    values = sizes.pushes if found.found_sizes else ()
    pushes = (
        FoundNoise(name, unit, value * factor, _MOST_SCATTER if name == _SCATTER else np.inf)
        for (name, unit, factor), value in zip(_noise_units(method), values, strict=False)
    )
    commands = [own.flight.commands for own in found.flights]
    likeness = (
        FoundNoise(name, '1', ratio, _MOST_LIKENESS)
        for name, ratio_of in _LIKENESS.items()
        if found.found_sizes and (ratio := ratio_of(method, commands, sizes)) is not None
    )
    over_wrench = (
        FoundNoise(name, '1', ratio, _MOST_OVER_WRENCH, is_of_wrench=True)
        for name, ratio in zip(_OVER_WRENCH, wrench_likeness(method, found), strict=True)
        if found.found_sizes and ratio is not None
    )
    readings = (
        FoundNoise(_OVER.format(READINGS[kind]), '1', sizes.scales[kind])
        for kind in kinds
        if found.found_sizes or sizes.scales[kind] != 1.0
    )
    return (*pushes, *likeness, *over_wrench, *readings)


def _notes(
    method: 'MomentumBalance', found: BalanceFit, scatter: FlightScatter | None
) -> tuple[str, ...]:
    """Return notes on residuals that go with the wrench, or with flights."""
    between = coupling(method, found.flights) if found.found_sizes else None
    notes = () if between is None else between.sentences()
    return notes if scatter is None else notes + scatter.sentences(method.unknowns.names)
