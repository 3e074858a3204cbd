"""What ``import spacerobot_id as sid`` offers: from a log or arrays to parameters in a few lines.

What the commands do, as functions; the rooms of the package have the rest.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from spacerobot_id.estimation import identify as identify_record
from spacerobot_id.estimation.batch.identify import (
    log_from_streams,
    needs_of_log,
    RecordedLog,
    samples_fitted,
)
from spacerobot_id.estimation.result import Result
from spacerobot_id.estimation.settings import IdentifySettings, settings_from_mapping
from spacerobot_id.exceptions import ConfigurationError
from spacerobot_id.measurement import Record
from spacerobot_id.measurement.adapters.adapter import Adapter
from spacerobot_id.measurement.adapters.adapter_yaml import load_adapter
from spacerobot_id.measurement.adapters.conversion import own_topics
from spacerobot_id.measurement.bag.reader import read_bag
from spacerobot_id.measurement.log_record import LogRecord
from spacerobot_id.measurement.stream import Need, StreamNeeds
from spacerobot_id.measurement.streams.log_streams import BagStreams, SENSED_TOPICS
from spacerobot_id.model import load_robot, RobotModel, write_robot
from spacerobot_id.report.result_files import JSON_NAME, Subject, write_tables
from spacerobot_id.settings.declaration import own_parameters
from spacerobot_id.whole_file import write_whole

if TYPE_CHECKING:
    from spacerobot_id.excitation.planner import PlannedExcitation
    from spacerobot_id.excitation.trajectory.trajectory import ExcitingMotion

PAGE_NAME, ROBOT_NAME = 'report.html', 'robot.urdf'

_BETWEEN = 100.0
"""Time between the logs of several flights, s: their clocks have nothing to do with each other."""


@dataclass(frozen=True, eq=False, repr=False)
class Identified:
    """A robot that was identified.

    Parameters
    ----------
    subject : Subject
        Result, samples and where they are from.
    """

    subject: Subject

    @property
    def result(self) -> Result:
        """All that there is to know."""
        return self.subject.result

    @property
    def is_usable(self) -> bool:
        """Whether the estimate may be used."""
        return self.result.is_usable

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why it may not."""
        return self.result.reasons

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the parameters."""
        return tuple(self.result.estimate.names)

    @property
    def values(self) -> NDArray[np.float64]:
        """Estimates of the parameters, shape (p,)."""
        return np.asarray(self.result.estimate.values)

    @property
    def std(self) -> NDArray[np.float64]:
        """Their standard deviations, shape (p,)."""
        return np.asarray(self.result.estimate.std)

    @property
    def robot(self) -> RobotModel | None:
        """The robot with links that can exist; None where the method finds none, or none fit."""
        links = self.result.links
        return None if links is None or links.contradicts_data else links.model

    def __repr__(self) -> str:
        """Return the robot, whether it is usable, and how much is identified, in one line."""
        seen = int(self.subject.seen.sum())
        usable = 'usable' if self.is_usable else f'not usable ({"; ".join(self.reasons)})'
        name = self.result.method.model.name
        return f'<{name}: {usable}; {seen} of {len(self.names)} parameters identified>'

    def table(self) -> str:
        """Return warnings and all parameters as text."""
        from spacerobot_id.report.result_text import result_text

        return result_text(self.result)

    def to_dict(self) -> dict[str, object]:
        """Return plain values, as ``identify --json`` prints them."""
        return self.result.to_dict()

    def to_urdf(self, path: str | Path) -> Path:
        """Write the identified robot as a URDF and its YAML file; return the path.

        Raises
        ------
        ConfigurationError
            If there is none to write: the method finds no links, none that can exist fit the data,
            or the estimate is not usable.
        """
        written = write_identified(self.subject, Path(path))
        if written is None:
            reason = '; '.join(self.reasons) or 'no links that can exist fit the data'
            raise ConfigurationError(f'{path} is not written: {reason}')
        return Path(written)

    def report(self, folder: str | Path) -> Path:
        """Write page, JSON, tables, and the robot where there is one; return the page's path."""
        return write_report(self.subject, Path(folder))[0][0]


