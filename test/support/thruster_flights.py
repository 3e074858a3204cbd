"""Flights under thrusters with MuJoCo as the plant: what real tables do is injected here."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

import mujoco
import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline
from scipy.spatial.transform import Rotation, RotationSpline

from spacerobot_id.measurement import HeldSignal, Record
from spacerobot_id.model import RobotModel, urdf_from_robot

STEP = 0.005
"""Step of integration, s."""


@dataclass(frozen=True, eq=False)
class Truth:
    """How robot, table and thrusters differ from what is stated; exactly as stated by default.

    Parameters
    ----------
    strength : ndarray, shape (T,)
        Relative errors of the strengths.
    loss : float
        Share lost for each further open valve.
    dead_time, delay : float
        Of every pulse, and of all commands, s.
    scatter : float
        Relative deviation of the strength of each pulse.
    force : ndarray, shape (3,)
        Constant force at the centre of mass in inertial axes, N.
    clock : float
        Time by which poses are stamped late, s.
    direction : ndarray, shape (T,)
        Angles about z by which thrusters point elsewhere, rad.
    table : ndarray, shape (3,)
        Second derivatives xx, xy and yy of an uneven table's potential, N/m.
    """

    strength: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    loss: float = 0.0
    dead_time: float = 0.0
    delay: float = 0.0
    scatter: float = 0.0
    force: NDArray[np.float64] = field(default_factory=lambda: np.zeros(3))
    clock: float = 0.0
    direction: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    table: NDArray[np.float64] = field(default_factory=lambda: np.zeros(3))

    def columns(self, robot: RobotModel) -> NDArray[np.float64]:
        """Return the wrenches of the thrusters as they point, shape (6, T)."""
        found = []
        for k, thruster in enumerate(robot.thrusters):
            angle = self.direction[k] if len(self.direction) else 0.0
            turned = Rotation.from_rotvec([0.0, 0.0, angle]).apply(thruster.direction)
            found.append(replace(thruster, direction=turned).wrench)
        return np.stack(found, axis=-1)

    def force_at(self, place: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the force of the table with the centre of mass at a place, N."""
        xx, xy, yy = self.table
        x, y, _ = place
        return self.force - [xx * x + xy * y, xy * x + yy * y, 0.0]


@dataclass(frozen=True, eq=False)
class Motion:
    """Joints by sums of sines: position, rate and acceleration at any time."""

    amplitude: NDArray[np.float64]
    frequency: NDArray[np.float64]
    phase: NDArray[np.float64]

    @classmethod
    def drawn(
        cls, joints: int, size: float, rng: np.random.Generator, frequency: float = 0.15
    ) -> 'Motion':
        """Return three sines for each joint."""
        shape = (3, joints)
        return cls(
            size * rng.uniform(0.2, 0.5, shape),
            2.0 * np.pi * frequency * rng.uniform(0.2, 1.0, shape),
            rng.uniform(0.0, 2.0 * np.pi, shape),
        )

    def at(self, times: NDArray[np.float64]) -> tuple[NDArray[np.float64], ...]:
        """Return position, rate, acceleration, each (N, n)."""
        angle = self.frequency * np.asarray(times)[..., None, None] + self.phase
        w, waves = self.frequency, self.amplitude * np.sin(angle)
        rates = self.amplitude * w * np.cos(angle)
        return waves.sum(axis=-2), rates.sum(axis=-2), (-(w**2) * waves).sum(axis=-2)


@dataclass(frozen=True, eq=False)
class Flown:
    """What happened: base, joints and wheels at the steps, and the commands of thrusters."""

    times: NDArray[np.float64]
    position: NDArray[np.float64]
    attitude: NDArray[np.float64]
    twist: NDArray[np.float64]
    joints: Motion
    wheels: Motion
    thrust: HeldSignal


def valves(
    count: int, duration: float, rng: np.random.Generator, on: float = 0.5, off: float = 2.5
) -> HeldSignal:
    """Return valves that open for a while now and then, at times of a grid of 0.05 s."""
    ticks = int(duration / 0.05)
    commands = np.zeros((ticks, count))
    for thruster in range(count):
        time = rng.uniform(0.0, off)
        while time < duration:
            length = rng.uniform(0.1, on)
            commands[int(time / 0.05) : int((time + length) / 0.05), thruster] = 1.0
            time += length + rng.uniform(0.2, off)
    changed = np.append(True, np.any(np.diff(commands, axis=0) != 0.0, axis=1))
    return HeldSignal(0.05 * np.flatnonzero(changed), commands[changed])


