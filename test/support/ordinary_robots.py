"""Descriptions of ordinary robots that have little: no joint, no wheel, no YAML file, no size.

Each is a URDF and, but for the bare one, a YAML file, as text; the prior is off as a whole and
link by link, so that an answer of the prior is no right answer.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

_LIMITS = {'effort': 30.0, 'velocity': 1.0, 'lower': -2.5, 'upper': 2.5}
_NOISE = {
    'joint_position': 1e-5,
    'joint_rate': 5e-5,
    'base_angular_velocity': 5e-5,
    'base_linear_velocity': 5e-5,
    'base_position': 5e-5,
    'base_attitude': 5e-5,
}


@dataclass(frozen=True)
class Ordinary:
    """A robot by what it has.

    Parameters
    ----------
    mass : float
        Mass of its base, kg.
    size : float
        Radius of gyration of its base, m.
    joints : int
        Joints, each carrying a tenth of the base.
    wheels : int
        Reaction wheels.
    boxes : bool
        Whether centres of mass are on the axes and no product of inertia is there.
    yaml : bool
        Whether there is a YAML file.
    planar : bool
        Whether all axes are those of z.
    """

    mass: float = 50.0
    size: float = 0.3
    joints: int = 0
    wheels: int = 0
    boxes: bool = False
    yaml: bool = True
    planar: bool = False

    def urdf(self, name: str, off: float = 0.0) -> str:
        """Return its URDF, masses and inertias wrong by a share, other for each link."""
        links = [self._link('base', self.mass, self.size, 1.0 + off)]
        for k in range(self.joints):
            links.append(self._link(f'link_{k}', 0.1 * self.mass, self.size, 1.0 - 0.7 * off))
            links.append(self._joint(k))
        links += [each for k in range(self.wheels) for each in self._wheel(k)]
        return f'<robot name="{name}">\n' + '\n'.join(links) + '\n</robot>\n'

    def yaml_text(self) -> str | None:
        """Return its YAML file; None if there is none."""
        if not self.yaml:
            return None
        lines = ['noise:', *(f'  {key}: {value}' for key, value in self.noise.items())]
        if self.joints:
            lines.append('joint_limits:')
            lines += [f'  joint_{k}: {{acceleration: 4.0}}' for k in range(self.joints)]
        if self.wheels:
            lines.append('wheels:')
            rate = 100.0
            torque = 0.2 * self.mass * self.size**2
            lines += [
                f'  - {{joint: wheel_{k}, max_rate: {rate}, max_torque: {torque}}}'
                for k in range(self.wheels)
            ]
        return '\n'.join(lines) + '\n'

    @property
    def noise(self) -> dict[str, float]:
        """Noise of the sensors: linear velocities scale with size."""
        scaled = ('base_linear_velocity', 'base_position')
        noise = {k: v * (self.size if k in scaled else 1.0) for k, v in _NOISE.items()}
        return noise | {'rate': 25.0}

    def _link(self, name: str, mass: float, size: float, share: float) -> str:
        centre = np.zeros(3) if self.boxes else size * np.array([0.12, -0.08, 0.1])
        if name != 'base':
            centre = size * np.array([0.9, 0.0, 0.0] if self.boxes else [0.8, 0.1, 0.15])
        moments = mass * size**2 * np.array([1.0, 1.2, 0.8])
        products = np.zeros(3) if self.boxes else mass * size**2 * np.array([0.05, -0.04, 0.03])
        keys = ('ixx', 'iyy', 'izz', 'ixy', 'ixz', 'iyz')
        values = share * np.concatenate([moments, products])
        inertia = ' '.join(f'{k}="{float(v)!r}"' for k, v in zip(keys, values, strict=True))
        xyz = ' '.join(repr(float(c)) for c in centre)
        return (
            f'<link name="{name}"><inertial><origin xyz="{xyz}"/>'
            f'<mass value="{share * mass!r}"/><inertia {inertia}/></inertial></link>'
        )

    def _joint(self, k: int) -> str:
        parent = 'base' if k == 0 else f'link_{k - 1}'
        along = self.size * (1.5 if k == 0 else 1.8)
        axis = '0 0 1' if self.planar or k % 2 == 0 else '0 1 0'
        limit = ' '.join(f'{key}="{value}"' for key, value in self.limits.items())
        return (
            f'<joint name="joint_{k}" type="revolute"><parent link="{parent}"/>'
            f'<child link="link_{k}"/><origin xyz="{along!r} 0 0"/><axis xyz="{axis}"/>'
            f'<limit {limit}/></joint>'
        )

    @property
    def limits(self) -> dict[str, float]:
        """Limits of its joints."""
        return _LIMITS | {'effort': 10.0 * self.mass * self.size**2}

    def _wheel(self, k: int) -> list[str]:
        axis = '0 0 1' if self.planar else ' '.join('1' if k == i else '0' for i in range(3))
        spin = 2e-3 * self.mass * self.size**2
        mass = 0.01 * self.mass
        return [
            f'<link name="rotor_{k}"><inertial><mass value="{mass!r}"/><inertia '
            f'ixx="{spin!r}" iyy="{spin!r}" izz="{spin!r}" ixy="0" ixz="0" iyz="0"/>'
            '</inertial></link>',
            f'<joint name="wheel_{k}" type="continuous"><parent link="base"/>'
            f'<child link="rotor_{k}"/><axis xyz="{axis}"/></joint>',
        ]


ROBOTS = {
    'wheels_only': Ordinary(wheels=3),
    'one_body': Ordinary(),
    'one_joint': Ordinary(joints=1, wheels=3),
    'no_wheels': Ordinary(joints=2),
    'planar': Ordinary(joints=2, wheels=1, planar=True),
    'bare_urdf': Ordinary(joints=3, yaml=False),
    'boxes': Ordinary(joints=2, wheels=3, boxes=True),
    'micro': Ordinary(mass=1.0, size=0.03, joints=1, wheels=3),
    'station': Ordinary(mass=4e5, size=15.0, joints=1, wheels=3),
}
"""What every command and every method has to take."""


def write_robots(folder: Path) -> None:
    """Write every robot as it is, NAME.urdf, and as it is described, NAME_prior.urdf."""
    for name, robot in ROBOTS.items():
        for end, off in (('', 0.0), ('_prior', 0.2)):
            (folder / f'{name}{end}.urdf').write_text(robot.urdf(name, off))
            if (text := robot.yaml_text()) is not None:
                (folder / f'{name}{end}.yaml').write_text(text)
