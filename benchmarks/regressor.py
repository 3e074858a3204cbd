"""Time per sample of the momentum regressor, against pinocchio's called once per sample.

The dual-arm robot of [Naveen 2024], its 52 minimal columns, 10 000 samples at once. pinocchio has
no momentum regressor: the first six rows of its joint-torque regressor Y(q, 0, v) without gravity
are one, for one sample and all 70 standard columns. Run with ``python benchmarks/regressor.py``.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
import pinocchio as pin
from timing import dual_arm, print_machine, print_table, ROBOTS, seconds

from spacerobot_id import keep_memory
from spacerobot_id.regressor import minimal_parameters, momentum_regressor

SAMPLES = 10_000
TARGET = 4.0
"""Microseconds per sample that the regressor may take."""


def pinocchio_regressor(
    q: NDArray[np.float64], velocity: NDArray[np.float64]
) -> Callable[[], NDArray[np.float64]]:
    """Return a function that evaluates pinocchio's regressor at each sample in turn."""
    model = pin.buildModelFromUrdf(str(ROBOTS / 'naveen_dual_arm.urdf'), pin.JointModelFreeFlyer())
    model.gravity = pin.Motion.Zero()
    data, rest = model.createData(), np.zeros(model.nv)
    base = np.tile([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0], (len(q), 1))
    configurations = np.hstack([base, q])
    regressors = np.empty((len(q), 6, 10 * (model.njoints - 1)))

    def evaluate() -> NDArray[np.float64]:
        for sample, (configuration, rates) in enumerate(
            zip(configurations, velocity, strict=True)
        ):
            regressors[sample] = pin.computeJointTorqueRegressor(
                model, data, configuration, rest, rates
            )[:6]
        return regressors

    return evaluate


def main() -> None:
    """Measure and print."""
    keep_memory()
    model = dual_arm()
    columns = minimal_parameters(model).columns
    rng = np.random.default_rng(0)
    q = rng.uniform(-np.pi, np.pi, (SAMPLES, 6))
    velocity = rng.normal(size=(SAMPLES, 12))

    def ours(*, contiguous: bool = False) -> NDArray[np.float64]:
        rates, twist = velocity[:, 6:], velocity[:, :6]
        return momentum_regressor(model, q, rates, twist, columns, contiguous=contiguous)

    times = {
        'momentum_regressor, as returned': seconds(ours),
        'momentum_regressor, contiguous': seconds(lambda: ours(contiguous=True)),
        'pinocchio, one call per sample': seconds(pinocchio_regressor(q, velocity), repeats=3),
    }
    per_sample = {name: 1e6 * total / SAMPLES for name, total in times.items()}
    slowest = per_sample['pinocchio, one call per sample']

    print(f'Momentum regressor of {model.name}, {SAMPLES} samples; best of several runs')
    print_machine()
    print_table(
        ('', 'us per sample', 'times as fast as pinocchio'),
        [(name, f'{time:.2f}', f'{slowest / time:.1f}') for name, time in per_sample.items()],
    )
    reached = per_sample['momentum_regressor, as returned']
    print(f'target {TARGET:g} us per sample: {"reached" if reached <= TARGET else "missed"}')


if __name__ == '__main__':
    main()
