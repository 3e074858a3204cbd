"""The same robot with another link called the base ([Jain 1995] section 3 and Appendix A)."""

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.transform import Rotation

from spacerobot_id.kinematics.link_motion import link_motion, link_poses
from spacerobot_id.model.joint import Joint
from spacerobot_id.model.robot_model import Frame, Link, ReactionWheel, RobotModel
from spacerobot_id.spatial import rotation_from_quaternion

_HALF_TURN = np.diag([1.0, -1.0, -1.0])
"""About x: a reversed joint's z axis points the other way, so that q, rate and torque stay."""


@dataclass(frozen=True, eq=False)
class Rerooting:
    """A robot with another base, and where its links and joints were before.

    Links on the path between the two bases are moved by another joint than before; their frames
    are on the axes of those. All others keep theirs, the new base among them.

    Parameters
    ----------
    model : RobotModel
        The robot with the new base.
    links : ndarray of int, shape (n + 1,)
        Number that each link had before.
    joints : ndarray of int, shape (n,)
        Number that each joint with a position of its own had before: ``q[:, joints]`` are the
        positions of the new model, and so with rates, accelerations and torques.
    R_LN : ndarray, shape (n + 1, 3, 3)
        Rotation from each link's new axes to those it had before.
    p_LN_L : ndarray, shape (n + 1, 3)
        Origin of each link's new frame in the one it had before, m.
    """

    model: RobotModel
    links: NDArray[np.int64]
    joints: NDArray[np.int64]
    R_LN: NDArray[np.float64]
    p_LN_L: NDArray[np.float64]


def reroot(model: RobotModel, base: int) -> Rerooting:
    """Return the same robot with another link called the base.

    Joints on the path from the old base are reversed: their child becomes their parent. Wheels,
    named frames and limits go with their links and joints.

    Parameters
    ----------
    model : RobotModel
        Robot with n joints.
    base : int
        Number of the link to be called the base.

    Returns
    -------
    Rerooting
        The new model and how to carry values over.

    Raises
    ------
    ValueError
        If there is no such link.
    """
    if not 0 <= base < len(model.links):
        raise ValueError(f'base: must be one of {len(model.links)} links, got {base}')
    path = _path_to_base(model, base)
    R_LN, p_LN_L = _new_frames(model, path)
    links, joints = _new_order(model, base)
    number = np.argsort(links)
    reversed_joints = {child - 1 for child in path[:-1]}

    def placed(joint: int) -> Joint:
        old = model.tree_joints[joint]
        parent = old.parent
        if joint in reversed_joints:
            parent, old = joint + 1, replace(old, R_PC=_HALF_TURN, p_PC_P=np.zeros(3))
        return _in_parent(old, int(number[parent]), R_LN[parent], p_LN_L[parent])

    moved = replace(
        model,
        links=[_moved_link(model.links[link], R_LN[link], p_LN_L[link]) for link in links],
        tree_joints=[placed(joint) for joint in joints],
        wheels=[
            _moved_wheel(wheel, int(number[wheel.link]), R_LN[wheel.link], p_LN_L[wheel.link])
            for wheel in model.wheels
        ],
        frames={
            name: _moved_frame(frame, int(number[frame.link]), R_LN, p_LN_L)
            for name, frame in model.frames.items()
        },
        collision=[
            shape.carried(
                int(number[shape.link]),
                R_LN[shape.link].T,
                -R_LN[shape.link].T @ p_LN_L[shape.link],
            )
            for shape in model.collision
        ],
    )
    before = {name: number for number, name in enumerate(model.joint_names)}
    leading = np.array([before[name] for name in moved.joint_names], dtype=np.int64)
    return Rerooting(moved, links, leading, R_LN[links], p_LN_L[links])


def _path_to_base(model: RobotModel, link: int) -> list[int]:
    """Return a link and those between it and the base, the base last."""
    path = [link]
    while path[-1]:
        path.append(model.tree_joints[path[-1] - 1].parent)
    return path


