"""What becomes of samples as they come, whoever runs it: the estimator node, or a replayed log.

It decides where the linear velocity comes from, which noise the gyro states, whether gyro or twist
contradict the pose, and when a motion has ended, so that all samples are to be fitted together.
"""

from dataclasses import replace
import math

from spacerobot_id.estimation.batch.causes import explained_or_weighed
from spacerobot_id.estimation.recursive.recursion import begin_identification, refine
from spacerobot_id.estimation.recursive.state import Identification
from spacerobot_id.estimation.result import Result
from spacerobot_id.estimation.settings import IdentifySettings
from spacerobot_id.estimation.verdict import Defect
from spacerobot_id.measurement import Record, VelocitySource
from spacerobot_id.measurement.intake import Intake
from spacerobot_id.measurement.monitors.frames import FrameMonitor
from spacerobot_id.measurement.monitors.statistics import Logger
from spacerobot_id.measurement.stream import Need, StreamNeeds
from spacerobot_id.model import RobotModel

_REST = 1.0
"""Time without motion after which an excitation has ended, s."""

_POSE_WAIT = 1.0
"""Time with joint states and no base velocity after which that is taken from the pose, s."""


def first_source(settings: IdentifySettings, needs: StreamNeeds) -> VelocitySource:
    """Return where the linear velocity comes from before any message came."""
    if not needs.velocity:
        return VelocitySource.POSE
    pose = settings.base_velocity == 'base_pose'
    return VelocitySource.POSE if pose else VelocitySource.TWIST


class LiveFeed:
    """The way of samples from the intake to the recursion.

    Parameters
    ----------
    model : RobotModel
        Prior model.
    settings : IdentifySettings
        Method, and where the velocity comes from.
    needs : StreamNeeds
        Streams of the method for this robot.
    intake : Intake
        What the samples come from.
    logger : Logger
        Logger of changes.

    Attributes
    ----------
    stamp : float
        Time of the last sample, s.
    disagreements : tuple of str
        Which topics contradict the pose, in sentences.
    """

    def __init__(
        self,
        model: RobotModel,
        settings: IdentifySettings,
        needs: StreamNeeds,
        intake: Intake,
        logger: Logger,
    ) -> None:
        self.stamp = 0.0
        self.disagreements: tuple[str, ...] = ()
        self._model, self._settings, self._needs = model, settings, needs
        self._intake, self._logger = intake, logger
        self._frames = None
        if needs.gyro and settings.is_one_clock:
            self._frames = FrameMonitor(model.noise, has_twist=bool(needs.velocity))
        self._received_since: float | None = None
        self._twist_comes = False
        self._gyro_noise: float | None = None
        self._without_rates = self._rates_known = False
        self._moved_until: float | None = None

    def fresh_state(self) -> Identification:
        """Return the state before the first sample, with the noise of the velocity's source."""
        method = self._settings.method_for(
            self._model,
            from_pose=self._intake.alignment.source is VelocitySource.POSE,
            gyro_noise=self._gyro_noise or 0.0,
        )
        if self._without_rates:
            method = method.without_joint_rates()
        return begin_identification(method, self._settings.recursion)

    def clear(self) -> None:
        """Drop everything buffered, and begin with the first source again."""
        self._intake.clear()
        self._intake.alignment.source = first_source(self._settings, self._needs)
        self._received_since, self._twist_comes = None, False

    def changes_source(self, now: float) -> bool:
        """Take the velocity from the pose as long as no base velocity comes.

        Parameters
        ----------
        now : float
            Steady time, s.

        Returns
        -------
        bool
            Whether another source was taken, with another noise: the state has to start again.
        """
        if self._settings.base_velocity != 'auto' or self._needs.velocity is not Need.USED:
            return False
        alignment = self._intake.alignment
        is_pose = alignment.source is VelocitySource.POSE
        self._twist_comes |= alignment.twist_comes()
        if self._twist_comes:
            if not is_pose:
                return False
            alignment.source = VelocitySource.TWIST
            self._logger.warning('base_twist has come')
            return True
        if is_pose or not len(alignment.streams['base_pose']) or not self._has_waited(now):
            return False
        alignment.source = VelocitySource.POSE
        self._logger.warning(
            'no base_twist: the motion of the centre of mass is followed by base_pose; the linear '
            'velocity is taken from it by a local polynomial over '
            f'{self._settings.alignment.window} samples'
        )
        return True

    def _has_waited(self, now: float) -> bool:
        """Return whether joint states have come long enough without a base velocity."""
        if self._received_since is None and len(self._intake.alignment.streams['joint_states']):
            self._received_since = now
        return self._received_since is not None and now - self._received_since > _POSE_WAIT

    def heeds_first_messages(self) -> bool:
        """Take sensors as their first messages show them, before any sample counts.

        Returns
        -------
        bool
            Whether they are others than described: the state has to start again.
        """
        states_noise = self._heeds_stated_noise()
        return self._heeds_missing_rates() or states_noise

    def _heeds_missing_rates(self) -> bool:
        """Derive joint rates from positions where joint states do not have them."""
        if self._rates_known:
            return False
        self._rates_known = True
        self._without_rates = self._intake.joints.lacks_rates
        if not (self._without_rates and self._needs.rates is Need.USED):
            return False
        self._logger.info('joint_states have no velocities: rates are derived from positions')
        return True

    def _heeds_stated_noise(self) -> bool:
        """Weigh the gyro as its first messages state (F9); return whether it does otherwise."""
        if self._gyro_noise is not None or 'gyro_noise' not in self._settings.method_type().takes:
            return False
        self._gyro_noise = stated = self._intake.gyro_noise
        described = self._model.noise.base_angular_velocity
        if (
            self._settings.of_method.gyro_noise
            or not stated
            or math.isclose(stated, described, rel_tol=1e-6)
        ):
            return False
        self._logger.info(
            f'imu/data states a noise of {stated:.3g} rad/s, the description {described:.3g} rad/s'
        )
        return True

    def watch(self, block: Record) -> tuple[str, ...]:
        """Take samples; return what contradicts the pose since then and did not before (F11)."""
        self.stamp = float(block.times[-1]) - self._intake.alignment.ahead
        if self._frames is None:
            return ()
        self._frames.take(block)
        before, self.disagreements = self.disagreements, self._frames.disagreements()
        if before and not self.disagreements:
            self._logger.info('the sensors of the base agree')
        return tuple(message for message in self.disagreements if message not in before)

    def has_come_to_rest(self, block: Record, state: Identification) -> bool:
        """Return whether a motion has come to its end, so that all samples are to be refined."""
        now = float(block.times[-1])
        if state.is_moving(block).any():
            self._moved_until = now
        elif self._moved_until is not None and now - self._moved_until > _REST:
            self._moved_until = None
            return not state.is_smoothed  # that is as good already
        return False

    def judged(self, result: Result) -> Result:
        """Return a result with the contradictions of the sensors among its defects."""
        frames = tuple(Defect('frames', message) for message in self.disagreements)
        return replace(result, defects=(*result.defects, *frames))


def refined(state: Identification) -> Identification:
    """Return a state with all samples kept fitted at once, and what explains the rest."""
    fitted = refine(state)
    if not fitted.recorded:
        return fitted
    return explained_or_weighed(fitted, Record.concatenate(fitted.recorded))
