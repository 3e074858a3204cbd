"""Ask what a set of sensors can show of a robot before anything has moved."""

# %% The same robot with other sensors: how many of the minimal parameters show.
from spacerobot_id.model import load_robot, shipped_file
from spacerobot_id.regressor import identifiability_table, minimal_parameters

robot = load_robot(shipped_file('config/robots/servicer.urdf'))
for row in identifiability_table(robot):
    print(f'{row.measured:<42} {row.rank} of {row.total}: {row.verdict}')

# %% The minimal parameters, and their values for the description.
minimal = minimal_parameters(robot)
for name, value in list(zip(minimal.names, minimal.values(robot), strict=True))[:12]:
    print(f'{name:<20} {value:10.4f}')
