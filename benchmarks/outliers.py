"""Outliers from the first sample on, live and in logs: errors, intervals, and what they cost.

The dual-arm robot along a recorded plan of 67 s, blocks of 0.2 s live. Outliers on one stream at a
time, to either side on every axis, are drawn for every seed. Where they are on poses, these
take the place of the velocity.
Run with ``python benchmarks/outliers.py [SEEDS [WORD]]``, 3 by default, of all streams or those
whose name has a word.
"""

from dataclasses import dataclass, replace
import sys

from accuracy import identified_live, noisy, PLANS, STILL, World
import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation
from timing import dual_arm, print_machine, print_table

from spacerobot_id.estimation import Estimate, identify
from spacerobot_id.excitation import load_plan
from spacerobot_id.measurement import Record
from spacerobot_id.methods.momentum import Momentum

STREAMS = ('joint rates', 'joint positions', 'gyro', 'velocity', 'positions', 'attitudes')
OF_POSES = STREAMS[4:]
CASES = ((0.01, 10.0), (0.01, 100.0), (0.01, 1000.0), (0.05, 100.0), (0.1, 10.0), (0.1, 1000.0))


@dataclass(frozen=True)
class Found:
    """What one record came to."""

    estimate: Estimate
    rejected: int
    changes: int


def spoilt(record: Record, method: Momentum, stream: str, case: tuple[float, float], seed: int):  # noqa: ANN201
    """Return a record with outliers on a stream."""
    rng = np.random.default_rng([seed, STREAMS.index(stream)])
    share, size = case
    count, joints = record.qd.shape
    hit = (rng.random(count) < share)[:, None]
    off = rng.choice([-1.0, 1.0], (count, 6 + joints)) * size * hit
    if stream == 'joint rates':
        return replace(record, qd=record.qd + off[:, 6:] * method.rate_std[6:])
    if stream == 'joint positions':
        return replace(record, q=record.q + off[:, 6:] * method.model.noise.joint_position)
    if stream == 'positions':
        return replace(record, position=record.position + off[:, :3] * method.pose_std[0])
    if stream == 'attitudes':
        turn = Rotation.from_rotvec(off[:, :3] * method.pose_std[1])
        return replace(record, attitude=(Rotation.from_quat(record.attitude) * turn).as_quat())
    off = off[:, :6] * method.rate_std[:6]
    off[:, slice(0, 3) if stream == 'gyro' else slice(3, 6)] = 0.0
    return replace(record, base_twist=record.base_twist + off)


def live(method: Momentum, record: Record) -> Found:
    """Return what the recursion has at the end."""
    state = identified_live(method, record)
    return Found(state.estimate(), state.rejected, state.changes)


def in_log(method: Momentum, record: Record) -> Found:
    """Return what the batch fit has."""
    result = identify(record, method, with_links=False)
    return Found(result.estimate, sum(result.rejected.values()), result.changes)


def row(
    name: list[str], runs: list[Found], clean: list[Found], true: NDArray[np.float64]
) -> list[str]:
    """Return a row of the table."""

    def errors(found: list[Found]) -> NDArray[np.float64]:
        return np.array([(each.estimate.values - true) / each.estimate.std for each in found])

    def size(found: list[Found]) -> float:
        off = [(each.estimate.values - true) / clean[0].estimate.std for each in found]
        return float(np.sqrt(np.mean(np.square(off))))

    return [
        *name,
        f'{size(runs) / size(clean):.2f}',
        f'{100.0 * np.mean(np.abs(errors(runs)) < 1.96):.0f}',
        f'{np.mean([each.estimate.chi_square for each in runs]):.3f}',
        f'{np.mean([each.rejected for each in runs]):.0f}',
        f'{sum(each.changes for each in runs)}',
    ]


def main() -> None:
    """Spoil, identify and print."""
    seeds = range(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
    print_machine()
    true, prior = dual_arm(), dual_arm('naveen_dual_arm_prior')
    world = World(true, prior, load_plan(PLANS / 'dual_arm.yaml'), STILL, np.zeros(3))
    word = sys.argv[2] if len(sys.argv) > 2 else ''
    chosen = [each for each in STREAMS if word in each]
    clean, rows = world.clean(), []
    for way, run, from_pose in (
        ('live', live, False),
        ('log', in_log, False),
        ('live', live, True),
        ('log', in_log, True),
    ):
        streams = [each for each in chosen if (each in OF_POSES) == from_pose]
        if not streams:
            continue
        method = Momentum.from_model(prior, from_pose=from_pose)
        values = method.minimal.values(true)
        records = [noisy(clean, method, seed) for seed in seeds]
        without = [run(method, record) for record in records]
        rows.append(row([way, 'none' + ', poses' * from_pose, '', ''], without, without, values))
        for stream in streams:
            for case in CASES:
                runs = [
                    run(method, spoilt(record, method, stream, case, seed))
                    for seed, record in zip(seeds, records, strict=True)
                ]
                name = [way, stream, f'{100.0 * case[0]:.0f}', f'{case[1]:.0f}']
                rows.append(row(name, runs, without, values))
    print(f'\nDual-arm robot, {len(seeds)} seeds, 67 s at 100 Hz')
    print_table(
        [
            '',
            'outliers on',
            '%',
            'deviations',
            'errors over those without',
            'inside 95 %, %',
            'chi-square',
            'left out',
            'changes announced',
        ],
        rows,
    )


if __name__ == '__main__':
    main()
