"""The methods that the estimator can be told to use, and what each of them needs."""

from dataclasses import dataclass, fields

from spacerobot_id.data import VelocitySource
from spacerobot_id.estimation import (
    AngularMomentumProblem,
    begin_identification,
    ChangeSettings,
    LiveAngularMomentum,
    LiveEquationsOfMotion,
    LiveEstimation,
    LiveFreeFlyer,
    LiveLeastSquares,
    LiveMomentum,
    MomentumProblem,
    NuisanceSettings,
    RecursionSettings,
    ReducedSettings,
)
from spacerobot_id.estimation.estimator_settings import EstimatorSettings
from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.model import RobotModel


@dataclass(frozen=True)
class MethodNeeds:
    """What a method needs of the sensors.

    Parameters
    ----------
    source : VelocitySource, optional
        Where the base's velocity has to come from; any source will do if None.
    uses_velocity : bool
        Whether the base's velocity or position is used at all.
    uses_torques : bool
        Whether joint torques are.
    """

    source: VelocitySource | None = None
    uses_velocity: bool = True
    uses_torques: bool = False


_NEEDS = {
    'momentum': MethodNeeds(),
    'least_squares': MethodNeeds(VelocitySource.TWIST),
    'weighted_least_squares': MethodNeeds(VelocitySource.TWIST),
    'angular_momentum': MethodNeeds(VelocitySource.POSE, uses_velocity=False),
    'equations_of_motion': MethodNeeds(
        VelocitySource.POSE, uses_velocity=False, uses_torques=True
    ),
    'free_flyer': MethodNeeds(VelocitySource.POSE, uses_velocity=False),
}
"""By the names of the parameter ``method``."""


def method_needs(settings: EstimatorSettings) -> MethodNeeds:
    """Return what the method that is set needs.

    Raises
    ------
    ConfigurationError
        If other settings contradict it.
    """
    needs = _NEEDS[settings.method]
    if needs.source is VelocitySource.TWIST and settings.base_velocity == 'base_pose':
        raise ConfigurationError(f'base_velocity: {settings.method} needs a measured one')
    if not needs.uses_velocity and settings.planar:
        raise ConfigurationError(f'planar: {settings.method} knows no planar robots')
    return needs


def begin_method(
    model: RobotModel, settings: EstimatorSettings, source: VelocitySource, gyro_noise: float = 0.0
) -> LiveEstimation:
    """Return the state of the method that is set before the first sample.

    Parameters
    ----------
    model : RobotModel
        Prior model.
    settings : EstimatorSettings
        Parameters of the node.
    source : VelocitySource
        Where the linear velocity comes from now.
    gyro_noise : float
        Standard deviation that the gyro states, rad/s; that of the description if 0.
    """
    if settings.method == 'free_flyer':
        return LiveFreeFlyer.begin(model, settings.most_samples)
    recursion = _recursion(settings)
    if settings.method in ('angular_momentum', 'equations_of_motion'):
        problem = AngularMomentumProblem.from_model(
            model,
            ReducedSettings(
                settings.known_angular_momentum,
                settings.trust_zeros,
                settings.acceleration_window,
            ),
            settings.gyro_bias,
        )
        if settings.method == 'angular_momentum':
            return LiveAngularMomentum.begin(problem, recursion)
        return LiveEquationsOfMotion.begin(problem, recursion, settings.longest_bracket)
    problem = MomentumProblem.from_model(
        model,
        _nuisance(settings),
        from_pose=source is VelocitySource.POSE,
        planar=settings.planar,
    ).with_gyro_noise(settings.gyro_noise or gyro_noise)
    if settings.method == 'momentum':
        return LiveMomentum(begin_identification(problem, recursion))
    return LiveLeastSquares.begin(
        MomentumProblem.from_model(model, planar=settings.planar),
        recursion,
        weighted=settings.method == 'weighted_least_squares',
    )


def _recursion(settings: EstimatorSettings) -> RecursionSettings:
    """Return how the recursion runs."""
    return RecursionSettings(
        prior_relative_std=settings.prior_relative_std,
        prior_mass_std=settings.prior_mass_std,
        most_samples=settings.most_samples,
        forgetting_time=settings.forgetting_time,
        change=ChangeSettings(
            gate=settings.gate,
            settle=settings.settle_time,
            window=settings.change_window,
            links=settings.change_links,
            mass=settings.change_mass,
        ),
    )


def _nuisance(settings: EstimatorSettings) -> NuisanceSettings:
    """Return what is unknown beside the parameters."""
    names = [each.name for each in fields(NuisanceSettings)]
    return NuisanceSettings(**{name: getattr(settings, name) for name in names})
