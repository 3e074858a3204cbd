"""The dual arm with a load on its last link, and a result of that robot."""

from dataclasses import replace

import numpy as np
from robots import dual_arm

from spacerobot_id.estimation.estimate import Estimate
from spacerobot_id.estimation.physical_consistency import ConsistentParameters
from spacerobot_id.estimation.result import Result
from spacerobot_id.methods.momentum import Momentum
from spacerobot_id.model import InertialParameters

PRIOR = dual_arm()
TENSOR = np.array([[2.0, 0.1, -0.2], [0.1, 3.0, 0.3], [-0.2, 0.3, 2.5]])
LOAD = InertialParameters.from_com(4.0, np.array([0.05, -0.02, 0.3]), 0.01 * TENSOR)
LINK = 'L6'


def carrying(load=LOAD):
    """Return the robot with a load on its last link, in that link's frame of the URDF."""
    index = PRIOR.link_names.index(LINK)
    link = PRIOR.links[index]
    inside = load.expressed_in(link.R_UL.T, np.zeros(3))
    body = InertialParameters.from_vector(link.inertial.vector + inside.vector)
    links = (*PRIOR.links[:index], replace(link, inertial=body), *PRIOR.links[index + 1 :])
    return replace(PRIOR, links=links)


def result_of(model=None, misfit=1.0, method=Momentum):
    """Return a result whose robot is a model."""
    model = model or carrying()
    made = method.from_model(PRIOR)
    links = ConsistentParameters(model, misfit, 10.0)
    values = method.from_model(model).prior().mean
    estimate = Estimate(
        made.unknowns.names[: made.unknowns.parameters],
        made.unknowns.units[: made.unknowns.parameters],
        values[: made.unknowns.parameters],
        np.eye(made.unknowns.parameters),
        np.full(made.unknowns.parameters, 10.0),
        rank=1,
        condition=1.0,
        samples=600,
        chi_square=1.0,
    )
    return Result(made, estimate, values, np.zeros(len(PRIOR.joints)), links=links)
