"""What the estimator's own work costs at 1 kHz, messaging aside, as a share of one core.

Samples of joints, gyro and base twist of the dual-arm robot along its recorded plan are taken one
by one as the node takes them, aligned, and absorbed every 0.2 s. Beside it the peer: pinocchio's
joint-torque regressor, sample by sample, whose first six rows would be the momentum regressor.
Run with ``python benchmarks/estimator_load.py``.
"""

import time
import warnings

from accuracy import PLANS
import numpy as np
import pinocchio
from timing import dual_arm, print_machine, print_table, ROBOTS

from spacerobot_id.excitation import load_plan
from spacerobot_id.flight.computing_load import estimator_load
from spacerobot_id.measurement import Record
from spacerobot_id.methods.momentum import Momentum
from spacerobot_id.multibody import base_twist_from_momentum

RATE = 1000


def main() -> None:
    """Print the share of a core, over the whole motion and in its busiest 10 s."""
    warnings.simplefilter('ignore')
    true, prior = dual_arm(), dual_arm('naveen_dual_arm_prior')
    plan, n = load_plan(PLANS / 'dual_arm.yaml'), len(true.joints)
    times = np.arange(0.0, plan.duration, 1.0 / RATE)
    motion, rng = plan.sample(times), np.random.default_rng(0)
    q, qd, wheels = motion.position[:, :n], motion.velocity[:, :n], motion.velocity[:, n:]
    method = Momentum.from_model(prior)
    noise = method.rate_std * rng.normal(size=(len(times), len(method.rate_std)))
    twist = base_twist_from_momentum(true, q, qd, wheels) + noise[:, :6]
    measurement = Record(times, q, qd + noise[:, 6:], wheels, twist)
    load = estimator_load(method, measurement)
    peer = regressor_seconds(q, measurement.qd) * RATE
    print_machine()
    print(f'Estimator at {RATE} Hz over {plan.duration:.0f} s, {len(times)} samples')
    print_table(
        ['share of one core, %', 'here', 'wanted'],
        [
            ['intake and alignment', f'{100 * load.intake:.1f}', '-'],
            ['all', f'{100 * load.whole:.1f}', '30'],
            ['all, busiest 10 s', f'{100 * load.busiest:.1f}', '-'],
            ['pinocchio: one regressor per sample', f'{100 * peer:.1f}', '-'],
            ['all over pinocchio', f'{load.whole / peer:.1f}', '-'],
        ],
    )


def regressor_seconds(q: np.ndarray, qd: np.ndarray) -> float:
    """Return the time of pinocchio's joint-torque regressor for one sample, s."""
    model = pinocchio.buildModelFromUrdf(
        str(ROBOTS / 'naveen_dual_arm.urdf'), pinocchio.JointModelFreeFlyer()
    )
    data, base = model.createData(), np.array([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0])
    extra = model.nv - 6 - q.shape[1]
    start = time.process_time()
    for position, rate in zip(q[:10_000], qd[:10_000], strict=True):
        full = np.concatenate([base, position, np.zeros(model.nq - 7 - len(position))])
        velocity = np.concatenate([np.zeros(6), rate, np.zeros(extra)])
        pinocchio.computeJointTorqueRegressor(model, data, full, velocity, velocity)
    return (time.process_time() - start) / 10_000


if __name__ == '__main__':
    main()
