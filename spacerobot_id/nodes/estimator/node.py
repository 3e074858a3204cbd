"""The node ``estimator``: subscribes to a robot's motion and serves its inertial parameters."""

from functools import partial
import hashlib
from pathlib import Path
import sys
import time

from rcl_interfaces.srv import GetParameters
from rclpy.clock import Clock, ClockType
from std_srvs.srv import Trigger

from spacerobot_id.estimation.live_feed import first_source, LiveFeed, refined
from spacerobot_id.estimation.node_settings import EstimatorSettings
from spacerobot_id.estimation.physical_consistency import consistent_links, ConsistentParameters
from spacerobot_id.estimation.recursive.state import Identification
from spacerobot_id.estimation.result import Result
from spacerobot_id.estimation.sensor_intake import sensor_intake
from spacerobot_id.estimation.states.solution import compile_kernels
from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.measurement import StreamNeeds, VelocitySource
from spacerobot_id.measurement.adapters.adapter import Adapter
from spacerobot_id.measurement.adapters.adapter_yaml import load_adapter
from spacerobot_id.measurement.adapters.conversion import own_topics, with_odometry
from spacerobot_id.measurement.log_record import StreamSummary
from spacerobot_id.measurement.stream import Need
from spacerobot_id.measurement.streams.log_streams import SENSED_TOPICS
from spacerobot_id.model import RobotModel
from spacerobot_id.nodes.common.lifecycle import ManagedNode
from spacerobot_id.nodes.common.process import run_node
from spacerobot_id.nodes.common.robot_description import described_robot
from spacerobot_id.nodes.estimator.applying import Applying
from spacerobot_id.nodes.estimator.checkpoint_file import EstimatorCheckpoint
from spacerobot_id.nodes.estimator.diagnostics import EstimatorDiagnostics
from spacerobot_id.nodes.estimator.estimate_outputs import EstimateOutputs
from spacerobot_id.nodes.estimator.estimation_worker import EstimationWorker, Snapshot
from spacerobot_id.nodes.estimator.frame_publisher import FramePublisher
from spacerobot_id.nodes.estimator.inputs import EstimatorInputs
from spacerobot_id.nodes.estimator.live_result import LiveResult, MOST_NAMES
from spacerobot_id.nodes.estimator.page_writer import PageWriter
from spacerobot_id.whole_file import unwritable, write_whole

_SHARE = 0.05
"""Share of the time that links may be looked for."""

_WORK = 1.0 / 3.0
"""Share of the time that fits of the latest samples may take."""


def subscribed(
    node: ManagedNode,
    model: RobotModel,
    needs: StreamNeeds,
    source: VelocitySource,
    adapter: Adapter,
) -> EstimatorInputs:
    """Subscribe to what the method needs; return the topics with their alignment.

    Parameters
    ----------
    node : ManagedNode
        Node with the estimator's settings.
    model : RobotModel
        Prior model.
    needs : StreamNeeds
        What the method needs.
    source : VelocitySource
        Where the linear velocity comes from at first.
    adapter : Adapter
        How messages are read.
    """
    settings = node.settings
    identify = settings.identify
    intake = sensor_intake(
        model,
        needs,
        source,
        identify.alignment,
        frozen_samples=identify.frozen_samples,
        turns_by_itself=identify.turns_by_itself,
        imu_frame=identify.imu_frame,
        logger=node.get_logger(),
    )
    return EstimatorInputs(node, intake, adapter.for_robot(model))


def adapter_of(settings: EstimatorSettings) -> Adapter:
    """Return how messages are read: as stated in a file, or as those of our own topics.

    Raises
    ------
    ConfigurationError
        If there is no such file, or it is given together with a type of ours.
    """
    is_odometry = settings.pose_type == 'Odometry'
    if settings.adapter:
        if is_odometry:
            raise ConfigurationError('pose_type: means nothing beside an adapter')
        return load_adapter(settings.adapter)
    own = own_topics({name: topic.removeprefix('/') for name, topic in SENSED_TOPICS.items()})
    return with_odometry(own) if is_odometry else own


class LinkWatch:
    """Links that can exist and are likeliest by the latest estimate that was looked at.

    Parameters
    ----------
    worker : EstimationWorker
        Thread that they are looked for in.
    relative_std : float
        How far the description may be wrong, as a share.
    """

    def __init__(self, worker: EstimationWorker, relative_std: float) -> None:
        self._worker, self._relative_std = worker, relative_std
        self._found: tuple[Identification, ConsistentParameters | None] | None = None
        self._is_looking = False
        self._begins = 0
        self._rests_until = 0.0

    def of(self, state: Identification) -> ConsistentParameters | None:
        """Return the links last found, which may be some updates old; None without samples."""
        if not state.samples:
            return None
        if self._found is None:  # nothing is called valid whose links were not checked
            self._found = state, self._links(state)
        return self._found[1]

    def look(self, state: Identification) -> None:
        """Have the thread look for the links of its state, unless they are of this one."""
        is_known = self._found is not None and self._found[0] is state
        is_early = time.monotonic() < self._rests_until
        if is_known or is_early or self._is_looking or not state.samples:
            return
        self._is_looking = self._worker.apply(partial(self._find, self._begins))

    def forget(self) -> None:
        """Start again: the next links are those of another estimate."""
        self._found, self._is_looking = None, False
        self._begins += 1

    def _find(self, begins: int, state: Identification) -> Identification:
        """Find the links of a state, which stays as it is."""
        begin = time.monotonic()
        try:
            found = self._links(state) if state.samples else None
        finally:
            end = time.monotonic()
            self._rests_until = end + (end - begin) * (1.0 / _SHARE - 1.0)
            if begins == self._begins:
                self._is_looking = False
        if state.samples and begins == self._begins:
            self._found = state, found
        return state

    def _links(self, state: Identification) -> ConsistentParameters | None:
        """Return the links of a state with samples."""
        return consistent_links(state.method, state.estimate(), self._relative_std)


