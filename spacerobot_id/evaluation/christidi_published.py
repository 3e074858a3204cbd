"""What papers/004 prints: its motion, its noise, and Table III."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
import yaml

from spacerobot_id.excitation import FourierQuintic
from spacerobot_id.model import shipped_file


@dataclass(frozen=True)
class PublishedErrors:
    """Relative errors of pi_1 to pi_19, %, shape (19,) each.

    Parameters
    ----------
    equations_of_motion, angular_momentum : ndarray, shape (19,)
        By method.
    """

    equations_of_motion: NDArray[np.float64]
    angular_momentum: NDArray[np.float64]

    @property
    def times_smaller(self) -> NDArray[np.float64]:
        """How many times smaller the errors of the angular momentum are, shape (19,)."""
        return np.abs(self.equations_of_motion / self.angular_momentum)


@dataclass(frozen=True)
class PublishedBody:
    """A row of Table I.

    Parameters
    ----------
    mass : float
        kg.
    inertia : tuple of 3 floats
        Principal moments about the centre of mass, kg m^2.
    l, r : float, optional
        From its joint to its centre of mass, and from there to the next joint, m.
    """

    mass: float
    inertia: tuple[float, ...]
    l: float | None = None  # noqa: E741  as the paper has it
    r: float | None = None


@dataclass(frozen=True)
class PublishedChristidi:
    """Numbers of papers/004.

    Parameters
    ----------
    angular_momentum : ndarray, shape (3,)
        Angular momentum in inertial axes, N m s.
    attitude : ndarray, shape (4,)
        Attitude at the start, x y z w.
    duration : float
        Duration of the motion, s.
    harmonics, measurements : int
        Harmonics of the motion and samples that are used.
    condition_number : float
        That of the regressor of the equations of motion.
    sines, cosines : ndarray, shape (3, 3)
        Coefficients a and b of Table II.
    gyro_white, gyro_bias_walk : float
        Densities of Eqs. 24 and 25, rad/s^(1/2) and rad/s^(3/2).
    gyro_bias : float
        Bias at the start, rad/s.
    joint_angle : float
        Noise of Eq. 26, rad.
    equations_of_motion_errors, times_smaller : tuple of float
        Least and largest, as the text says: %, and a ratio.
    true_values : tuple of str
        Table III as printed.
    without_noise, with_noise : PublishedErrors
        Table III.
    r_0 : tuple of 3 floats
        First joint in the frame of the base, as printed, m.
    bodies : tuple of PublishedBody
        Table I, the base first.
    """

    angular_momentum: NDArray[np.float64]
    attitude: NDArray[np.float64]
    duration: float
    harmonics: int
    measurements: int
    condition_number: float
    sines: NDArray[np.float64]
    cosines: NDArray[np.float64]
    gyro_white: float
    gyro_bias_walk: float
    gyro_bias: float
    joint_angle: float
    equations_of_motion_errors: tuple[float, float]
    times_smaller: tuple[float, float]
    true_values: tuple[str, ...]
    without_noise: PublishedErrors
    with_noise: PublishedErrors
    r_0: tuple[float, ...]
    bodies: tuple[PublishedBody, ...]

    def motion(self, names: tuple[str, ...]) -> FourierQuintic:
        """Return the motion of Table II, from zero angles to zero angles."""
        rest = np.zeros(len(names))
        return FourierQuintic(names, self.duration, self.sines, self.cosines, rest, rest)


def published_christidi() -> PublishedChristidi:
    """Return what papers/004 prints."""
    text = shipped_file('config/published/christidi.yaml').read_text(encoding='utf-8')
    stated = yaml.safe_load(text)
    per_hour = stated.pop('gyro_bias_deg_per_hr')
    return PublishedChristidi(
        angular_momentum=np.array(stated.pop('angular_momentum'), dtype=float),
        attitude=np.array(stated.pop('attitude'), dtype=float),
        sines=np.array(stated.pop('a')),
        cosines=np.array(stated.pop('b')),
        gyro_bias=float(np.deg2rad(per_hour) / 3600.0),
        equations_of_motion_errors=tuple(stated.pop('equations_of_motion_errors')),
        times_smaller=tuple(stated.pop('times_smaller')),
        true_values=tuple(stated.pop('true_values')),
        without_noise=_errors(stated.pop('without_noise')),
        with_noise=_errors(stated.pop('with_noise')),
        r_0=tuple(stated.pop('r_0')),
        bodies=tuple(PublishedBody(**body) for body in stated.pop('bodies')),
        **stated,
    )


def _errors(columns: dict[str, list[float]]) -> PublishedErrors:
    return PublishedErrors(**{name: np.array(column) for name, column in columns.items()})