def _new_frames(
    model: RobotModel, path: list[int]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return where the links' new frames are in the old ones.

    A link whose parent will be its child has its frame where that child's is at position zero.
    """
    rotations = np.tile(np.eye(3), (len(model.links), 1, 1))
    origins = np.zeros((len(model.links), 3))
    for child, parent in pairwise(path):
        joint = model.tree_joints[child - 1]
        rotations[parent] = joint.R_PC @ _HALF_TURN
        origins[parent] = joint.p_PC_P
    return rotations, origins


def _new_order(model: RobotModel, base: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the old numbers of links and joints, depth first from the new base."""
    neighbours: list[list[tuple[int, int]]] = [[] for _ in model.links]
    for number, joint in enumerate(model.tree_joints):
        neighbours[joint.parent].append((number, number + 1))
        neighbours[number + 1].append((number, joint.parent))
    links, joints, waiting = [base], [], neighbours[base][::-1]
    seen = {base}
    while waiting:
        joint, link = waiting.pop()
        if link not in seen:
            seen.add(link)
            joints.append(joint)
            links.append(link)
            waiting.extend(neighbours[link][::-1])
    return np.array(links), np.array(joints, dtype=np.int64)


def _in_parent(
    joint: Joint, parent: int, R_LN: NDArray[np.float64], p_LN_L: NDArray[np.float64]
) -> Joint:
    """Return a joint placed in its parent's new frame."""
    place = R_LN.T @ (joint.p_PC_P - p_LN_L)
    return replace(joint, parent=parent, R_PC=R_LN.T @ joint.R_PC, p_PC_P=place)


def _moved_link(link: Link, R_LN: NDArray[np.float64], p_LN_L: NDArray[np.float64]) -> Link:
    """Return a link in its new frame; its axes in the description stay, their origin does not."""
    if not p_LN_L.any() and np.array_equal(R_LN, np.eye(3)):
        return link
    inertial = link.inertial.expressed_in(R_LN.T, -R_LN.T @ p_LN_L)
    return Link(link.name, inertial, link.R_UL @ R_LN)


def _moved_wheel(
    wheel: ReactionWheel, link: int, R_LN: NDArray[np.float64], p_LN_L: NDArray[np.float64]
) -> ReactionWheel:
    """Return a wheel on its carrier's new frame."""
    rotor = wheel.rotor
    if rotor is not None:
        place = R_LN.T @ (rotor.p_CR_C - p_LN_L)
        rotor = replace(rotor, R_CR=R_LN.T @ rotor.R_CR, p_CR_C=place)
    return replace(wheel, link=link, axis=R_LN.T @ wheel.axis, rotor=rotor)


def _moved_frame(
    frame: Frame, link: int, R_LN: NDArray[np.float64], p_LN_L: NDArray[np.float64]
) -> Frame:
    """Return a named frame in its link's new frame, given those of all links."""
    turn, place = R_LN[frame.link].T, p_LN_L[frame.link]
    return Frame(link, turn @ frame.R_LF, turn @ (frame.p_LF_L - place))


@dataclass(frozen=True, eq=False)
class RerootedState:
    """A state of the robot with the new base.

    Parameters
    ----------
    q, qd : ndarray, shape (N, n)
        Joint positions (rad or m) and rates (rad/s or m/s), in the new order.
    base_twist : ndarray, shape (N, 6)
        Linear (m/s) and angular (rad/s) velocity of the new base in its own axes.
    """

    q: NDArray[np.float64]
    qd: NDArray[np.float64]
    base_twist: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class BasePose:
    """Where a base is in the inertial frame.

    Parameters
    ----------
    position : ndarray, shape (N, 3)
        Position of its origin, m.
    attitude : ndarray, shape (N, 4)
        Attitude quaternions x y z w.
    """

    position: NDArray[np.float64]
    attitude: NDArray[np.float64]


def rerooted_state(
    model: RobotModel,
    rerooting: Rerooting,
    q: ArrayLike,
    qd: ArrayLike,
    base_twist: ArrayLike,
) -> RerootedState:
    """Return the same motion as the robot with the new base has it ([Jain 1995] Eq. A.3).

    Parameters
    ----------
    model : RobotModel
        Robot with the old base, n joints.
    rerooting : Rerooting
        What ``reroot`` made of it.
    q, qd : array_like, shape (N, n)
        Joint positions and rates of the old model.
    base_twist : array_like, shape (N, 6)
        Linear (m/s) and angular (rad/s) velocity of the old base in its axes.
    """
    q, qd = np.asarray(q, dtype=float), np.asarray(qd, dtype=float)
    motion, base = link_motion(model, q, qd, base_twist), rerooting.links[0]
    linear, angular = (
        np.einsum('kcn,cn->nk', motion.poses.axes[base], velocities[base])
        for velocities in (motion.linear, motion.angular)
    )
    joints = rerooting.joints
    return RerootedState(q[:, joints], qd[:, joints], np.hstack([linear, angular]))


def rerooted_pose(
    model: RobotModel,
    rerooting: Rerooting,
    q: ArrayLike,
    position: ArrayLike,
    attitude: ArrayLike,
) -> BasePose:
    """Return where the new base is when the old one is somewhere.

    Parameters
    ----------
    model : RobotModel
        Robot with the old base, n joints.
    rerooting : Rerooting
        What ``reroot`` made of it.
    q : array_like, shape (N, n)
        Joint positions of the old model.
    position : array_like, shape (N, 3)
        Position of the old base in the inertial frame, m.
    attitude : array_like, shape (N, 4)
        Attitude quaternions x y z w of the old base.
    """
    poses, base = link_poses(model, q), rerooting.links[0]
    R_WB = rotation_from_quaternion(attitude)
    R_WL = np.einsum('nij,kjn->nik', R_WB, poses.axes[base])
    moved = np.einsum('nij,jn->ni', R_WB, poses.origins[base])
    return BasePose(np.asarray(position) + moved, Rotation.from_matrix(R_WL).as_quat())
