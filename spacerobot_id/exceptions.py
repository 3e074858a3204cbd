"""Errors and warnings of this package: each names the offender and carries the reason."""


class SpaceRobotIdError(Exception):
    """Base class of every error this package raises on purpose."""


class DescriptionError(SpaceRobotIdError):
    """A robot description that cannot be used.

    Parameters
    ----------
    source : str
        File, or another name of where the description came from.
    element : str
        Link, joint, wheel or key at fault.
    reason : str
        What is wrong with it.
    """

    def __init__(self, source: str, element: str, reason: str) -> None:
        super().__init__(f'{source}: {element}: {reason}')
        self.source = source
        self.element = element
        self.reason = reason


class DescriptionWarning(UserWarning):
    """A robot description that is wrong and can still be used.

    Parameters
    ----------
    source, element, reason : str
        As of ``DescriptionError``.
    """

    def __init__(self, source: str, element: str, reason: str) -> None:
        super().__init__(f'{source}: {element}: {reason}')
        self.source = source
        self.element = element
        self.reason = reason


class ConfigurationError(SpaceRobotIdError):
    """A setting that is missing, unknown or out of range."""


class TrajectoryError(SpaceRobotIdError):
    """A trajectory that cannot be executed; the message has the reason."""


class SimulationError(SpaceRobotIdError):
    """An input that a simulation cannot take, or a motion that it cannot go on with; named."""


class MeasurementError(SpaceRobotIdError):
    """A measurement, or a log of them, that cannot be used."""


class PlanningError(SpaceRobotIdError):
    """A demand on an exciting motion that cannot be met; names the limit and the joint."""


class EstimationError(SpaceRobotIdError):
    """Data from which nothing can be estimated."""


class InsufficientDataError(EstimationError):
    """Data that have to be more before anything is estimated; the message has the number."""


class DivergenceError(EstimationError):
    """Data whose fit leads to no robot: they and the description contradict each other."""


class CheckpointError(SpaceRobotIdError):
    """A checkpoint that is damaged or belongs to something else; the message names it."""


class DynamicsError(SpaceRobotIdError):
    """A robot or a state whose motion cannot be computed."""


class DeprecatedNameWarning(DeprecationWarning):
    """A name of before that is still accepted; the message has the new name."""
