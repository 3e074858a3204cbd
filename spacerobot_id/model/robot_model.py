"""The robot: a tree of rigid links on a free base, with reaction wheels and sensors."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.model.actuators import Actuators, Thruster
from spacerobot_id.model.inertial_parameters import InertialParameters
from spacerobot_id.model.joint import Capsule, Joint, JointCoupling, JointLimits
from spacerobot_id.model.sensors import Sensors
from spacerobot_id.settings.kinds import Finite, FinitePositive, keys, NotNegative, Vector

MOST_ORDER = 4
"""Highest order of the polynomial of a table's height."""

MONOMIALS = tuple(
    'x' * (order - power) + 'y' * power
    for order in range(1, MOST_ORDER + 1)
    for power in range(order + 1)
)
"""Names of the terms of such a polynomial: ``x``, ``y``, ``xx``, ``xy``, ``yy``, ..."""

Table = keys('', {name: (Finite, f'Coefficient of {name}.') for name in MONOMIALS})
"""Coefficients by the terms."""


@dataclass(frozen=True)
class Disturbances:
    """Forces on the whole robot, at its centre of mass and in inertial axes.

    Each link has its share by mass, as of its weight, so that joints feel them, too.

    Parameters
    ----------
    force : tuple of 3 floats
        Constant force, N.
    torque : tuple of 3 floats
        Constant torque about the centre of mass, N m.
    drag : float
        Force against the linear momentum, over it, 1/s.
    table : mapping of str to float
        Height of the table at the place of the centre of mass as a polynomial of x and y:
        coefficients by monomial (``x``, ``y``, ``xx``, ``xy``, ...), m per m to the order. The
        robot is pushed down the slope by its weight; ``x`` and ``y`` are the tilt, the others
        unevenness. Where pads share the weight this is exact up to the second order.
    """

    force: Vector = (0.0, 0.0, 0.0)
    torque: Vector = (0.0, 0.0, 0.0)
    drag: NotNegative = 0.0
    table: Table = field(default_factory=dict)

    @property
    def act(self) -> bool:
        """Whether there are any."""
        return any([*self.force, *self.torque, self.drag, *self.table.values()])


@dataclass(frozen=True, eq=False)
class Link:
    """A rigid link.

    Parameters
    ----------
    name : str
        Name of the link.
    inertial : InertialParameters
        The ten parameters, in the link frame whose z axis is the joint's axis.
    R_UL : ndarray, shape (3, 3)
        Rotation from this frame to the frame the description gave the link (same origin).
    """

    name: str
    inertial: InertialParameters
    R_UL: NDArray[np.float64] = field(default_factory=lambda: np.eye(3))


@dataclass(frozen=True, eq=False)
class Rotor:
    """The link of the description that a wheel was, to be written as it was.

    Parameters
    ----------
    link : Link
        Its name, axes and parameters, in a frame whose z axis is the spin axis; those of the
        wheel's carrier have them in them.
    R_CR : ndarray, shape (3, 3)
        Rotation from its frame, at angle zero, to the carrier's.
    p_CR_C : ndarray, shape (3,)
        Origin of its frame in the carrier's, m.
    limits : JointLimits
        Limits of its joint.
    """

    link: Link
    R_CR: NDArray[np.float64]
    p_CR_C: NDArray[np.float64]
    limits: JointLimits


@dataclass(frozen=True, eq=False)
class ReactionWheel:
    """A wheel as a gyrostat: all but its spin momentum belongs to the link that carries it.

    Parameters
    ----------
    name : str
        Name of the wheel; the name of its joint on the topics.
    link : int
        Index of the link that carries it.
    axis : ndarray, shape (3,)
        Unit vector of the spin axis in that link's frame.
    spin_inertia : float
        Inertia about the axis, kg m^2.
    max_rate, max_momentum, max_torque : float
        Limits of the rate relative to the link (rad/s), of spin inertia times that rate
        (N m s) and of the motor's torque (N m); infinite where there is none.
    rotor : Rotor, optional
        The link that the wheel is in the description; None if it is of the YAML file alone.
    """

    name: str
    link: int
    axis: NDArray[np.float64]
    spin_inertia: float
    max_rate: float = np.inf
    max_momentum: float = np.inf
    max_torque: float = np.inf
    rotor: Rotor | None = None

    @property
    def rate_limit(self) -> float:
        """Largest rate that both the rate and the momentum limit allow, rad/s."""
        return min(self.max_rate, self.max_momentum / self.spin_inertia)


@dataclass(frozen=True)
class SensorNoise:
    """Standard deviations of the white noise of the sensors, and their rate.

    Parameters
    ----------
    joint_position : float
        Encoders, rad or m.
    joint_rate : float
        Joint rates, rad/s or m/s.
    base_angular_velocity : float
        Gyro, rad/s.
    base_linear_velocity : float
        Base velocity, m/s.
    base_position : float
        Base position, m.
    base_attitude : float
        Base attitude, rad.
    rate : float
        Samples per second of every stream, Hz.
    """

    joint_position: NotNegative = 0.0
    joint_rate: NotNegative = 0.0
    base_angular_velocity: NotNegative = 0.0
    base_linear_velocity: NotNegative = 0.0
    base_position: NotNegative = 0.0
    base_attitude: NotNegative = 0.0
    rate: FinitePositive = 100.0


