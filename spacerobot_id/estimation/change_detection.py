"""Samples that do not fit: outliers while they are few, a changed robot when they go on."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtri

from spacerobot_id.data import Measurement
from spacerobot_id.estimation.momentum_problem import MomentumProblem
from spacerobot_id.estimation.momentum_rows import Rows
from spacerobot_id.estimation.output_error_rows import output_error_rows
from spacerobot_id.estimation.square_root_information import SquareRootInformation
from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.model.inertial_parameters import MASS


@dataclass(frozen=True)
class ChangeSettings:
    """When samples are refused, and what is thought of it when they go on.

    Parameters
    ----------
    gate : float
        Probability at which a good sample would be refused; 0 refuses none.
    settle : float
        Time of motion before samples are judged at all, s: while little is known, the estimate
        is linear about values that may be far off, and good samples may seem not to fit.
    window : float
        Time over which refused samples are looked at, s.
    share : float
        Share of refused samples in the window that means the robot has changed.
    links : tuple of str
        Links that can change, by grasping or releasing; all without children if empty.
    mass : float
        How much mass may come or go, kg; a fifth of the robot if 0.
    length : float
        How far from the link's frame it may be, m.
    """

    gate: float = 1e-6
    settle: float = 5.0
    window: float = 2.0
    share: float = 0.5
    links: tuple[str, ...] = ()
    mass: float = 0.0
    length: float = 1.0


@dataclass(frozen=True, eq=False)
class Doubt:
    """Samples refused lately, and how many there were beside them.

    Parameters
    ----------
    refused : tuple of Measurement
        Refused samples, block by block.
    blocks : tuple of (float, int, int)
        Time, samples and refused samples of the latest blocks.
    """

    refused: tuple[Measurement, ...] = ()
    blocks: tuple[tuple[float, int, int], ...] = ()

    def with_block(self, block: Measurement, good: NDArray[np.bool_], window: float) -> 'Doubt':
        """Return the doubt after a block of which some samples are good; the old forgotten."""
        now = float(block.times[-1])
        refused = tuple(part for part in self.refused if part.times[-1] > now - window)
        blocks = tuple(each for each in self.blocks if each[0] > now - window)
        if not good.all():
            refused = (*refused, block[~good])
        return Doubt(refused, (*blocks, (now, len(block), int(np.sum(~good)))))

    def is_the_rule(self, settings: ChangeSettings) -> bool:
        """Return whether refused samples are no longer the exception."""
        times, samples, refused = zip(*self.blocks, strict=True)
        long_enough = times[-1] - times[0] >= 0.5 * settings.window
        return long_enough and sum(refused) > settings.share * sum(samples)

    def samples(self) -> Measurement:
        """Return the refused samples."""
        return Measurement.concatenate(self.refused)

    def since_change(self, settings: ChangeSettings) -> Measurement:
        """Return the refused samples since they became the rule, outliers of before left out."""
        times, samples, refused = (np.array(each) for each in zip(*self.blocks, strict=True))
        excess = refused - settings.share * samples
        first = int(np.argmax(np.cumsum(excess[::-1])[::-1]))
        found = self.samples()
        return found[found.times > times[first - 1]] if first else found


NO_DOUBT = Doubt()


def chi_squares(
    problem: MomentumProblem,
    measurement: Measurement,
    information: SquareRootInformation,
    centre: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Return how badly each sample fits what is known, shape (N,).

    A sample's chi-square is that of its outputs, with the covariance of their noise and of the
    unknowns together.

    Parameters
    ----------
    problem : MomentumProblem
        Robot and noise.
    measurement : Measurement
        N samples.
    information : SquareRootInformation
        What is known, without them.
    centre : ndarray, shape (u,), optional
        Unknowns that the outputs are linearised about; the estimate by default, which while
        little is known may be of no robot.
    """
    about = information.values() if centre is None else centre
    return row_chi_squares(
        output_error_rows(problem, measurement, about), len(problem.free), information
    )


