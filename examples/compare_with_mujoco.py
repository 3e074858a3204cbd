"""Load a robot into MuJoCo and compare its mass matrix with ours: pip install mujoco."""

# %% A URDF as this package writes it; MuJoCo takes it as it is, but for the free base.
import mujoco
import numpy as np

from spacerobot_id.model import load_robot, shipped_file, urdf_from_robot
from spacerobot_id.multibody import mass_matrix

robot = load_robot(shipped_file('config/robots/wilde_spatial.urdf'))
spec = mujoco.MjSpec.from_string(urdf_from_robot(robot))
spec.worldbody.first_body().add_freejoint()
model = spec.compile()
print(f'{robot.name}: {model.nv} degrees of freedom in MuJoCo')

# %% One configuration in both.
q = np.linspace(-0.5, 0.7, len(robot.joints))
data = mujoco.MjData(model)
for name, position in zip(robot.joint_names, q, strict=True):
    data.joint(name).qpos = position
mujoco.mj_forward(model, data)
theirs = np.zeros((model.nv, model.nv))
mujoco.mj_fullM(model, data, theirs)

# %% The base first in both, then the joints in our order.
columns = [*range(6), *(model.joint(name).dofadr[0] for name in robot.joint_names)]
difference = np.abs(theirs[np.ix_(columns, columns)] - mass_matrix(robot, q[None])[0])
print(f'largest difference: {difference.max() / np.abs(theirs).max():.0e} of the largest element')
