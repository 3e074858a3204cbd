"""The node ``planner``: plans an exciting motion, sends it, follows it, and stops it."""

import sys

from spacerobot_id.excitation.planner_node_settings import PlannerNodeSettings
from spacerobot_id.methods.information.motion_information import InformationSource
from spacerobot_id.nodes.common.lifecycle import ManagedNode
from spacerobot_id.nodes.common.process import run_node
from spacerobot_id.nodes.common.robot_description import described_robot
from spacerobot_id.nodes.planner.job import check_mission, source_of
from spacerobot_id.nodes.planner.joint_session import JointSession
from spacerobot_id.nodes.planner.robot_interface import interface_of
from spacerobot_id.nodes.planner.session import PlannerSession


class Planner(ManagedNode):
    """Plans in a thread, sends commands, follows the motion, and publishes its status."""

    settings_type = PlannerNodeSettings
    _session: PlannerSession | None = None
    _source: InformationSource | None = None

    def __init__(self) -> None:
        super().__init__('planner')

    def check_settings(self, settings: PlannerNodeSettings) -> None:
        """Refuse what the robot, once it is loaded, does not have."""
        if self._source is not None:
            check_mission(self._source, settings)

    def configure(self) -> None:
        """Load the prior model, make topics and services."""
        settings = self.settings
        interface = interface_of(self, settings.adapter)
        model = interface.equipped(
            described_robot(self, settings.robot, settings.description).model
        )
        source = source_of(model, settings)
        check_mission(source, settings)
        self._session = _session_type(source)(self, source, interface)
        self._source = source

    def activate(self) -> None:
        """Publish that there is no plan yet."""
        self._session.activate()

    def deactivate(self) -> None:
        """Bring everything to rest."""
        self._session.deactivate()

    def close(self) -> None:
        """End the planning."""
        if self._session is not None:
            self._session.close()


def _session_type(source: InformationSource) -> type[PlannerSession]:
    """Return what follows the motion; the control of a base is loaded where it is needed."""
    if source.moves_base:
        from spacerobot_id.nodes.planner.base_session import BaseSession

        return BaseSession
    if source.fires_thrusters and source.models[0].thrusters:
        from spacerobot_id.nodes.planner.thruster_session import ThrusterSession

        return ThrusterSession
    return JointSession


def main(args: list[str] | None = None) -> int:
    """Run the node until SIGINT or SIGTERM; return the exit code."""
    return run_node(Planner, args)


if __name__ == '__main__':
    sys.exit(main())
