"""What the estimator knows, asked for by its service ``get_estimate``."""

import time

import numpy as np
from rcl_interfaces.srv import GetParameters
from rclpy.parameter import parameter_value_to_python

from spacerobot_id.exceptions import PlanningError
from spacerobot_id.excitation.objective.objective import Known
from spacerobot_id.nodes.common.lifecycle import ManagedNode

SERVICE = 'estimator/get_estimate'
"""Relative name of the service; remap it where the estimator has another name."""

_PATIENCE = 5.0
"""Longest time to wait for the answer, s."""


class EstimateClient:
    """Asks for the estimate without waiting, and reads the answer.

    Parameters
    ----------
    node : ManagedNode
        Node that asks.
    names : tuple of str
        Names of the minimal parameters that are expected.
    """

    def __init__(self, node: ManagedNode, names: tuple[str, ...]) -> None:
        self._names = names
        self._client = node.create_client(GetParameters, SERVICE)
        self._future = None
        self._asked = 0.0

    def ask(self) -> None:
        """Ask; raises PlanningError if the service is not available."""
        if not self._client.service_is_ready():
            raise PlanningError(f'{SERVICE}: service not available')
        request = GetParameters.Request(names=['names', 'values', 'covariance'])
        self._future, self._asked = self._client.call_async(request), time.monotonic()

    def forget(self) -> None:
        """Wait for the answer no longer."""
        self._future = None

    def answer(self) -> Known | None:
        """Return what is known, None as long as there is no answer.

        Raises
        ------
        PlanningError
            If none comes, or it is of another robot.
        """
        if not self._future.done():
            if time.monotonic() - self._asked > _PATIENCE:
                self._future = None
                raise PlanningError(f'{SERVICE}: no answer within {_PATIENCE:g} s')
            return None
        answer = (parameter_value_to_python(each) for each in self._future.result().values)
        names, values, covariance = answer
        self._future = None
        if tuple(names or ()) != self._names:
            raise PlanningError(f'{SERVICE}: the estimator has other minimal parameters')
        count = len(self._names)
        spread = np.array(covariance).reshape(count, count)
        if not np.isfinite(spread).all():
            raise PlanningError(f'{SERVICE}: the estimate has no finite covariance yet')
        return Known(np.array(values), information_of(spread))


def information_of(covariance: np.ndarray) -> np.ndarray:
    """Return the inverse of a covariance, scaled so that units do not matter."""
    scale = np.sqrt(np.maximum(np.diag(covariance), np.finfo(float).tiny))
    inverse = np.linalg.pinv(covariance / np.outer(scale, scale), hermitian=True)
    return inverse / np.outer(scale, scale)
