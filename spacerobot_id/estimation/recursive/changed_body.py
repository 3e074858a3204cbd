"""The body that a robot grasped or released, from what was known before and is known now.

The data after the change speak of the minimal parameters alone, ``phi = phi_before + G delta``,
where ``delta`` are the ten parameters of the body that came or went with a link and ``G`` their
columns of the grouping. Given ``phi``, they have no more information on ``delta``: its
expectation follows from the covariance of both before the data, its covariance by the law of total
covariance.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from spacerobot_id.estimation.recursive.state import Identification
from spacerobot_id.methods.body_prior import changeable_links, payload_std
from spacerobot_id.model.inertial_parameters import MASS, MX, MZ, PSEUDO_INERTIA_BASIS

_FIRST_MOMENT = slice(MX, MZ + 1)

_NO_MASS = 1e-12
"""Mass below which a body has no centre of mass, kg."""

_BY_CHANCE = 5.0
"""Standard deviations within which an eigenvalue of a pseudo-inertia may be zero."""


@dataclass(frozen=True, eq=False)
class ChangedBody:
    """What came to a link, or left it with a negative mass.

    Parameters
    ----------
    link : str
        Link that carries it.
    values : ndarray, shape (10,)
        Its parameters in the axes of the link, about the link's origin.
    covariance : ndarray, shape (10, 10)
        Their covariance.
    """

    link: str
    values: NDArray[np.float64]
    covariance: NDArray[np.float64]

    @property
    def mass(self) -> float:
        """Mass that came, kg; negative if it left."""
        return float(self.values[MASS])

    @property
    def com(self) -> NDArray[np.float64]:
        """Its centre of mass in the link's axes, m; NaN without mass."""
        if abs(self.mass) < _NO_MASS:
            return np.full(3, np.nan)
        return self.values[_FIRST_MOMENT] / self.mass

    @property
    def mass_std(self) -> float:
        """Standard deviation of the mass, kg."""
        return float(np.sqrt(self.covariance[MASS, MASS]))

    @property
    def com_std(self) -> NDArray[np.float64]:
        """Standard deviations of the centre of mass to first order, m."""
        slope = np.zeros((3, 10))
        slope[:, _FIRST_MOMENT] = np.eye(3) / self.mass
        slope[:, MASS] = -self.com / self.mass
        return np.sqrt(np.diag(slope @ self.covariance @ slope.T))

    @property
    def is_possible(self) -> bool:
        """Whether a body can have come, or have left, that is so within what is known of it.

        One that has come has a pseudo-inertia without negative eigenvalues, one that has left
        without positive ones: where it has both, mass was moved or readings have changed.
        """
        smallest, largest = self._extremes()
        return not smallest < 0.0 < largest

    def _extremes(self) -> NDArray[np.float64]:
        """Return the extreme eigenvalues of the pseudo-inertia, zero where they may be zero."""
        variances = np.diag(self.covariance)
        length = np.sqrt(variances[_FIRST_MOMENT].mean() / variances[MASS])
        scaled = np.diag([1.0 / length] * 3 + [1.0])
        basis = scaled @ PSEUDO_INERTIA_BASIS @ scaled
        values, vectors = np.linalg.eigh(np.tensordot(self.values, basis, 1))
        slopes = np.einsum('ik,nij,jk->kn', vectors, basis, vectors)[[0, -1]]
        std = np.sqrt(np.einsum('kn,nm,km->k', slopes, self.covariance, slopes))
        return np.where(np.abs(values[[0, -1]]) > _BY_CHANCE * std, values[[0, -1]], 0.0)

    def to_dict(self) -> dict[str, object]:
        """Return plain values; None in place of a centre of mass without mass."""
        has_com = bool(np.isfinite(self.com).all())
        return {
            'link': self.link,
            'mass': self.mass,
            'mass_std': self.mass_std,
            'center_of_mass': self.com.tolist() if has_com else None,
            'center_of_mass_std': self.com_std.tolist() if has_com else None,
        }


def changed_bodies(state: Identification) -> tuple[ChangedBody, ...]:
    """Return what came or went at the last change, a body for every link that can change.

    Parameters
    ----------
    state : Identification
        State of the recursion.

    Returns
    -------
    tuple of ChangedBody
        Empty if the robot has not changed, or its links do not show.
    """
    minimal, model = state.method.minimal, state.method.model
    if state.unchanged is None or minimal is None or not state.information.has_full_rank():
        return ()
    change, count = state.settings.change, len(minimal)
    before, now = (
        known.with_noise(state.noise).of_first(count)
        for known in (state.unchanged, state.information)
    )
    links = changeable_links(model, change)
    std = np.tile(payload_std(model, minimal, change), len(links))
    columns = np.hstack([minimal.grouping[:, 10 * k : 10 * k + 10] for k in links])
    seen = before.factor @ (columns * std)
    root = solve_triangular(
        np.linalg.qr(np.vstack([seen, np.eye(len(std))]), mode='r'), np.eye(len(std))
    )
    gain = std[:, None] * root @ root.T @ seen.T @ before.factor
    values = gain @ (now.values() - before.values())
    unseen = std[:, None] * root
    covariance = unseen @ unseen.T + gain @ now.covariance() @ gain.T
    return tuple(
        ChangedBody(
            model.link_names[link],
            values[10 * k : 10 * k + 10],
            covariance[10 * k : 10 * k + 10, 10 * k : 10 * k + 10],
        )
        for k, link in enumerate(links)
    )
