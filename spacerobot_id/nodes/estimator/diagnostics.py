"""The estimator's health, for operators and for the watchdogs of others."""

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
import numpy as np

from spacerobot_id.estimation.result import MISFIT
from spacerobot_id.measurement.monitors.statistics import TopicStatistics
from spacerobot_id.nodes.common.lifecycle import ManagedNode
from spacerobot_id.nodes.estimator.inputs import EstimatorInputs
from spacerobot_id.nodes.estimator.live_result import LiveResult
from spacerobot_id.nodes.messages import stamp_from_seconds

_TOO_MUCH_NOISE = 2.0
"""Sum of squares per degree of freedom that is worth a warning."""


class EstimatorDiagnostics:
    """Publishes on ``/diagnostics`` what the estimator receives and knows.

    Parameters
    ----------
    node : ManagedNode
        Node that publishes.
    inputs : EstimatorInputs
        Its topics.
    """

    def __init__(self, node: ManagedNode, inputs: EstimatorInputs) -> None:
        self._node = node
        self._inputs = inputs
        self._publisher = node.create_publisher(DiagnosticArray, '/diagnostics', 10)
        self._received: dict[str, int] = {}
        self._several: set[str] = set()

    def publish(
        self, report: LiveResult, dropped: int, disagreements: tuple[str, ...] = ()
    ) -> None:
        """Publish one status for the estimate and one for each topic.

        Parameters
        ----------
        report : LiveResult
            Estimate.
        dropped : int
            Updates that found no room.
        disagreements : tuple of str
            Messages on sensors that contradict each other.
        """
        message = DiagnosticArray()
        message.header.stamp = stamp_from_seconds(self._node.get_clock().now().nanoseconds * 1e-9)
        message.status.append(self._of_estimate(report, dropped, disagreements))
        message.status.extend(self._of_topic(each) for each in self._inputs.monitors.values())
        self._publisher.publish(message)

    def _of_estimate(
        self, report: LiveResult, dropped: int, disagreements: tuple[str, ...]
    ) -> DiagnosticStatus:
        """Return the status of the estimate."""
        estimate = report.result.estimate
        waiting = self._inputs.alignment.waiting_for()
        level, text = DiagnosticStatus.OK, f'{estimate.samples} samples, rank {estimate.rank}'
        if estimate.chi_square > _TOO_MUCH_NOISE:
            level = DiagnosticStatus.WARN
            text = f'noise stated too small: residual {estimate.chi_square:.3g}; {text}'
        if not report.is_valid:
            level, text = DiagnosticStatus.WARN, '; '.join(report.result.reasons)
        causes = [cause.sentence() for cause in report.result.causes]
        if causes:
            level, text = DiagnosticStatus.WARN, '; '.join([text, *causes])
        if waiting:
            level, text = DiagnosticStatus.STALE, f'waiting for {", ".join(waiting)}'
        if disagreements:
            level, text = DiagnosticStatus.ERROR, '; '.join(disagreements)
        return _status(
            f'{self._node.get_fully_qualified_name()}: estimate',
            level,
            text,
            {
                'samples': str(estimate.samples),
                'rank': f'{estimate.rank} of {len(estimate.names)}',
                'condition number': f'{estimate.condition:.4g}',
                'median relative std': f'{np.median(estimate.relative_std()):.3g}',
                'chi square': f'{estimate.chi_square:.4g}',
                'not aligned': str(self._inputs.alignment.unaligned),
                'dropped from full buffers': str(self._dropped_samples()),
                'clock jumps': str(report.clock_jumps),
                'samples that did not fit': str(report.result.rejected[MISFIT]),
                'changes of the robot': str(report.result.changes),
                'outliers and changes': _search(report),
                'likely cause': causes[0] if causes else '',
                'resets': str(report.resets),
                'updates waiting': str(report.updates_waiting),
                'updates dropped': str(dropped),
                'callback errors': str(self._node.callback_errors),
                'velocity source': report.velocity_source,
            },
        )

    def _dropped_samples(self) -> int:
        """Return how many good samples had to go because others of their time did not come."""
        return sum(stream.dropped for stream in self._inputs.alignment.streams.values())

    def _of_topic(self, monitor: TopicStatistics) -> DiagnosticStatus:
        """Return the status of a topic."""
        topics = self._inputs.topics[monitor.topic]
        publishers = max(
            (self._node.count_publishers(self._node.resolve_topic_name(each)) for each in topics),
            default=0,
        )
        received = monitor.accepted - self._received.get(monitor.topic, 0)
        self._received[monitor.topic] = monitor.accepted
        level, text = DiagnosticStatus.OK, f'{received} new'
        if monitor.reason:
            level, text = DiagnosticStatus.WARN, f'rejected: {monitor.reason}'
        elif not received:
            level, text = DiagnosticStatus.STALE, 'silent'
        if publishers > 1:
            level, text = DiagnosticStatus.WARN, f'{publishers} publishers'
            self._warn_of_several(monitor.topic, publishers)
        name = f'{self._node.get_fully_qualified_name()}: {monitor.topic}'
        return _status(name, level, text, monitor.summary())

    def _warn_of_several(self, topic: str, publishers: int) -> None:
        """Warn once that a topic has several publishers (F5)."""
        if topic not in self._several:
            self._several.add(topic)
            self._node.get_logger().warning(f'{topic} has {publishers} publishers')


def _search(report: LiveResult) -> str:
    """Return whether outliers and changes are looked for, and why not."""
    if report.looks_for_changes:
        return 'are looked for'
    return f'are not looked for: {report.result.method.no_gate or "gate is 0"}'


def _status(name: str, level: bytes, text: str, values: dict[str, str]) -> DiagnosticStatus:
    """Return one status message."""
    pairs = [KeyValue(key=key, value=value) for key, value in values.items()]
    return DiagnosticStatus(
        name=name, level=level, message=text, hardware_id='spacerobot_id', values=pairs
    )
