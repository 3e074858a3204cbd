"""The service ``~/apply``: an estimate that has been valid for a while goes to other software."""

from collections.abc import Callable
import time

from rclpy.callback_groups import ReentrantCallbackGroup
from std_srvs.srv import Trigger

from spacerobot_id.estimation.write_back.output_yaml import load_output
from spacerobot_id.exceptions import SpaceRobotIdError
from spacerobot_id.model import RobotModel
from spacerobot_id.nodes.common.lifecycle import ManagedNode
from spacerobot_id.nodes.estimator.live_result import LiveResult
from spacerobot_id.nodes.estimator.output_writers import output_writer


class SteadyValidity:
    """Since when an estimate has been valid, of the same robot and since the same reset.

    Parameters
    ----------
    needed : float
        How long it has to have been, s.
    clock : callable
        Returns a time that goes on, s.
    """

    def __init__(self, needed: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._needed, self._clock = needed, clock
        self._since: float | None = None
        self._of: tuple[int, int] | None = None

    def refusal(self, report: LiveResult) -> str:
        """Return why an estimate may not be applied yet; empty if it may."""
        of = report.resets, report.result.changes
        if not report.is_valid or of != self._of:
            self._since = None
        self._of = of
        if not report.is_valid:
            return f'the estimate is not valid: {"; ".join(report.result.reasons)}'
        if self._since is None:
            self._since = self._clock()
        valid = self._clock() - self._since
        if valid < self._needed:
            return (
                f'the estimate has been valid for {valid:.1f} s, apply_after is {self._needed:g} s'
            )
        return ''


class Applying:
    """Answers ``~/apply``.

    Parameters
    ----------
    node : ManagedNode
        Node with the estimator's settings.
    model : RobotModel
        Prior model.
    report : callable
        Returns the estimate as it is now.

    Raises
    ------
    SpaceRobotIdError
        If what is to be written cannot be: a wrong file, a type that is not installed.
    """

    def __init__(
        self, node: ManagedNode, model: RobotModel, report: Callable[[], LiveResult]
    ) -> None:
        settings = node.settings
        self._logger, self._report = node.get_logger(), report
        self._validity = SteadyValidity(settings.apply_after)
        self._writer, self._is_writing = None, False
        group = ReentrantCallbackGroup()  # its callback waits for answers to others of the group
        if settings.apply:
            output = load_output(settings.apply)
            output.check(model)
            self._writer = output_writer(node, output, settings.apply_file, group)
        node.create_service(Trigger, '~/apply', self._on_apply, callback_group=group)

    def watch(self, report: LiveResult) -> None:
        """Take note of whether an estimate is valid."""
        self._validity.refusal(report)

    async def _on_apply(
        self, _request: Trigger.Request, response: Trigger.Response
    ) -> Trigger.Response:
        """Write the estimate; return the answer of the other side."""
        report = self._report()
        refusal = self._validity.refusal(report)
        if self._writer is None:
            refusal = 'apply is not set'
        elif self._is_writing:
            refusal = 'the last estimate is being written'
        if refusal:
            response.success, response.message = False, refusal
            return response
        self._is_writing = True
        try:
            answer = await self._writer.write(report.result, report.stamp)
            response.success, response.message = True, answer + _unseen(report)
            self._logger.info(f'applied: {response.message}')
        except SpaceRobotIdError as error:
            response.success, response.message = False, str(error)
            self._logger.warning(f'not applied: {error}')
        finally:
            self._is_writing = False
        return response


def _unseen(report: LiveResult) -> str:
    """Return how many parameters are the description's still."""
    estimate = report.result.estimate
    unseen = len(estimate.not_identified())
    if not unseen:
        return ''
    return f'; {unseen} of {len(estimate.names)} parameters are not identified'
