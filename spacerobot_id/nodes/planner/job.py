"""What the planner's thread is to do: plan, plan on from an estimate, or take a file."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
import threading
import time

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.exceptions import ConfigurationError, PlanningError
from spacerobot_id.excitation.constraint.keep_in_box import KeepInBoxLimit
from spacerobot_id.excitation.objective.objective import interest, Known, known_well_enough
from spacerobot_id.excitation.planner import plan_excitation, plan_from_file, PlannedExcitation
from spacerobot_id.excitation.planner_node_settings import PlannerNodeSettings
from spacerobot_id.excitation.planner_settings import check_thrust
from spacerobot_id.excitation.task import moved_names
from spacerobot_id.excitation.trajectory.plan_file import load_plan
from spacerobot_id.methods.information import information_source, InformationSettings
from spacerobot_id.methods.information.motion_information import InformationSource
from spacerobot_id.model import RobotModel
from spacerobot_id.multibody.free_floating.planned_base import KnownMomentum

Job = Callable[[Callable[[int, float], bool]], object]
"""Makes a plan; is given a callback for its progress, which returns whether to stop."""


class PlanningWorker:
    """One planning at a time, beside the callbacks.

    Parameters
    ----------
    plan : callable
        Plans; is given a function of the number of evaluations and the best cost that returns
        whether to stop.
    """

    def __init__(self, plan: Job) -> None:
        self.evaluations = 0
        self.best_cost = float('inf')
        self.seconds = 0.0
        self.result: object | None = None
        self.error: Exception | None = None
        self._plan = plan
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name='planning', daemon=True)
        self._thread.start()

    @property
    def is_done(self) -> bool:
        """Whether there is a result or an error."""
        return not self._thread.is_alive()

    def stop(self, timeout: float = 5.0) -> None:
        """Ask the search to end and wait for it, s at most."""
        self._stop.set()
        self._thread.join(timeout)

    def _run(self) -> None:
        begin = time.monotonic()
        try:
            self.result = self._plan(self._on_progress)
        except Exception as error:
            self.error = error
        self.seconds = time.monotonic() - begin

    def _on_progress(self, evaluations: int, best_cost: float) -> bool:
        self.evaluations, self.best_cost = evaluations, best_cost
        return self._stop.is_set()


_UPRIGHT = (0.0, 0.0, 0.0, 1.0)


def source_of(model: RobotModel, settings: PlannerNodeSettings) -> InformationSource:
    """Return what motions show to the method that a node plans for."""
    momentum = KnownMomentum(settings.known_angular_momentum, trust_zeros=settings.trust_zeros)
    seen = InformationSettings(settings.planar, momentum, settings.counted.of_method())
    return information_source(settings.method, model, seen)


def check_mission(source: InformationSource, settings: PlannerNodeSettings) -> None:
    """Raise if a robot has not what the parameters of the planner name, before it is to plan.

    Parameters
    ----------
    source : InformationSource
        What motions show, of the prior model.
    settings : PlannerNodeSettings
        Parameters of the node.

    Raises
    ------
    ConfigurationError
        If a frame or what is of interest is unknown, a box has no room, or the plan's file is
        none, or none for what moves; names the parameter.
    """
    search = settings.search()
    with _blaming('keep_in_frame'):
        for box in search.limits.keep_in:
            KeepInBoxLimit(source.models[0], box)
    if source.fires_thrusters:
        check_thrust(settings)
    with _blaming('of_interest'):
        interest(search.criterion.of_interest, source.names)
    if settings.plan_file:
        with _blaming('plan_file'):
            moved = load_plan(settings.plan_file).names
        wanted = moved_names(source)
        if source.moves_base and sorted(moved) != sorted(wanted):
            raise ConfigurationError(
                f'plan_file: such a plan moves {", ".join(moved)}, not the base as '
                f'{settings.method} does ({", ".join(wanted)})'
            )


@contextmanager
def _blaming(parameter: str) -> Iterator[None]:
    """Let a parameter be named in errors of planning."""
    try:
        yield
    except PlanningError as error:
        raise ConfigurationError(f'{parameter}: {error}') from error


def planning_job(
    source: InformationSource,
    present: NDArray[np.float64] | None,
    attitude: tuple[float, ...] | None,
    settings: PlannerNodeSettings,
    known: Known | None = None,
) -> Callable[[Callable[[int, float], bool]], PlannedExcitation]:
    """Return the work that gives a plan.

    Parameters
    ----------
    source : InformationSource
        What motions show, of the prior model.
    present : ndarray, shape (m,), optional
        Where joints and wheels are, if they are what moves.
    attitude : tuple of 4 floats, optional
        Quaternion x y z w of the base, which counts where there is momentum.
    settings : PlannerNodeSettings
        Parameters of the node.
    known : Known, optional
        What the estimator knows.
    """
    search, model, momentum = settings.search(), source.models[0], None
    if source.is_turning:
        momentum = KnownMomentum(
            settings.known_angular_momentum, attitude or _UPRIGHT, settings.trust_zeros
        )
    task = {'known': known, 'method': settings.method, 'momentum': momentum}
    if settings.plan_file:
        return lambda _: plan_from_file(model, present, settings.plan_file, search, **task)
    wanted = settings.wanted_std
    of_interest = search.criterion.of_interest
    if known is not None and wanted and known_well_enough(source, known, wanted, of_interest):
        raise PlanningError(
            f'nothing to do: every parameter of interest is known to {100.0 * wanted:g} %'
        )
    return lambda progress: plan_excitation(model, present, search, progress, **task)
