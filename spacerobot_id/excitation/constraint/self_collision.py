"""Distances between links that are no neighbours, as capsules (Ericson, 2005, section 5.1.9)."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.excitation.constraint.motion_limit import usage_gradient
from spacerobot_id.kinematics import link_poses, LinkPoses
from spacerobot_id.kinematics.trajectory_motion import PlannedMotion, SampleGradient
from spacerobot_id.model import Capsule, RobotModel

_TRIED = 300
"""Configurations drawn to see which pairs touch wherever the joints are."""

_ALWAYS = 0.95
"""Share of them from which on a pair counts as touching by design."""


@dataclass(frozen=True, eq=False)
class SelfCollisionLimit:
    """Distances of pairs of capsules: radii and clearance over the distance of their axes.

    Parameters
    ----------
    model : RobotModel
        Robot with collision shapes.
    pairs : tuple of pairs of int
        Shapes that must not touch.
    clearance : float
        Least distance of their surfaces, m.
    """

    model: RobotModel
    pairs: tuple[tuple[int, int], ...]
    clearance: float

    @classmethod
    def of(cls, model: RobotModel, clearance: float) -> 'SelfCollisionLimit | None':
        """Return the limit of all pairs that a joint can bring together; None without any.

        Links that share a joint are neighbours. Pairs that touch in nearly all configurations
        drawn at random do so by design of the robot or of its shapes and do not count.
        """
        shapes = model.collision
        joined = {(joint.parent, child) for child, joint in enumerate(model.tree_joints, 1)}
        pairs = [
            (i, j)
            for i in range(len(shapes))
            for j in range(i + 1, len(shapes))
            if shapes[i].link != shapes[j].link
            and not joined & {(shapes[i].link, shapes[j].link), (shapes[j].link, shapes[i].link)}
        ]
        if clearance < 0.0 or not pairs:
            return None
        every = cls(model, tuple(pairs), clearance)
        touching = np.mean(every._usage(_random_positions(model)) > 1.0, axis=0)
        kept = [pair for pair, share in zip(pairs, touching, strict=True) if share < _ALWAYS]
        return cls(model, tuple(kept), clearance) if kept else None

    has_gradient: ClassVar[bool] = True

    @property
    def names(self) -> list[str]:
        """What is limited."""
        links, shapes = self.model.link_names, self.model.collision
        return [
            f'{links[shapes[i].link]}: distance to {links[shapes[j].link]}' for i, j in self.pairs
        ]

    def usage(self, motion: PlannedMotion) -> NDArray[np.float64]:
        """Return the shares, shape (N, c)."""
        return self._usage(motion.position[:, : len(self.model.joints)])

    def pull_back(self, motion: PlannedMotion, by: NDArray[np.float64]) -> SampleGradient:
        """Return derivatives by the samples from those by the shares."""
        return usage_gradient(self.usage, motion, by, ['position'], len(self.model.joints))

    def _usage(self, q: NDArray[np.float64]) -> NDArray[np.float64]:
        poses, shapes = link_poses(self.model, q), self.model.collision
        axes = [_axis(shape, poses) for shape in shapes]
        columns = []
        for i, j in self.pairs:
            needed = shapes[i].radius + shapes[j].radius + self.clearance
            distance = segment_distance(*axes[i], *axes[j])
            columns.append(needed / np.maximum(distance, 1e-6 * needed))
        return np.stack(columns, axis=1)


def segment_distance(
    start: NDArray[np.float64],
    way: NDArray[np.float64],
    other_start: NDArray[np.float64],
    other_way: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return the distances of pairs of segments; arrays of shape (3, N), m; points may be theirs.

    Returns
    -------
    ndarray, shape (N,)
        Least distances, m.
    """
    between = start - other_start
    a, e = np.sum(way**2, axis=0), np.sum(other_way**2, axis=0)
    b, c = np.sum(way * other_way, axis=0), np.sum(way * between, axis=0)
    f = np.sum(other_way * between, axis=0)
    tiny = np.finfo(float).tiny
    determinant = a * e - b**2
    along = np.where(
        determinant > 1e-12 * a * e, (b * f - c * e) / np.maximum(determinant, tiny), 0.0
    ).clip(0.0, 1.0)
    other = ((b * along + f) / np.maximum(e, tiny)).clip(0.0, 1.0)
    along = ((b * other - c) / np.maximum(a, tiny)).clip(0.0, 1.0)
    return np.linalg.norm(between + along * way - other * other_way, axis=0)


def _axis(shape: Capsule, poses: LinkPoses) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return start and way of a capsule's axis in base axes, each of shape (3, N)."""
    axes, origin = poses.axes[shape.link], poses.origins[shape.link]
    start = origin + np.tensordot(shape.start, axes, axes=1)
    return start, np.tensordot(shape.end - shape.start, axes, axes=1)


def _random_positions(model: RobotModel) -> NDArray[np.float64]:
    """Return configurations drawn evenly within the limits."""
    lower = np.array([max(joint.limits.lower, -np.pi) for joint in model.joints])
    upper = np.array([min(joint.limits.upper, np.pi) for joint in model.joints])
    shape = (_TRIED, len(model.joints))
    return lower + (upper - lower) * np.random.default_rng(0).random(shape)
