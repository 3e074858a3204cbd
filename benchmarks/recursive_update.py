"""Time per sample of the recursive estimate, and of its square-root update against plain ones.

The dual-arm robot of [Naveen 2024], 67 s at 100 Hz with the paper's noise, from the offset prior,
in blocks of half a second as they come live. ``absorb`` does everything: rows, update, and the
Gauss-Newton fit over all samples whenever it is due. The square-root update alone is compared
with the normal equations (which square the condition number) and with the recursion in covariance
form (which loses definiteness). Run with ``python benchmarks/recursive_update.py``.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from timing import dual_arm, print_machine, print_table, seconds

from spacerobot_id.estimation import absorb, begin_identification
from spacerobot_id.excitation.family.cycloid_family import draw_direction_combinations
from spacerobot_id.excitation.family.seed_family import knots_from_seeds
from spacerobot_id.excitation.trajectory.cycloids import ExcitationPlan
from spacerobot_id.measurement import Record
from spacerobot_id.methods.momentum import Momentum
from spacerobot_id.methods.prediction import Rows
from spacerobot_id.model import RobotModel
from spacerobot_id.multibody import base_twist_from_momentum
from spacerobot_id.statistics.square_root_information import SquareRootInformation

RATE, INTERVALS, BLOCK = 100.0, 67, 50
START = np.deg2rad([40.661, -109.403, -78.782, 125.089, -110.0, 51.228])
RANGE = np.deg2rad([0.524, 2.51, 2.51, 2.513, 2.036, 2.5])
"""Seed parameters of [Naveen 2024], Table 4."""


def measured_motion(model: RobotModel, method: Momentum) -> Record:
    """Return noisy samples of the paper's motion, its directions drawn again."""
    rng = np.random.default_rng(0)
    knots = knots_from_seeds(
        np.append(START, np.zeros(3)),
        np.append(RANGE, np.full(3, 3.0 * np.pi)),
        draw_direction_combinations(9, INTERVALS, rng),
    )
    plan = ExcitationPlan(model.joint_names + model.wheel_names, knots, np.ones(INTERVALS))
    times = (np.arange(int(INTERVALS * RATE)) + 0.5) / RATE
    motion = plan.sample(times)
    q, qd, wheel_rates = motion.position[:, :6], motion.velocity[:, :6], motion.velocity[:, 6:]
    twist = base_twist_from_momentum(model, q, qd, wheel_rates)
    noise = rng.normal(size=(len(times), 12)) * method.rate_std
    return Record(
        times,
        q,
        qd + noise[:, 6:],
        wheel_rates,
        twist + noise[:, :6],
    )


def blocks_of(measurement: Record) -> list[Record]:
    """Return a measurement as it comes live."""
    return [measurement[i : i + BLOCK] for i in range(0, len(measurement), BLOCK)]


def identify(method: Momentum, blocks: list[Record]) -> NDArray[np.float64]:
    """Return the estimate of everything the package does per block."""
    state = begin_identification(method)
    for block in blocks:
        state = absorb(state, block)
    return state.information.values()


def by_square_root(blocks: list[Rows], parameters: int) -> NDArray[np.float64]:
    """Return the estimate of this package's update."""
    information = SquareRootInformation.from_prior(*_vague(parameters))
    for rows in blocks:
        information = information.absorb(rows.matrix, rows.right)
    return information.values()


def by_normal_equations(blocks: list[Rows], parameters: int) -> NDArray[np.float64]:
    """Return the estimate of plain normal equations, summed block by block."""
    gram, moment = np.linalg.inv(_vague(parameters)[1]), np.zeros(parameters)
    for rows in blocks:
        gram = gram + rows.matrix.T @ rows.matrix
        moment = moment + rows.matrix.T @ rows.right
    return np.linalg.solve(gram, moment)


def by_covariance(blocks: list[Rows], parameters: int) -> NDArray[np.float64]:
    """Return the estimate of the textbook's recursion in covariance form, block by block."""
    values, covariance = _vague(parameters)
    for rows in blocks:
        spread = covariance @ rows.matrix.T
        innovation = rows.matrix @ spread + np.eye(len(rows.right))
        gain = np.linalg.solve(innovation, spread.T).T
        values = values + gain @ (rows.right - rows.matrix @ values)
        covariance = covariance - gain @ spread.T
    return values


def _vague(parameters: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return mean and covariance of next to no knowledge."""
    return np.zeros(parameters), 1e8 * np.eye(parameters)


def median_error(values: NDArray[np.float64], truth: NDArray[np.float64]) -> str:
    """Return the median relative error as text."""
    error = 100.0 * np.median(np.abs(values / truth - 1.0))
    return f'{error:.3f}' if error < 100.0 else 'diverged'


@np.errstate(all='ignore')  # of the recursion that diverges
def main() -> None:
    """Measure and print."""
    model = dual_arm()
    method = Momentum.from_model(dual_arm('naveen_dual_arm_prior'))
    truth = method.minimal.values(model)
    measurement = measured_motion(model, method)
    blocks = blocks_of(measurement)
    rows = [method.predict(block, truth).rows(truth) for block in blocks]
    samples, parameters = len(measurement), len(truth)

    print(f'Recursive estimate of {model.name}: {samples} samples, blocks of {BLOCK}')
    print_machine()
    whole = seconds(lambda: identify(method, blocks), repeats=1)
    print_table(
        ('', 'us per sample', 's in all', 'times real time'),
        [
            (
                'absorb, re-linearised when due',
                f'{1e6 * whole / samples:.0f}',
                f'{whole:.2f}',
                f'{samples / RATE / whole:.0f}',
            )
        ],
    )
    print()
    print('The update alone, of the same rows; error: median, against the true parameters')
    ways: dict[str, Callable[[list[Rows], int], NDArray[np.float64]]] = {
        'SquareRootInformation.absorb': by_square_root,
        'numpy, normal equations': by_normal_equations,
        'numpy, covariance form': by_covariance,
    }
    times = {name: seconds(lambda way=way: way(rows, parameters)) for name, way in ways.items()}
    ours = times['SquareRootInformation.absorb']
    print_table(
        ('', 'us per sample', 'us per block', 'time, as a ratio to ours', 'error, %'),
        [
            (
                name,
                f'{1e6 * total / samples:.1f}',
                f'{1e6 * total / len(rows):.0f}',
                f'{total / ours:.2f}',
                median_error(ways[name](rows, parameters), truth),
            )
            for name, total in times.items()
        ],
    )


if __name__ == '__main__':
    main()