def row_chi_squares(
    rows: Rows, outputs: int, information: SquareRootInformation
) -> NDArray[np.float64]:
    """Return how badly each sample's rows fit what is known, shape (N,).

    Parameters
    ----------
    rows : Rows
        Rows with unit noise, those of a sample one after the other.
    outputs : int
        Rows of a sample.
    information : SquareRootInformation
        What is known, without them.
    """
    error = (rows.right - rows.matrix @ information.values()).reshape(-1, outputs)
    spread = information.whitened(rows.matrix).reshape(len(error), outputs, -1)
    covariance = np.eye(outputs) + spread @ np.swapaxes(spread, -1, -2)
    return np.einsum('ni,ni->n', error, np.linalg.solve(covariance, error[..., None])[..., 0])


def fitting(
    problem: MomentumProblem,
    measurement: Measurement,
    information: SquareRootInformation,
    probability: float,
    centre: NDArray[np.float64] | None = None,
    noise: float = 1.0,
) -> NDArray[np.bool_]:
    """Return which samples fit what is known, shape (N,).

    Parameters
    ----------
    problem, measurement, information, centre
        As for ``chi_squares``.
    probability : float
        Probability of a good sample to be refused.
    noise : float
        Variance of the noise, where 1 is stated.
    """
    limit = noise * chdtri(len(problem.free), probability)
    return chi_squares(problem, measurement, information, centre) <= limit


def standing_out(
    problem: MomentumProblem,
    measurement: Measurement,
    information: SquareRootInformation,
    probability: float,
) -> NDArray[np.bool_]:
    """Return which samples fit much worse than the middle one, shape (N,).

    So outliers show even where they have spoilt the estimate themselves.

    Parameters
    ----------
    problem, measurement, information, probability
        As for ``fitting``.
    """
    squares = chi_squares(problem, measurement, information)
    outputs = len(problem.free)
    scale = np.median(squares) / chdtri(outputs, 0.5)
    return squares > chdtri(outputs, probability) * max(scale, 1.0)


def loosened(
    problem: MomentumProblem, information: SquareRootInformation, settings: ChangeSettings
) -> SquareRootInformation:
    """Return what is known after a body of unknown inertia may have come or gone.

    The ten parameters of every link that can change become uncertain by that much; all else
    keeps its covariance.

    Parameters
    ----------
    problem : MomentumProblem
        Robot.
    information : SquareRootInformation
        What was known before.
    settings : ChangeSettings
        Which links can change, and by how much.
    """
    std = payload_std(problem, settings)
    covariance = information.covariance()
    p = len(problem.minimal)
    for link in changeable_links(problem, settings):
        spread = problem.minimal.grouping[:, 10 * link : 10 * link + 10] * std
        covariance[:p, :p] += spread @ spread.T
    return SquareRootInformation.from_prior(information.values(), covariance)


def payload_std(problem: MomentumProblem, settings: ChangeSettings) -> NDArray[np.float64]:
    """Return how large the ten parameters of a body that comes or goes may be, shape (10,)."""
    mass = settings.mass or 0.2 * problem.minimal.values(problem.model)[MASS]
    return mass * np.array([settings.length**2] * 6 + [1.0] + [settings.length] * 3)


def changeable_links(problem: MomentumProblem, settings: ChangeSettings) -> list[int]:
    """Return the indices of the links that can change.

    Raises
    ------
    ConfigurationError
        If the settings name a link that is not there; says which there are.
    """
    model = problem.model
    unknown = [name for name in settings.links if name not in model.link_names]
    if unknown:
        raise ConfigurationError(
            f'change_links: {", ".join(unknown)}: no such link; there are '
            f'{", ".join(model.link_names)}'
        )
    if settings.links:
        return [model.link_names.index(name) for name in settings.links]
    parents = {joint.parent for joint in model.joints}
    return [index for index in range(len(model.links)) if index not in parents]