def asked(
    robot: RobotModel, duration: float, rng: np.random.Generator, period: float = 0.1
) -> tuple[HeldSignal, HeldSignal]:
    """Return wrenches in base axes asked for in the plane, and the valves that give them.

    Controllers of tables allocate by the clipped pseudo-inverse and modulate the width of pulses.
    """
    times = np.arange(0.0, duration - period, period)
    wrenches = np.zeros((len(times), 6))
    for component, size in ((0, 0.25), (1, 0.25), (5, 0.03)):
        for _ in range(4):
            angle = 2.0 * np.pi * rng.uniform(0.03, 0.3) * times + rng.uniform(0.0, 7.0)
            wrenches[:, component] += size * rng.uniform(0.3, 1.0) * np.sin(angle)
    columns = np.stack([each.wrench for each in robot.thrusters], axis=-1)[[0, 1, 5]]
    shares = wrenches[:, [0, 1, 5]] @ np.linalg.pinv(columns).T
    shares = np.clip(2.0 * shares, 0.0, 1.0)
    closing = times[:, None] + period * shares
    events = np.unique(np.concatenate([times, closing[(shares > 0.0) & (shares < 1.0)]]))
    row = np.searchsorted(times, events, side='right') - 1
    is_open = (shares[row] > 0.0) & (events[:, None] < closing[row] - 1e-9)
    return HeldSignal(times, wrenches), HeldSignal(events, is_open.astype(float))


