"""Plan an exciting motion, fly it with noisy sensors, and identify the robot, all in Python."""

# %% What is known of the robot (the prior), and the robot that flies.
import numpy as np

from spacerobot_id.estimation import identify
from spacerobot_id.excitation import plan_excitation, PlannerSettings
from spacerobot_id.flight.conserved_flight import conserved_flight, with_sensor_noise
from spacerobot_id.methods.momentum import Momentum
from spacerobot_id.model import load_robot, shipped_file

prior = load_robot(shipped_file('config/robots/servicer_prior.urdf'))
robot = load_robot(shipped_file('config/robots/servicer.urdf'))

# %% A motion within the limits of the description. More draws give a better one.
settings = PlannerSettings(draws=5, restarts=1, iterations=3, duration=40.0)
present = np.zeros(len(prior.joints) + len(prior.wheels))
planned = plan_excitation(prior, present, settings)
print(f'{planned.plan.duration:.0f} s, {type(planned.plan).__name__}')

# %% What the sensors of the robot see of it at 50 Hz.
method = Momentum.from_model(prior)
record = with_sensor_noise(
    conserved_flight(robot, planned.plan, rate=50.0), Momentum.from_model(robot), seed=1
)
print(f'{len(record)} samples of {robot.name}')

# %% The fit.
result = identify(record, method)
estimate = result.estimate
print(f'usable: {result.is_usable}; chi-square {result.quality.chi_square:.2f}')

# %% How far off the prior was, and how far the estimate is, in its standard deviations.
truth = method.minimal.values(robot)
errors = (np.asarray(estimate.values) - truth) / estimate.std
print(f'errors: {np.sqrt(np.mean(errors**2)):.2f} standard deviations RMS')
mass = sum(link.inertial.mass for link in robot.links)
print(f'total mass: {result.robot.mass:.2f} kg, true {mass:.2f} kg')
