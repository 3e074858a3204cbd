"""The node ``planner``: plans an exciting motion, sends it, follows it, and stops it."""

import sys

from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.excitation.planner_node_settings import PlannerNodeSettings
from spacerobot_id.model import load_robot, RobotModel
from spacerobot_id.nodes.free_flyer_planner import FreeFlyerPlanner
from spacerobot_id.nodes.joint_planner import JointPlanner
from spacerobot_id.nodes.lifecycle import ManagedNode
from spacerobot_id.nodes.planning_job import check_mission
from spacerobot_id.nodes.process import run_node


class Planner(ManagedNode):
    """Plans in a thread, sends commands, follows the motion, and says where it is."""

    settings_type = PlannerNodeSettings
    _planner: JointPlanner | FreeFlyerPlanner | None = None
    _model: RobotModel | None = None

    def __init__(self) -> None:
        super().__init__('planner')

    def check_settings(self, settings: PlannerNodeSettings) -> None:
        """Refuse what the robot, once it is loaded, does not have."""
        if self._model is not None:
            check_mission(self._model, settings)

    def configure(self) -> None:
        """Load the prior model, make topics and services."""
        settings = self.settings
        if not settings.robot:
            raise ConfigurationError('robot: the path of a URDF is needed')
        is_free_flyer = settings.method == 'free_flyer'
        if is_free_flyer and settings.plan_file:
            raise ConfigurationError(
                'plan_file: such a plan moves joints and wheels, not the base as free_flyer '
                'does; leave it empty'
            )
        with self.warnings_logged():
            model = load_robot(settings.robot)
        check_mission(model, settings)
        self._planner = (
            FreeFlyerPlanner(self, model) if is_free_flyer else JointPlanner(self, model)
        )
        self._model = model

    def activate(self) -> None:
        """Say that there is no plan yet."""
        self._planner.activate()

    def deactivate(self) -> None:
        """Bring everything to rest."""
        self._planner.deactivate()

    def close(self) -> None:
        """End the planning."""
        if self._planner is not None:
            self._planner.close()


def main(args: list[str] | None = None) -> int:
    """Run the node until SIGINT or SIGTERM; return the exit code."""
    return run_node(Planner, args)


if __name__ == '__main__':
    sys.exit(main())
