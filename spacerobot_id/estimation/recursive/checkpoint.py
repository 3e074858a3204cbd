"""What is known of a robot, written down so that a restart goes on from it.

Kept is the information on the parameters, all other unknowns integrated out: biases and
momenta may have become others meanwhile. Samples are not kept, so their information is never
relinearised. A checkpoint carries its version, a hash of description and settings, and a hash of
itself; where one of them is wrong it is refused.
"""

from dataclasses import replace
import hashlib
import json

import numpy as np
from numpy.typing import NDArray

from spacerobot_id.estimation.recursive.state import Identification
from spacerobot_id.exceptions import CheckpointError
from spacerobot_id.measurement.record import STREAMS
from spacerobot_id.methods.method import Method
from spacerobot_id.statistics.square_root_information import SquareRootInformation

VERSION = 4


def checkpoint_text(state: Identification, configuration: str) -> str:
    """Return a checkpoint as JSON.

    Parameters
    ----------
    state : Identification
        State of the recursion.
    configuration : str
        Hash of description and settings that it belongs to.
    """
    count = state.method.unknowns.parameters
    known = state.information.of_first(count)
    content = {
        'version': VERSION,
        'configuration': configuration,
        'method': state.method.name,
        'names': list(state.method.unknowns.names[:count]),
        'outputs': list(state.method.output_units),
        'factor': known.factor.tolist(),
        'target': known.target.tolist(),
        'residual': known.residual,
        'rows': known.rows,
        'centre': state.centre[:count].tolist(),
        'gram': state.gram.tolist(),
        'condition': state.condition,
        'samples': state.samples,
        'rejected': state.rejected,
        'changes': state.changes,
        'momentum_std': _momentum_std(state.method),
        'shown': None if state.shown is None else state.shown.tolist(),
    }
    return json.dumps({**content, 'integrity': _integrity(content)})


def restored(fresh: Identification, text: str, configuration: str) -> Identification:
    """Return the state that a checkpoint holds.

    Parameters
    ----------
    fresh : Identification
        State before the first sample, of the same robot with the same settings.
    text : str
        Checkpoint.
    configuration : str
        Hash of description and settings now.

    Raises
    ------
    CheckpointError
        If it is no checkpoint, of another version or configuration, or damaged; the message has
        which of these.
    """
    content = _content(text)
    if content.get('configuration') != configuration:
        raise CheckpointError('it is of another description or other settings')
    method, count = fresh.method, fresh.method.unknowns.parameters
    names = list(method.unknowns.names[:count])
    if content.get('method') != method.name or content.get('names') != names:
        raise CheckpointError('it is of another method')
    if content.get('outputs') != list(method.output_units):
        raise CheckpointError('it is of another source of the base velocity')
    known = SquareRootInformation(
        _numbers(content, 'factor', (count, count)),
        _numbers(content, 'target', (count,)),
        float(_numbers(content, 'residual', ())),
        int(_numbers(content, 'rows', ())),
    )
    momentum = _momentum_std(method)
    if content.get('momentum_std') != momentum:
        method = method.with_momentum(_numbers(content, 'momentum_std', (len(momentum),)))
    information = _with_others(known, method.unknowns.std)
    samples, condition = int(_numbers(content, 'samples', ())), content.get('condition')
    shown = None if content.get('shown') is None else _numbers(content, 'shown', (len(STREAMS),))
    if shown is not None and not (shown > 0.0).all():
        raise CheckpointError('it is damaged: shown are no variances')
    others = np.zeros(len(method.unknowns.std))
    return replace(
        fresh,
        method=method,
        prior=method.prior(),
        known=information,
        information=information,
        centre=np.concatenate([_numbers(content, 'centre', (count,)), others]),
        condition=None if condition is None else float(_numbers(content, 'condition', ())),
        gram=_numbers(content, 'gram', (count, count)),
        samples=samples,
        linearised=samples,
        noise=known.noise_variance(),
        rejected=int(_numbers(content, 'rejected', ())),
        changes=int(_numbers(content, 'changes', ())),
        described=False,
        shown=shown,
    )


def _numbers(content: dict, key: str, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Return finite numbers of a checkpoint."""
    try:
        values = np.array(content[key], dtype=float)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise CheckpointError(f'it is damaged: {key} is not there or holds no numbers') from error
    if values.shape != shape or not np.isfinite(values).all():
        raise CheckpointError(f'it is damaged: {key} are not {shape} finite numbers')
    return values


def _momentum_std(method: Method) -> list[float]:
    """Return how uncertain the system's momentum is, which a change makes unknown."""
    return method.momentum_std.tolist()


def _content(text: str) -> dict:
    """Return what a checkpoint holds, if it is one and whole."""
    try:
        content = json.loads(text)
        integrity = content.pop('integrity')
        version = content['version']
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise CheckpointError('it is damaged or no checkpoint') from error
    if version != VERSION:
        raise CheckpointError(f'its version is {version}, wanted is {VERSION}')
    if integrity != _integrity(content):
        raise CheckpointError('it is damaged')
    return content


def _integrity(content: dict) -> str:
    """Return a hash of what a checkpoint holds; numbers come back from JSON as they were."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _with_others(known: SquareRootInformation, std: NDArray[np.float64]) -> SquareRootInformation:
    """Return information on the minimal parameters with other unknowns at their prior."""
    count, others = len(known.target), len(std)
    factor = np.zeros((count + others, count + others))
    factor[:count, :count], factor[count:, count:] = known.factor, np.diag(1.0 / std)
    target = np.concatenate([known.target, np.zeros(others)])
    return replace(known, factor=factor, target=target)