class Estimator(ManagedNode):
    """Aligns sensor readings, updates the estimate in a thread, publishes and serves it."""

    settings_type = EstimatorSettings

    def __init__(self) -> None:
        super().__init__('estimator')

    def check_settings(self, settings: EstimatorSettings) -> None:
        """Refuse what the method does not take."""
        kind = settings.identify.method_type()
        if settings.save_file.endswith('.html'):
            raise ConfigurationError('save_file: is that of the JSON; the page is beside it')
        if settings.identify.base_velocity == 'base_pose' and kind.needs.velocity is Need.NEEDED:
            raise ConfigurationError(
                f'base_velocity: {settings.identify.method} needs a measured base velocity'
            )

    def configure(self) -> None:
        """Load the prior model, make topics and services, start the thread."""
        settings = self.settings
        for key in ('checkpoint_file', 'save_file', 'apply_file'):
            fault = unwritable(getattr(settings, key))
            if fault:
                self.get_logger().warning(f'{key}: nothing will be written: {fault}')
        self._adapter = adapter_of(settings)
        described = described_robot(self, settings.robot, settings.description)
        self._model = self._adapter.equipped(described.model)
        self._configuration = _hash_of_configuration(
            described.digest, self._adapter.source, settings
        )
        self._relative_std = settings.identify.of_method.prior.relative_std
        self._resets, self._dropped_blocks = 0, 0
        needs = settings.identify.method_type().needs
        self._needs = needs.of_robot(len(self._model.joints), len(self._model.wheels))
        source = first_source(settings.identify, self._needs)
        from_pose = source is VelocitySource.POSE
        method = settings.identify.method_for(self._model, from_pose=from_pose)
        with self.compiling(method.name):  # before topics are subscribed to: no messages queue
            compile_kernels(method)
        self._inputs = subscribed(self, self._model, self._needs, source, self._adapter)
        self._alignment = self._inputs.alignment
        self._feed = LiveFeed(
            self._model, settings.identify, self._needs, self._inputs.intake, self.get_logger()
        )
        self._defects: frozenset[str] = frozenset()
        self._checkpoint = EstimatorCheckpoint(
            settings.checkpoint_file, self._configuration, self.get_logger()
        )
        first = self._checkpoint.restored(self._feed.fresh_state())
        self._worker = EstimationWorker(first, self._on_worker_error)
        self._links = LinkWatch(self._worker, self._relative_std)
        self._pages = PageWriter(self._on_page, self._on_page_error)
        self._make_outputs()

    def _make_outputs(self) -> None:
        """Make publishers, services and timers."""
        self._outputs = EstimateOutputs(self, self._model, self._relative_std)
        self.create_service(GetParameters, '~/get_estimate', self._on_get_estimate)
        self.create_service(Trigger, '~/reset', self._on_reset)
        self.create_service(Trigger, '~/refine', self._on_refine)
        self.create_service(Trigger, '~/save', self._on_save)
        self._applying = Applying(self, self._model, lambda: self._report(self._worker.snapshot()))
        if self.settings.publish_tf:
            FramePublisher(self, self._model, self._inputs)
        self._diagnostics = EstimatorDiagnostics(self, self._inputs)
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self.create_timer(self.settings.update_period, self._on_update, clock=steady)
        self.create_timer(self.settings.publish_period, self._on_publish, clock=steady)
        self.create_timer(self.settings.checkpoint_period, self._on_checkpoint, clock=steady)

    def close(self) -> None:
        """End the thread, and keep what is known."""
        if hasattr(self, '_worker'):
            self._worker.close()
            self._pages.close()
            self._on_checkpoint()

    # State.

    def _on_worker_error(self, error: Exception) -> None:
        self.callback_errors += 1
        self.get_logger().error(f'update failed and was skipped: {type(error).__name__}: {error}')

    def _restart(self, state: Identification) -> None:
        """Go on from another state."""
        self._worker.restart(state)
        self._links.forget()

    # Timers.

    def _on_update(self) -> None:
        """Hand the samples that have become complete to the thread."""
        self._inputs.look()
        if self._feed.changes_source(time.monotonic()):
            self._restart(self._checkpoint.restored(self._feed.fresh_state()))
        if self._worker.state.is_smoothed and self._worker.is_to_rest(_WORK):
            return  # later with more samples: every fit is of the latest ones
        block = self._inputs.samples()
        if block is None or not len(block):
            return
        if self._feed.heeds_first_messages():
            self._restart(self._checkpoint.restored(self._feed.fresh_state()))
        for message in self._feed.watch(block):
            self.get_logger().error(message)
        if not self._worker.absorb(block):
            self._dropped_blocks += 1
        if self._feed.has_come_to_rest(block, self._worker.state):
            self._worker.apply(refined)

    def _on_publish(self) -> None:
        """Publish the estimate and the diagnostics."""
        now = self._worker.snapshot()
        report = self._report(now)
        self._diagnostics.publish(report, self._dropped_blocks, self._feed.disagreements)
        self._outputs.publish(now.state, report)
        self._applying.watch(report)
        self._links.look(now.state)

    def _on_checkpoint(self) -> None:
        """Keep what is known over a restart, unless it may not be used."""
        state = self._worker.state
        if not self._checkpoint.is_due(state) or self._defects:
            return
        if not self._verdict(state).defects:
            self._checkpoint.write(state)

    def _report(self, now: Snapshot) -> LiveResult:
        """Return the result with all that goes with it."""
        state = now.state
        self._inputs.look()
        result = self._verdict(state, self._links.of(state))
        self._defects = frozenset(each.kind for each in result.defects)
        return LiveResult(
            result=result,
            stamp=self._feed.stamp,
            resets=self._resets,
            clock_jumps=self._alignment.jumps,
            configuration=self._configuration,
            velocity_source=self._alignment.source.value if self._needs.velocity else 'none',
            updates_waiting=now.backlog,
            looks_for_changes=state.looks_for_changes,
        )

    def _verdict(self, state: Identification, links: ConsistentParameters | None = None) -> Result:
        """Return the result of a state; a look at the links is spared where none are given."""
        positions = self._inputs.last_positions
        return self._feed.judged(Result.of_state(state, positions, self._defects, links=links))

    # Services.

    def _on_get_estimate(
        self, request: GetParameters.Request, response: GetParameters.Response
    ) -> GetParameters.Response:
        """Answer parts of the estimate by name; an unknown name is not set."""
        if len(request.names) > MOST_NAMES:
            self.get_logger().warning(
                f'get_estimate: {len(request.names)} names at once, of which the first '
                f'{MOST_NAMES} are answered',
                throttle_duration_sec=1.0,
            )
        report = self._report(self._worker.snapshot())
        response.values = report.parameter_values(list(request.names))
        return response

    def _on_reset(self, _request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        """Forget all samples, begin with the prior, and let everybody see it (F34)."""
        self._inputs.look()
        self._feed.clear()
        self._resets += 1
        self._checkpoint.forget()
        self._restart(self._feed.fresh_state())
        self._on_publish()
        response.success, response.message = True, f'reset {self._resets}'
        return response

    def _on_refine(
        self, _request: Trigger.Request, response: Trigger.Response
    ) -> Trigger.Response:
        """Fit all samples kept in one batch, in the thread."""
        response.success = self._worker.apply(refined)
        samples = self._worker.state.samples
        response.message = f'refining over {samples} samples' if response.success else 'too busy'
        return response

    def _on_save(self, _request: Trigger.Request, response: Trigger.Response) -> Trigger.Response:
        """Write the estimate to the file that was set at start; its page follows."""
        if not self.settings.save_file:
            response.success, response.message = False, 'save_file is not set'
            return response
        path, now = Path(self.settings.save_file), self._worker.snapshot()
        report = self._report(now)
        try:
            write_whole(path, report.json() + '\n', folders=True)
        except OSError as error:
            response.success, response.message = False, f'{path}: not written: {error}'
            return response
        response.success, response.message = True, str(path)
        self._pages.write(now.state, report.result, self._streams(), path)
        return response

    def _streams(self) -> tuple[StreamSummary, ...]:
        """Return how the messages of each topic came."""
        return tuple(
            StreamSummary(each.topic, each.messages, dict(each.rejected), missing=each.missing)
            for each in self._inputs.monitors.values()
        )

    def _on_page(self, path: Path) -> None:
        self.get_logger().info(f'{path}: written')

    def _on_page_error(self, path: Path, error: Exception) -> None:
        self.get_logger().warning(f'{path}: not written: {error}')


def _hash_of_configuration(description: str, adapter: str, settings: EstimatorSettings) -> str:
    """Return a hash of the description, the file of the adapter, and what the estimate is of."""
    file = Path(adapter)
    parts = [
        f'{description}\0{settings.identify.meaning!r}'.encode(),
        file.read_bytes() if file.is_file() else b'',
    ]
    return hashlib.sha256(b'\0'.join(parts)).hexdigest()[:16]


def main(args: list[str] | None = None) -> int:
    """Run the node until SIGINT or SIGTERM; return the exit code."""
    return run_node(Estimator, args)


if __name__ == '__main__':
    sys.exit(main())