def given(
    thrust: HeldSignal, truth: Truth, edges: NDArray[np.float64], rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return the mean of what thrusters give between times, shape (M, T): pulse by pulse."""
    count = thrust.values.shape[1]
    strength = 1.0 + (truth.strength if len(truth.strength) else np.zeros(count))
    ends = np.append(thrust.times[1:], np.inf)
    opened = [
        (begin, end, row > 0.5)
        for begin, end, row in zip(thrust.times, ends, thrust.values, strict=True)
    ]
    fine = np.linspace(edges[0], edges[-1], 10 * (len(edges) - 1) + 1)[:-1] + 0.05 * STEP
    open_at, factor = np.zeros((len(fine), count)), np.ones((len(fine), count))
    for thruster in range(count):
        pulses, last = [], None
        for begin, end, row in opened:
            if row[thruster]:
                last = [begin, end] if last is None else [last[0], end]
            elif last is not None:
                pulses.append(last)
                last = None
        pulses += [last] if last is not None else []
        for begin, end in pulses:
            shot = (fine >= begin + truth.delay + truth.dead_time) & (fine < end + truth.delay)
            open_at[shot, thruster] = 1.0
            factor[shot, thruster] = 1.0 + truth.scatter * rng.normal()
    others = np.maximum(open_at.sum(axis=1, keepdims=True) - 1.0, 0.0)
    force = open_at * factor * (1.0 - truth.loss * others) * strength
    return force.reshape(len(edges) - 1, 10, count).mean(axis=1)


def fly(
    robot: RobotModel,
    truth: Truth,
    joints: Motion,
    wheels: Motion,
    thrust: HeldSignal,
    *given: object,
    **others: object,
) -> Flown:
    """Return the flight of a robot whose joints and wheels move as they are commanded.

    All that is given is for ``stepped``.
    """
    states = stepped(robot, truth, joints, wheels, thrust, *given, **others)
    poses, twists = (np.array(each) for each in zip(*states, strict=True))
    attitude = poses[:, [4, 5, 6, 3]]
    turned = Rotation.from_quat(attitude)
    seen = np.hstack([turned.apply(twists[:, :3], inverse=True), twists[:, 3:]])
    edges = STEP * np.arange(len(poses))
    return Flown(edges, poses[:, :3], attitude, seen, joints, wheels, thrust)


def stepped(
    robot: RobotModel,
    truth: Truth,
    joints: Motion,
    wheels: Motion,
    thrust: HeldSignal,
    duration: float,
    rng: np.random.Generator,
    *,
    planar: bool,
    controller: Callable[[float, NDArray, NDArray], NDArray] | None = None,
    shaken: NDArray[np.float64] | None = None,
    then: tuple[float, RobotModel] | None = None,
) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Yield pose (quaternion w x y z) and velocity of the base at every step.

    A controller takes time, pose and velocity, and returns force and torque
    in base axes beside those of the thrusters; ``shaken`` are forces at the centre of mass in
    inertial axes by step, (N, 3). From a time (s) on it is another robot: a body that moves as the
    hand does has joined it, or left it, and brings or takes its own momentum.
    """
    plant = _Plant.of(robot, planar=planar)
    change, other = np.inf, plant
    if then is not None:
        change, other = then[0], _Plant.of(then[1], planar=planar)
    steps = round(duration / STEP)
    edges = STEP * np.arange(steps + 1)
    wrenches = given(thrust, truth, edges, rng) @ truth.columns(robot).T
    pose, twist = np.zeros(7), plant.still(joints, wheels)
    pose[3] = 1.0
    yield pose, twist
    for k in range(steps):
        plant = other if k * STEP >= change else plant
        force = truth.force_at(plant.centre(pose, joints.at(k * STEP)[0]))
        if shaken is not None:
            force = force + shaken[k]
        if controller is not None:
            wrenches[k] += controller(k * STEP, pose, twist)
        pose, twist = plant.step(pose, twist, k * STEP, wrenches[k], force, joints, wheels)
        yield pose, twist


def _cross(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return MuJoCo's product of two vectors, with less to do around it than in numpy."""
    product = np.empty(3)
    mujoco.mju_cross(product, a, b)
    return product


@dataclass(frozen=True, eq=False)
class _Plant:
    """MuJoCo's model of a robot on a free base; joints are moved, the base answers."""

    robot: RobotModel
    model: mujoco.MjModel
    data: mujoco.MjData
    places: list[int]
    rates: list[int]
    spin: NDArray[np.float64]
    free: NDArray[np.int64]

    @classmethod
    def of(cls, robot: RobotModel, *, planar: bool) -> '_Plant':
        """Return the plant of a robot."""
        spec = mujoco.MjSpec.from_string(urdf_from_robot(robot))
        spec.worldbody.first_body().add_freejoint()
        spec.option.gravity = [0.0, 0.0, 0.0]
        model = spec.compile()
        names = robot.joint_names
        spin = [wheel.spin_inertia * wheel.axis for wheel in robot.wheels]
        return cls(
            robot,
            model,
            mujoco.MjData(model),
            [int(model.joint(name).qposadr[0]) for name in names],
            [int(model.joint(name).dofadr[0]) for name in names],
            np.array(spin).reshape(-1, 3),
            np.array([0, 1, 5] if planar else [0, 1, 2, 3, 4, 5]),
        )

    def _set(self, pose: NDArray, twist: NDArray, q: NDArray, qd: NDArray) -> NDArray:
        """Set the state; return the mass matrix."""
        data = self.data
        data.qpos[:7], data.qvel[:6] = pose, twist
        data.qpos[self.places], data.qvel[self.rates] = q, qd
        mujoco.mj_forward(self.model, data)
        matrix = np.zeros((self.model.nv, self.model.nv))
        mujoco.mj_fullM(self.model, data, matrix)
        return matrix

    def centre(self, pose: NDArray, q: NDArray) -> NDArray:
        """Return the centre of mass of the whole in inertial axes, m."""
        self.data.qpos[:7], self.data.qpos[self.places] = pose, q
        mujoco.mj_kinematics(self.model, self.data)
        mujoco.mj_comPos(self.model, self.data)
        return self.data.subtree_com[1].copy()

    def still(self, joints: Motion, wheels: Motion) -> NDArray:
        """Return the base's velocity at which the momentum is zero at time zero."""
        pose = np.zeros(7)
        pose[3] = 1.0
        q, qd, _ = joints.at(0.0)
        matrix = self._set(pose, np.zeros(6), q, qd)
        momentum = matrix[:6, self.rates] @ qd
        if len(self.spin):
            momentum[3:] += wheels.at(0.0)[1] @ self.spin
        twist = np.zeros(6)
        own = matrix[self.free[:, None], self.free]
        twist[self.free] = -np.linalg.solve(own, momentum[self.free])
        return twist

    def acceleration(
        self,
        pose: NDArray,
        twist: NDArray,
        time: float,
        wrench: NDArray,
        force: NDArray,
        joints: Motion,
        wheels: Motion,
    ) -> NDArray:
        """Return the base's acceleration: linear in inertial, angular in base axes."""
        q, qd, qdd = joints.at(time)
        matrix = self._set(pose, twist, q, qd)
        data, R = self.data, np.zeros(9)
        mujoco.mju_quat2Mat(R, pose[3:])
        R = R.reshape(3, 3)
        acting = -data.qfrc_bias[:6] - matrix[:6, self.rates] @ qdd
        acting[:3] += R @ wrench[:3] + force
        acting[3:] += wrench[3:]
        acting[3:] += R.T @ _cross(data.subtree_com[1] - pose[:3], force)
        if len(self.spin):
            rate, change = wheels.at(time)[1:]
            acting[3:] -= change @ self.spin + _cross(twist[3:], rate @ self.spin)
        found = np.zeros(6)
        own = matrix[self.free[:, None], self.free]
        found[self.free] = np.linalg.solve(own, acting[self.free])
        return found

    def step(
        self,
        pose: NDArray,
        twist: NDArray,
        time: float,
        wrench: NDArray,
        force: NDArray,
        joints: Motion,
        wheels: Motion,
    ) -> tuple[NDArray, NDArray]:
        """Return pose and velocity a step later, by Runge and Kutta's rule."""

        def slope(state: NDArray, at: float) -> NDArray:
            w, x, y, z = state[3:7]
            a, b, c = state[10:]
            turning = 0.5 * np.array(
                [-x * a - y * b - z * c, w * a + y * c - z * b, w * b + z * a - x * c,
                 w * c + x * b - y * a]
            )  # fmt: skip
            change = self.acceleration(state[:7], state[7:], at, wrench, force, joints, wheels)
            return np.concatenate([state[7:10], turning, change])

        state = np.concatenate([pose, twist])
        one = slope(state, time)
        two = slope(state + 0.5 * STEP * one, time + 0.5 * STEP)
        three = slope(state + 0.5 * STEP * two, time + 0.5 * STEP)
        four = slope(state + STEP * three, time + STEP)
        state = state + STEP / 6.0 * (one + 2.0 * two + 2.0 * three + four)
        state[3:7] /= np.linalg.norm(state[3:7])
        return state[:7], state[7:]


@dataclass(frozen=True)
class Sensing:
    """Rates of the sensors, Hz (none if 0), and how they are read.

    Parameters
    ----------
    pose, joints, gyro, twist : float
        Rates.
    encoder_step : float
        Step of the encoders, rad; white noise alone if 0.
    on_receipt : float
        Grid that stamps of poses are rounded up to, s; none if 0.
    transport : float
        Longest time that a pose takes to be received, any from zero on, s.
    """

    pose: float = 10.0
    joints: float = 50.0
    gyro: float = 0.0
    twist: float = 0.0
    encoder_step: float = 0.0
    on_receipt: float = 0.0
    transport: float = 0.0


def sensed(
    robot: RobotModel, flown: Flown, truth: Truth, sensing: Sensing, rng: np.random.Generator
) -> Record:
    """Return the readings of a flight, every one at its own stamp."""
    noise, duration = robot.noise, flown.times[-1]
    n = len(robot.joints)
    position = CubicSpline(flown.times, flown.position)
    attitude = RotationSpline(flown.times, Rotation.from_quat(flown.attitude))
    twist = CubicSpline(flown.times, flown.twist)

    def stamps(rate: float) -> NDArray[np.float64]:
        return np.arange(rng.uniform(0.0, 1.0 / rate), duration, 1.0 / rate)

    parts: list[Record] = []

    def add(times: NDArray[np.float64], column: int, **columns: NDArray[np.float64]) -> None:
        count = len(times)
        variance = np.full((count, 4), np.inf)
        variance[:, column] = 1.0
        whole: dict[str, Callable | NDArray] = {
            'q': np.full((count, n), np.nan),
            'qd': np.full((count, n), np.nan),
            'wheel_rates': np.full((count, len(robot.wheels)), np.nan),
            'base_twist': np.full((count, 6), np.nan),
            'position': np.full((count, 3), np.nan),
            'attitude': np.full((count, 4), np.nan),
        }
        parts.append(Record(times, **(whole | columns), variance=variance))

    times = stamps(sensing.joints)
    q, qd, _ = flown.joints.at(times)
    q = q + noise.joint_position * rng.normal(size=q.shape)
    if sensing.encoder_step:
        q = sensing.encoder_step * np.round(q / sensing.encoder_step)
    qd = qd + noise.joint_rate * rng.normal(size=qd.shape)
    add(times, 0, q=q, qd=qd, wheel_rates=flown.wheels.at(times)[1])
    times = stamps(sensing.pose)
    place = position(times) + noise.base_position * rng.normal(size=(len(times), 3))
    turn = Rotation.from_rotvec(noise.base_attitude * rng.normal(size=(len(times), 3)))
    seen = (attitude(times) * turn).as_quat()
    late = times + truth.clock
    if sensing.transport:
        late = late + sensing.transport * rng.uniform(size=len(times))
    if sensing.on_receipt:
        late = sensing.on_receipt * np.ceil(late / sensing.on_receipt)
        late, keep = np.unique(late, return_index=True)
        place, seen = place[keep], seen[keep]
    add(late, 3, position=place, attitude=seen)
    for name, column, half in (('gyro', 1, slice(3, 6)), ('twist', 2, slice(0, 3))):
        rate = getattr(sensing, name)
        if rate:
            times = stamps(rate)
            std = noise.base_angular_velocity if name == 'gyro' else noise.base_linear_velocity
            values = np.full((len(times), 6), np.nan)
            values[:, half] = twist(times)[:, half] + std * rng.normal(size=(len(times), 3))
            add(times, column, base_twist=values)
    record = Record.concatenate(parts)
    record = record[np.argsort(record.times, kind='stable')]
    begin = min(record.times[0], flown.thrust.times[0])
    thrust = HeldSignal(
        np.append(begin - 1.0, flown.thrust.times),
        np.vstack([np.zeros(flown.thrust.values.shape[1]), flown.thrust.values]),
    )
    return replace(record, thrust=thrust)
