"""Flights of robots in dynamic simulation, and what must hold of any of them."""

from motions import paper_plan
import numpy as np
from robots import dual_arm
from scipy.spatial.transform import Rotation

from spacerobot_id.kinematics import link_motion
from spacerobot_id.kinematics.trajectory_motion import JointTrajectory
from spacerobot_id.multibody import centre_of_mass, mass_matrix, momentum, wheel_momentum
from spacerobot_id.simulation import DynamicSimulation


def sample_times(seconds, rate=100.0, begin=0.0):
    """Return times of samples."""
    return begin + np.arange(1, round(seconds * rate) + 1) / rate


def cycloids(plan, names, spacing=0.05):
    """Return the part of a plan that some actuators have, as a trajectory."""
    times = np.arange(1, round(plan.duration / spacing) + 1) * spacing
    motion = plan.sample(times)
    columns = [plan.names.index(name) for name in names]
    values = (motion.position, motion.velocity, motion.acceleration)
    return JointTrajectory(tuple(names), times, *(each[:, columns] for each in values))


def flight(mode='rotation-floating', *, model=None, intervals=67, wheels=True, **keywords):
    """Return a dual-arm robot on the exciting motion of the paper."""
    model = dual_arm() if model is None else model
    plan = paper_plan(intervals)
    begin = plan.knots[0, : len(model.joints)]
    simulation = DynamicSimulation.at_rest(model, begin, mode=mode, **keywords)
    simulation = simulation.with_joint_trajectory(cycloids(plan, model.joint_names))
    if wheels:
        simulation = simulation.with_wheel_trajectory(cycloids(plan, model.wheel_names))
    return simulation


def total_momentum(model, samples):
    """Return the momentum in inertial axes, the angular one about the centre of mass, (N, 6)."""
    total = momentum(model, samples.q, samples.qd, samples.base_twist)
    total = total + wheel_momentum(model, samples.q, samples.wheel_rates)
    centres = centre_of_mass(model, samples.q)
    about_centre = total[:, 3:] - np.cross(centres, total[:, :3])
    turned = Rotation.from_quat(samples.attitude)
    return np.hstack([turned.apply(total[:, :3]), turned.apply(about_centre)])


def largest_link_momentum(model, samples):
    """Return the largest momentum of a single link about its own centre of mass, kg m^2/s."""
    motion = link_motion(model, samples.q, samples.qd, samples.base_twist)
    largest = 0.0
    for index, link in enumerate(model.links):
        speed = np.linalg.norm(motion.linear[index], axis=0)
        turning = np.linalg.norm(motion.angular[index], axis=0)
        largest = max(largest, (link.inertial.mass * speed).max())
        largest = max(largest, (np.linalg.norm(link.inertial.inertia_about_com) * turning).max())
    return largest


def kinetic_energy(model, samples):
    """Return the kinetic energy of links and wheels; all wheels are on the base, shape (N,)."""
    rates = np.hstack([samples.base_twist, samples.qd])
    energy = 0.5 * np.einsum('ni,nij,nj->n', rates, mass_matrix(model, samples.q), rates)
    for place, wheel in enumerate(model.wheels):
        assert wheel.link == 0
        rate = samples.wheel_rates[:, place]
        along = samples.base_twist[:, 3:] @ wheel.axis
        energy += wheel.spin_inertia * rate * (along + 0.5 * rate)
    return energy
