"""From arrays of a simulation, a notebook or a CSV file to parameters in five lines."""

# %% The arrays: here those of a flight of 30 s, as sensors of 50 Hz see it.
import numpy as np

import spacerobot_id as sid
from spacerobot_id.flight.conserved_flight import conserved_flight, with_sensor_noise
from spacerobot_id.methods.momentum import Momentum
from spacerobot_id.model import shipped_file

prior = sid.load_robot(shipped_file('config/robots/servicer_prior.urdf'))
robot = sid.load_robot(shipped_file('config/robots/servicer.urdf'))
motion = sid.plan(prior, duration=30.0, draws=3, restarts=1, iterations=2).plan
flight = conserved_flight(robot, motion, rate=50.0)
sensed = with_sensor_noise(flight, Momentum.from_model(robot), seed=1)

# %% Five lines: names and shapes are those of sid.identify.
arrays = {'times': sensed.times, 'q': sensed.q, 'qd': sensed.qd, 'wheel_rates': sensed.wheel_rates}
arrays |= {'gyro': sensed.base_twist[:, 3:], 'twist': sensed.base_twist}
found = sid.identify(arrays, prior)
print(found)
print('\n'.join(found.table().splitlines()[-5:]))

# %% How far off the prior was, and how far the estimate is.
names, minimal = found.names, sid.minimal_parameters(robot)
truth, before = minimal.values(robot), minimal.values(prior)
worst = np.argmax(np.abs(before - truth))
print(
    f'{names[worst]}: {before[worst]:.4g}, identified {found.values[worst]:.4g} '
    f'+- {found.std[worst]:.2g}, true {truth[worst]:.4g}'
)
