"""Load a URDF and ask the core for masses, momenta and the inertia of the whole."""

# %% The description: a URDF, and beside it a YAML file with wheels, limits and noise.
import numpy as np

from spacerobot_id.model import load_robot, shipped_file
from spacerobot_id.multibody import (
    base_twist_from_momentum,
    mass_matrix,
    momentum,
    wheel_momentum,
    whole_robot,
)

robot = load_robot(shipped_file('config/robots/servicer.urdf'))
print(
    f'{robot.name}: joints {", ".join(robot.joint_names)}; wheels {", ".join(robot.wheel_names)}'
)

# %% The whole robot as one body, with its arm stretched and folded, for both at once.
q = np.array([np.zeros(7), [0.0, 0.9, 0.0, -1.8, 0.0, 0.9, 0.0]])
for name, angles in zip(('stretched', 'folded'), q, strict=True):
    body = whole_robot(robot, angles)
    print(f'{name}: {body.mass:.1f} kg, centre of mass {np.round(body.com, 3)} m')

# %% How the base moves when joints do, at zero momentum: no integration, one solve per sample.
qd = np.full((2, 7), 0.1)
wheel_rates = np.zeros((2, 3))
twist = base_twist_from_momentum(robot, q, qd, wheel_rates)
print(f'base turns with {np.round(twist[:, 3:], 4).tolist()} rad/s')
left = momentum(robot, q, qd, twist) + wheel_momentum(robot, q, wheel_rates)
print(f'momentum that is left: {np.abs(left).max():.0e}')

# %% The mass matrix of base and joints.
print(f'mass matrix: {mass_matrix(robot, q).shape}')