@dataclass(frozen=True, eq=False)
class Frame:
    """A named frame fixed to a link: a sensor's, a tool's, or a link merged into its parent.

    Parameters
    ----------
    link : int
        Index of the link it is fixed to.
    R_LF : ndarray, shape (3, 3)
        Rotation from the frame's axes to the link's.
    p_LF_L : ndarray, shape (3,)
        Origin of the frame in the link's frame, m.
    """

    link: int
    R_LF: NDArray[np.float64]
    p_LF_L: NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class RobotModel:
    """A tree of links on a free base.

    Link 0 is the base, link ``i + 1`` is the child of ``tree_joints[i]``, and a parent always
    comes before its children. Positions, rates and torques are those of ``joints``: the joints of
    the tree that follow no other.

    Parameters
    ----------
    name : str
        Name of the robot.
    links : sequence of Link
        The base, then one link per joint.
    tree_joints : sequence of Joint
        One per link but the base.
    wheels : sequence of ReactionWheel
        Reaction wheels.
    noise : SensorNoise
        Noise of the sensors.
    frames : mapping of str to Frame
        Named frames, those of the links as the description gives them among them.
    actuators : Actuators
        What drives do in simulation that ideal ones do not.
    sensors : Sensors
        What sensors do in simulation beside white noise.
    collision : sequence of Capsule
        What links must not touch each other with.
    tolerances : mapping of str to float
        How far sensors and geometry may be off, as standard deviations by name.
    calibration : mapping of str to tuple of float
        Errors of the sensors that are known, by name.
    thrusters : sequence of Thruster
        Thrusters of the base.
    disturbances : Disturbances
        What acts on the robot from outside in simulation.
    """

    name: str
    links: Sequence[Link]
    tree_joints: Sequence[Joint]
    wheels: Sequence[ReactionWheel] = ()
    noise: SensorNoise = field(default_factory=SensorNoise)
    frames: Mapping[str, Frame] = field(default_factory=dict)
    actuators: Actuators = field(default_factory=Actuators)
    sensors: Sensors = field(default_factory=Sensors)
    collision: Sequence[Capsule] = ()
    tolerances: Mapping[str, float] = field(default_factory=dict)
    calibration: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    thrusters: Sequence[Thruster] = ()
    disturbances: Disturbances = field(default_factory=Disturbances)

    def __post_init__(self) -> None:
        for name in ('links', 'tree_joints', 'wheels', 'collision', 'thrusters'):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        joints = self.tree_joints
        if len(self.links) != len(joints) + 1:
            raise ValueError(f'{len(self.links)} links cannot have {len(joints)} joints')
        leading = {joint.name for joint in joints if joint.mimic is None}
        for index, joint in enumerate(joints):
            if not 0 <= joint.parent <= index:
                raise ValueError(f'{joint.name}: parent {joint.parent} must come before its child')
            if joint.mimic is not None and joint.mimic.joint not in leading:
                raise ValueError(f'{joint.name} cannot follow {joint.mimic.joint}')

    @cached_property
    def joints(self) -> tuple[Joint, ...]:
        """The n joints that follow no other, with the limits of those that follow them."""
        if self.coupling is None:
            return tuple(self.tree_joints)
        leading = {joint.name: joint for joint in self.tree_joints if joint.mimic is None}
        for joint in self.tree_joints:
            if joint.mimic is not None:
                leader = leading[joint.mimic.joint]
                limits = leader.limits.narrowed(joint.limits.of_leader(joint.mimic))
                leading[leader.name] = replace(leader, limits=limits)
        return tuple(leading.values())

    @cached_property
    def coupling(self) -> JointCoupling | None:
        """How joints that follow others do so; None where there are none."""
        return JointCoupling.of(self.tree_joints)

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the n joints, without wheels and those that follow others."""
        return tuple(joint.name for joint in self.joints)

    def leader(self, place: int) -> int:
        """Return the number, among ``joints``, of the joint that moves one of ``tree_joints``."""
        return (
            place if self.coupling is None else int(np.abs(self.coupling.matrix[place]).argmax())
        )

    @property
    def wheel_names(self) -> tuple[str, ...]:
        """Names of the reaction wheels."""
        return tuple(wheel.name for wheel in self.wheels)

    @property
    def link_names(self) -> tuple[str, ...]:
        """Names of the links, the base first."""
        return tuple(link.name for link in self.links)

    @cached_property
    def parameters(self) -> NDArray[np.float64]:
        """Standard parameters, ten per link, shape (10 (n + 1),) ([Naveen 2024] Eq. 11)."""
        return np.concatenate([link.inertial.vector for link in self.links])

    def __repr__(self) -> str:
        """Return name, sizes and mass."""
        sizes = f'{len(self.joints)} joints, {len(self.wheels)} wheels'
        return f'<{self.name}: {len(self.links)} links, {sizes}, {self.mass:.5g} kg>'

    @property
    def mass(self) -> float:
        """Total mass, rotors included, kg."""
        return float(sum(link.inertial.mass for link in self.links))

    def with_mass(self, mass: float) -> 'RobotModel':
        """Return the same robot scaled to a total mass, kg; wheels spin as they are."""
        return self.with_parameters(mass / self.mass * self.parameters)

    def with_parameters(self, parameters: ArrayLike) -> 'RobotModel':
        """Return the same robot with other standard parameters, shape (10 (n + 1),)."""
        vectors = np.asarray(parameters, dtype=float).reshape(len(self.links), 10)
        links = [
            replace(link, inertial=InertialParameters.from_vector(vector))
            for link, vector in zip(self.links, vectors, strict=True)
        ]
        return replace(self, links=links)