def write_identified(identified: Subject, path: Path) -> str | None:
    """Write the identified robot; return the path, None if physics refuses it or nothing fits.

    Raises
    ------
    ConfigurationError
        If the method finds no links.
    """
    links = identified.result.links
    if links is None:
        raise ConfigurationError(
            f'{path}: {identified.result.method.name} finds no links: it does not show '
            f'{identified.result.method.gauge}'
        )
    if links.contradicts_data or identified.has_failed:
        return None
    path.parent.mkdir(parents=True, exist_ok=True)
    write_robot(links.model, path)
    return str(path)


def write_report(
    subject: Subject, folder: Path, beside: Mapping[str, object] | None = None
) -> tuple[list[Path], dict[str, object]]:
    """Write a page on a result and the files beside it; return their paths and the JSON object.

    Parameters
    ----------
    subject : Subject
        Result, and where it is from.
    folder : Path
        Where the files go; made if it is not there.
    beside : mapping, optional
        What else the JSON object has.
    """
    from spacerobot_id.report.page.render import write_page
    from spacerobot_id.report.result_page import result_page

    result = subject.result
    folder.mkdir(parents=True, exist_ok=True)
    values = result.to_dict() | {'urdf': None} | dict(beside or {})
    if result.links is not None:
        values['urdf'] = write_identified(subject, folder / ROBOT_NAME)
    write_page(result_page(subject), folder / PAGE_NAME)
    files = [folder / PAGE_NAME, folder / JSON_NAME, *write_tables(result, folder / JSON_NAME)]
    write_whole(folder / JSON_NAME, json.dumps(values, indent=2, allow_nan=False) + '\n')
    if values['urdf'] is not None:
        files.append(Path(values['urdf']))
    return files, values


Log = str | Path | Sequence[str | Path] | BagStreams | Record | Mapping[str, ArrayLike]
"""What a robot is identified from."""


def identify(
    log: Log,
    robot: RobotModel | str | Path,
    *,
    holdout: float = 0.0,
    topics: Mapping[str, str] | None = None,
    namespace: str = '',
    adapter: str = '',
    **settings: object,
) -> Identified:
    """Return what a log shows of a robot.

    Parameters
    ----------
    log : path, sequence of paths, mapping, BagStreams or Record
        A rosbag2 folder, or several flights for ``momentum_balance``; arrays by the
        names of ``array_streams.ARRAYS`` and their times, s, as ``times``, or as pairs of times
        and values where sensors have times of their own; what ``simulate`` returns;
        or aligned samples.
    robot : RobotModel or path
        The prior model.
    holdout : float
        Share of the end that is kept for validation.
    topics : mapping of str to str, optional
        Topics in the bag by ours, as ``--topic``.
    namespace : str
        Of the topics in the bag.
    adapter : str
        File or preset: how the messages of the bag are read.
    **settings
        Parameters of the estimator: ``method``, ``known_angular_momentum``, ...

    Raises
    ------
    ConfigurationError
        If a setting is unknown or has no value that it can have.
    MeasurementError
        If arrays have other sizes than the robot, or no complete sample is there.
    EstimationError
        If there are too few samples in which something moves.
    """
    robot = _loaded(robot)
    _refuse_unknown(settings, own_parameters(IdentifySettings))
    chosen = settings_from_mapping(settings)
    if isinstance(log, Record):
        method = chosen.method_for(robot).since(float(log.times[0]))
        result = identify_record(log, method, chosen.recursion, holdout)
        return Identified(Subject(result, log, samples_fitted(log, holdout), 'samples'))
    if isinstance(log, Mapping):
        from spacerobot_id.measurement.streams.array_streams import streams_from_arrays

        log = streams_from_arrays(robot, log)
    if isinstance(log, BagStreams):
        logs = [log_from_streams(robot, log, chosen)]
        return Identified(_identified(logs, chosen, holdout, 'arrays'))
    bags = [log] if isinstance(log, (str, Path)) else list(log)
    topics = topics or {}
    read_as = named_topics(adapter, topics, namespace)
    return Identified(identify_bags(bags, robot, chosen, read_as, list(topics.values()), holdout))


