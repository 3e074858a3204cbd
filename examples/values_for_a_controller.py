"""Mass, centre of mass and inertia at a configuration from a result, for a controller."""

# %% A result as `spacerobot-id report` and `~/save` write it; here one is made first.
import json
from pathlib import Path
import tempfile

import numpy as np

from spacerobot_id.estimation import identify
from spacerobot_id.excitation.trajectory.cycloids import ExcitationPlan
from spacerobot_id.flight.conserved_flight import conserved_flight, with_sensor_noise
from spacerobot_id.methods.momentum import Momentum
from spacerobot_id.model import load_robot, shipped_file

robot = load_robot(shipped_file('config/robots/servicer.urdf'))
prior = load_robot(shipped_file('config/robots/servicer_prior.urdf'))
rng = np.random.default_rng(0)
knots = 0.4 * rng.normal(size=(12, len(robot.joints) + len(robot.wheels)))
knots[:, len(robot.joints) :] *= 50.0
names = (*robot.joint_names, *robot.wheel_names)
motion = ExcitationPlan(names, knots, np.full(11, 4.0))
record = with_sensor_noise(conserved_flight(robot, motion, 25.0), Momentum.from_model(robot), 0)
result = identify(record, Momentum.from_model(prior))
file = Path(tempfile.mkdtemp()) / 'result.json'
file.write_text(json.dumps(result.to_dict()))

# %% What a controller needs, and when it may use it.
found = json.loads(file.read_text())
body = found['robot']
if found['usable']:
    print(f'mass {body["mass"]:.1f} +- {1.96 * body["mass_std"]:.1f} kg (95 %)')
    print(f'centre of mass {np.round(body["center_of_mass"], 4).tolist()} m')
    print(f'inertia about it, kg m^2:\n{np.round(body["inertia"], 2)}')
for reason in [*found['defects'], *found['warnings']]:
    print(f'note: {reason}')
