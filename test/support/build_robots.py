"""Writes the URDFs in config/robots; a test holds that they are what this writes.

Run it with this package on the path: ``python test/build_robots.py``.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
import warnings

from air_bearing import air_bearing
from dh import robot_from_dh
import numpy as np
from servicer_urdf import servicer_urdf
from space_cobot_urdf import space_cobot_urdf
from wilde_urdf import wilde_planar_urdf, wilde_spatial_urdf
import yaml

from spacerobot_id.exceptions import DescriptionWarning
from spacerobot_id.model import JointLimits, RobotModel, urdf_from_robot

DATA = Path(__file__).parent / 'data'
ROBOTS = Path(__file__).parents[2] / 'config' / 'robots'


def naveen_table() -> Mapping[str, object]:
    """Return the facts of the dual-arm robot of [Naveen 2024]."""
    return yaml.safe_load((DATA / 'naveen_dual_arm.yaml').read_text(encoding='utf-8'))


def naveen_robot(parameters: str) -> RobotModel:
    """Return the dual-arm robot of [Naveen 2024] with one of its two sets of parameters."""
    table = naveen_table()
    reach = np.deg2rad(table['joint_limits']['range_deg'])
    limits = JointLimits(-reach, reach, np.deg2rad(table['joint_limits']['velocity_deg']))
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', DescriptionWarning)
        model = robot_from_dh(table, parameters)
    return replace(model, tree_joints=[replace(joint, limits=limits) for joint in model.joints])


def christidi_table() -> Mapping[str, object]:
    """Return the facts of the spatial arm of [Christidi 2017]."""
    return yaml.safe_load((DATA / 'christidi_spatial_arm.yaml').read_text(encoding='utf-8'))


def christidi_robot(parameters: str) -> RobotModel:
    """Return the spatial arm of [Christidi 2017] as it is, or as a prior may have it."""
    table = christidi_table()
    reach = np.deg2rad(table['joint_limits']['range_deg'])
    limits = JointLimits(-reach, reach, table['joint_limits']['velocity'])
    model = robot_from_dh(table, parameters)
    return replace(model, tree_joints=[replace(joint, limits=limits) for joint in model.joints])


def urdf_files() -> dict[str, str]:
    """Return the text of each URDF in config/robots by its name."""
    return {
        'air_bearing.urdf': urdf_from_robot(air_bearing()),
        'air_bearing_prior.urdf': urdf_from_robot(air_bearing(prior=True)),
        'christidi_spatial_arm.urdf': urdf_from_robot(christidi_robot('parameters_true')),
        'christidi_spatial_arm_prior.urdf': urdf_from_robot(christidi_robot('parameters_prior')),
        'naveen_dual_arm.urdf': urdf_from_robot(naveen_robot('parameters_true')),
        'naveen_dual_arm_prior.urdf': urdf_from_robot(naveen_robot('parameters_offset')),
        'servicer.urdf': servicer_urdf(prior=False),
        'servicer_prior.urdf': servicer_urdf(prior=True),
        'space_cobot.urdf': space_cobot_urdf(loaded=False),
        'space_cobot_loaded.urdf': space_cobot_urdf(loaded=True),
        'wilde_planar.urdf': wilde_planar_urdf(),
        'wilde_spatial.urdf': wilde_spatial_urdf(),
    }


if __name__ == '__main__':
    for name, text in urdf_files().items():
        (ROBOTS / name).write_text(text, encoding='utf-8')