def identify_bags(
    bags: Sequence[str | Path],
    robot: RobotModel,
    settings: IdentifySettings,
    adapter: Adapter,
    asked: Sequence[str],
    holdout: float,
) -> Subject:
    """Return what rosbag2 folders show of a robot, as one fit.

    Parameters
    ----------
    bags : sequence of path
        Folders; several for methods that fit several flights.
    robot, settings, adapter, asked
        As of ``bag_streams``.
    holdout : float
        Share of the end that is kept for validation.

    Raises
    ------
    ConfigurationError
        If the method fits one log, and there are several.
    """
    if len(bags) > 1 and not settings.method_type().fits_several_flights:
        raise ConfigurationError(
            f'method: {settings.method} fits one bag; several are for momentum_balance'
        )
    logs = [bag_log(str(bag), robot, settings, adapter, asked) for bag in bags]
    return _identified(logs, settings, holdout, ', '.join(Path(bag).name for bag in bags))


def _identified(
    logs: Sequence[RecordedLog], settings: IdentifySettings, holdout: float, source: str
) -> Subject:
    """Return what logs of one robot show of it, as one fit."""
    recorded, log = logs[0], _joined([each.log for each in logs])
    record = log.measurement
    result = identify_record(record, recorded.method, settings.recursion, holdout).with_log(log)
    streams = tuple(each for recorded in logs for each in recorded.streams)
    return Subject(result, record, samples_fitted(record, holdout), source, streams)


def _joined(logs: Sequence[LogRecord]) -> LogRecord:
    """Return logs as one, each a good while after the one before."""
    first, *others = logs
    for log in others:
        begin = first.measurement.times[-1] + _BETWEEN
        later = log.measurement.shifted(begin - log.measurement.times[0])
        first = replace(
            first,
            measurement=Record.concatenate([first.measurement, later]),
            rejected=first.rejected + log.rejected,
            reordered=first.reordered + log.reordered,
            messages=first.messages + log.messages,
            notes=first.notes + log.notes,
        )
    return first


def named_topics(adapter: str, topics: Mapping[str, str], namespace: str) -> Adapter:
    """Return how the topics of a bag become our streams.

    Parameters
    ----------
    adapter : str
        File or preset; our own topics if empty.
    topics : mapping of str to str
        Topics in the bag by ours.
    namespace : str
        Of all others.

    Raises
    ------
    ConfigurationError
        If there is no such adapter, or it has no topic that one is given for.
    """
    found = load_adapter(adapter) if adapter else own_topics(SENSED_TOPICS)
    names = tuple(each.topic.strip('/') for each in found.sources)
    given = {name.strip('/'): topic for name, topic in topics.items()}
    for name in given:
        if name not in names:
            raise ConfigurationError(f'topic: {name!r} must be one of {", ".join(names)}')
    prefix = f'/{namespace.strip("/")}' if namespace.strip('/') else ''
    return found.remapped({name: given.get(name, f'{prefix}/{name}') for name in names})


def bag_streams(
    bag: str,
    robot: RobotModel,
    settings: IdentifySettings,
    adapter: Adapter,
    asked: Sequence[str] = (),
) -> tuple[RobotModel, BagStreams]:
    """Return the robot as an adapter equips it, and the streams that are wanted and there.

    Parameters
    ----------
    bag : str
        A rosbag2 folder.
    robot : RobotModel
        Description of the robot.
    settings : IdentifySettings
        Method and alignment.
    adapter : Adapter
        How messages are read.
    asked : sequence of str
        Topics that have to be there.
    """
    needs = needs_of_log(robot, settings)
    wanted = _wanted(adapter.for_robot(robot), needs)
    return wanted.equipped(robot), read_bag(bag, _needed(needs), wanted, asked)


def bag_log(
    bag: str,
    robot: RobotModel,
    settings: IdentifySettings,
    adapter: Adapter,
    asked: Sequence[str] = (),
) -> RecordedLog:
    """Return the log in a rosbag2 folder; parameters are those of ``bag_streams``."""
    robot, streams = bag_streams(bag, robot, settings, adapter, asked)
    return log_from_streams(robot, streams, settings)


