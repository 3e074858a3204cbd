"""Units of a description: numbers that are far from any robot are asked about, a sentence each."""

from collections.abc import Iterator

import numpy as np

from spacerobot_id.model.description.description import RobotDescription
from spacerobot_id.model.inertial_parameters import InertialParameters

_LIGHTEST, _HEAVIEST = 1e-3, 2e5
"""Densities beyond which no robot is, of spheres with the mass and the inertia of its links."""

_FAR, _MANY_SIZES = 10.0, 30.0
"""Distance of joints, m and in sizes of links, from which on lengths are not believed."""

_TURNS = 5.0 * np.pi
"""Ends of a joint's motion that look like degrees, rad."""


def warn_of_units(description: RobotDescription) -> None:
    """Warn of numbers that look like grams, millimetres or degrees."""
    solid = [each for each in description.links if each.inertial and _radius(each.inertial)]
    densities = {each.name: _density(each.inertial) for each in solid}
    odd = {name: each for name, each in densities.items() if not _LIGHTEST < each < _HEAVIEST}
    if len(odd) > len(solid) / 2.0:
        name, density = next(iter(odd.items()))
        description.link_place(name).warn(
            f'by its mass and inertia its density is about {density:.1g} kg/m^3, which no robot '
            'has: masses are in kg, inertias in kg m^2'
        )
    radii = {each.name: _radius(each.inertial) for each in solid}
    lengths = dict(_lengths(description, radii))
    if lengths and np.median([*lengths.values()]) > _MANY_SIZES:
        name = next(iter(lengths))
        description.joint_place(name).warn(
            f'it is {lengths[name]:.0f} times the size of its link, by mass and inertia, away '
            'from the joint before: lengths are in m'
        )
    for joint in description.joints:
        ends = [each for each in (joint.limits.lower, joint.limits.upper) if np.isfinite(each)]
        if joint.type == 'revolute' and max(map(abs, ends), default=0.0) > _TURNS:
            description.joint_place(joint.name).warn(
                f'its limits reach {max(ends, key=abs):g} rad, which look like degrees: angles '
                'are in rad'
            )


def _radius(inertial: InertialParameters) -> float:
    """Return the radius of the sphere with this mass and inertia, m; zero where there is none."""
    if not inertial.mass > 0.0:
        return 0.0
    moment = float(np.trace(inertial.inertia_about_com)) / 3.0
    return float(np.sqrt(max(2.5 * moment / inertial.mass, 0.0)))


def _density(inertial: InertialParameters) -> float:
    return inertial.mass / (4.0 / 3.0 * np.pi * _radius(inertial) ** 3)


def _lengths(
    description: RobotDescription, radii: dict[str, float]
) -> Iterator[tuple[str, float]]:
    """Yield how far joints are from those before, in sizes of links, where it is very far."""
    for joint in description.joints:
        size = max(radii.get(joint.parent, 0.0), radii.get(joint.child, 0.0))
        distance = float(np.linalg.norm(joint.p_PC_P))
        if size and distance:
            yield joint.name, distance / size if distance > _FAR else 0.0