def _wanted(adapter: Adapter, needs: StreamNeeds) -> Adapter:
    """Return an adapter with what a method uses."""
    unused = ('base_wrench', 'applied_wrench') * (not needs.wrench)
    unused += ('thruster_commands',) * (not needs.thrust)
    return adapter.giving(adapter.kinds - set(unused))


def _needed(needs: StreamNeeds) -> tuple[str, ...]:
    """Return the names of the streams without which a log cannot be read."""
    streams = {'joints': needs.joints, 'imu': needs.gyro, 'pose': needs.pose}
    return tuple(name for name, need in streams.items() if need is Need.NEEDED)


def plan(
    robot: RobotModel | str | Path,
    *,
    start: ArrayLike | None = None,
    **settings: object,
) -> 'PlannedExcitation':
    """Return the motion that shows the parameters best, within every limit of the robot.

    Parameters
    ----------
    robot : RobotModel or path
        The prior model.
    start : array_like, shape (n + w,), optional
        Where joints and wheels are, rad or m; zero if None.
    **settings
        Parameters of the planner: ``method``, ``duration``, ``known_angular_momentum``, ...

    Raises
    ------
    ConfigurationError
        If a setting is unknown or has no value that it can have.
    PlanningError
        If no motion keeps the limits.
    """
    from spacerobot_id.excitation.planner import plan_excitation
    from spacerobot_id.excitation.planner_node_settings import request_from_mapping, REQUEST_KEYS

    robot = _loaded(robot)
    _refuse_unknown(settings, REQUEST_KEYS)
    present = np.zeros(len(robot.joints) + len(robot.wheels)) if start is None else start
    request = request_from_mapping(settings)
    return plan_excitation(
        robot,
        np.asarray(present, dtype=float),
        request.settings,
        method=request.chosen_method,
        momentum=request.momentum,
    )


def simulate(
    robot: RobotModel | str | Path,
    motion: 'PlannedExcitation | ExcitingMotion',
    *,
    prior: RobotModel | str | Path | None = None,
    **settings: object,
) -> BagStreams:
    """Return what the sensors of a robot publish while it follows a motion.

    Parameters
    ----------
    robot : RobotModel or path
        The true robot.
    motion : PlannedExcitation or ExcitingMotion
        What it should do.
    prior : RobotModel or path, optional
        What its controller knows; the robot itself if None.
    **settings
        Fields of ``FlightSettings``: ``seed``, ``noise``, ``mode`` as of the command, ...

    Raises
    ------
    ConfigurationError
        If a setting is unknown.
    PlanningError
        If the motion is another robot's.
    """
    from spacerobot_id.excitation.planner import PlannedExcitation
    from spacerobot_id.flight.recording import FlightSettings, fly_plan
    from spacerobot_id.simulation import ManoeuvringMode

    robot = _loaded(robot)
    known = robot if prior is None else _loaded(prior)
    _refuse_unknown(settings, FlightSettings.__dataclass_fields__)
    followed = motion.plan if isinstance(motion, PlannedExcitation) else motion
    if isinstance(settings.get('mode'), str):
        modes = [each.value for each in ManoeuvringMode]
        if settings['mode'] not in modes:
            raise ConfigurationError(f'mode: must be one of {", ".join(modes)}')
        settings['mode'] = ManoeuvringMode(settings['mode'])
    return fly_plan(robot, followed, known, FlightSettings(**settings))


def _loaded(robot: RobotModel | str | Path) -> RobotModel:
    """Return a robot that is given as one, or as its file."""
    return robot if isinstance(robot, RobotModel) else load_robot(robot)


def _refuse_unknown(settings: Mapping[str, object], known: Collection[str]) -> None:
    """Refuse settings of other names.

    Raises
    ------
    ConfigurationError
        If there is one; names those that are near.
    """
    for name in settings.keys() - set(known):
        near = get_close_matches(name, known)
        meant = f'; did you mean {" or ".join(near)}?' if near else ''
        raise ConfigurationError(f'{name}: unknown setting{meant}')
