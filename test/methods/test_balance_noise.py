"""Sizes of noise in momentum balance: how far data are fitted to themselves."""

from dataclasses import replace

from free_flyer_flights import flight, record, ROBOT
import numpy as np
import pytest
from table_flights import (
    heavier,
    KNOWN_MASS,
    noise_sizes,
    on_table,
    TABLE,
    table_flight,
    UNKNOWN,
)

from spacerobot_id.estimation.states.flights_fit import begin_fit
from spacerobot_id.estimation.states.noise import taken
from spacerobot_id.estimation.states.problem import Problem
from spacerobot_id.measurement import HeldSignal
from spacerobot_id.methods.balance.actuators.commands import Commands
from spacerobot_id.methods.balance.equations.linear_balance import Balance
from spacerobot_id.methods.balance.found_noise import pulse_ratio, step_ratio, wrench_ratio
from spacerobot_id.methods.free_flyer import FreeFlyer
from spacerobot_id.methods.momentum_balance import MomentumBalance

STEP = 1e-3


@pytest.mark.parametrize('count', [1, 2])
def test_leverages_are_the_slope_of_the_determinant(count):
    """Degrees of freedom that are taken, by kind: those that differences of it say."""
    method = on_table(actuators=UNKNOWN)
    flights = [method.flight(table_flight(seed=seed, duration=4.0)) for seed in range(count)]
    values = method.prior().mean
    linear = []
    for each in flights:
        balance = Balance(method, each, values)
        linear.append(balance.linear(balance.start()))
    weights = [(np.ones(len(each.seconds)), np.ones(len(each.kind))) for each in linear]
    information = method.prior().linearised(values)
    own = np.flatnonzero(method.is_of_flight)
    own_std = method.unknowns.std[own - method.unknowns.parameters]
    problem = Problem(linear, weights, information, [values] * count, own, own_std)
    sizes = noise_sizes(1e-3, 2e-3, 0.1, 5e-4, 1e-3, 2.0)
    numeric = np.zeros(len(sizes.kinds))
    for size in range(len(sizes.kinds)):
        high, low = sizes.logarithms, sizes.logarithms
        high[size] += STEP
        low[size] -= STEP
        sides = (
            problem.solved(sizes.with_values(np.exp(each))).determinant for each in (high, low)
        )
        numeric[size] = -0.25 * np.subtract(*sides) / STEP
    np.testing.assert_allclose(taken(problem, problem.solved(sizes)), numeric, atol=1e-4)


def test_a_size_that_was_found_to_be_nothing_can_grow_again():
    """Pulses that scatter after a time in which none were seen to."""
    method = MomentumBalance(heavier(), planar=True, prior_settings=KNOWN_MASS, actuators=UNKNOWN)
    flight = method.flight(table_flight(TABLE, duration=15.0))
    before = noise_sizes(1e-5, 1e-5, 1e-5, 1e-5, 1e-5)
    fit = begin_fit(method, [flight], method.prior().mean, first=before).ended()
    assert 0.5 * TABLE.scatter < fit.sizes['scatter'] < 2.0 * TABLE.scatter


def test_lengths_of_pulses_are_those_between_opening_and_closing():
    """One valve opens twice, one is open for one command of them, one never closes."""
    times = np.array([0.0, 0.5, 0.8, 1.0, 2.0])
    values = np.array([[0, 0, 0], [1, 1, 0], [1, 0, 0], [0, 0, 1], [1, 0, 1]], dtype=float)
    commands = Commands(times, values, np.zeros((6, 3)), ('a', 'b', 'c'), are_valves=True)
    np.testing.assert_allclose(commands.pulse_lengths(), [0.5, 0.3])
    assert not len(replace(commands, are_valves=False).pulse_lengths())


def test_other_forces_are_like_pulses_when_they_come_and_go_with_their_length():
    """Of white pushes by density over impulse; of lasting ones by what is left at that time."""
    method = on_table()
    none = Commands(np.zeros(1), np.zeros((1, 3)), np.eye(6)[:, :3], ('x', 'y', 'z'))
    strength = np.median([each.strength for each in method.model.thrusters])
    quiet = noise_sizes(1e-9, 1e-9, 0.1, 1e-9, 1e-9)
    force = 0.05 * strength / method.usual_mass

    def ratio(sizes):
        return pulse_ratio(method, [none], sizes)

    assert ratio(quiet.changed({'force': force})) == pytest.approx(0.05 / np.sqrt(0.1))
    lasting = noise_sizes(1e-9, 1e-9, 0.1, force * np.sqrt(2.0 / 0.1), 1e-9, 0.1)
    assert ratio(lasting) == pytest.approx(0.05)  # of as long a memory: half of its variance
    slow = noise_sizes(1e-9, 1e-9, 0.1, force * np.sqrt(2.0 / 100.0), 1e-9, 100.0)
    assert ratio(slow) < 0.1 * ratio(lasting)
    without = MomentumBalance(replace(method.model, thrusters=()), planar=True)
    assert pulse_ratio(without, [none], quiet) is None


def test_other_forces_are_like_changes_of_wrenches_that_are_missing():
    """By what wrenches next to a long time change by; nothing where none can be missing."""
    method = on_table()
    times = np.arange(0.0, 20.0, 0.1)
    columns = np.eye(6)[:, [0, 1, 5]]

    def commands(rows, size=1.0):
        forces = size * np.outer(np.arange(len(times)) % 2, [1.0, 1.0, 0.0])
        kept = times[rows], forces[rows]
        return Commands(*kept, columns, ('x', 'y', 'z'))

    every = np.arange(len(times))
    fewer = every[every % 4 != 1]  # 0, 2, 3, 4: from one to the next of the same, 0.2 s apart
    force = 0.05 / method.usual_mass
    sizes = noise_sizes(force, 1e-9, 0.1, 1e-9, 1e-9)
    assert step_ratio(method, [commands(every)], sizes) is None
    assert step_ratio(method, [commands(fewer)], sizes) is None  # they change nothing
    lost = every[(every % 5 != 1) & (every % 5 != 2)]  # steps of 0.3 s, of other parity
    found = step_ratio(method, [commands(lost)], sizes)
    assert found == pytest.approx(0.05 / (np.sqrt(2.0 / 3.0) * np.sqrt(0.3)))
    larger = step_ratio(method, [commands(lost, 10.0)], sizes)
    assert larger == pytest.approx(found / 10.0)
    valves = replace(commands(lost), are_valves=True)
    assert step_ratio(method, [valves], sizes) is None


PULSE = 2.0
"""Length of the pulses of a wrench, s, and of the time between them."""


def pulsed(force, torque, way=(1.0, 0.0, -1.0, 0.0)):
    """Return a fit of a body before its first step, under pulses to and fro along and about x."""
    measured = record(flight(cycles=2))
    place = np.floor((measured.times - measured.times[0] + 1e-6) / PULSE).astype(int) % 4
    values = np.outer(np.array(way)[place], [force, 0.0, 0.0, torque, 0.0, 0.0])
    wrench = HeldSignal(measured.times, values)
    body = FreeFlyer(ROBOT).body
    nothing = np.zeros((len(measured), 0))
    measured = replace(measured, q=nothing, qd=nothing, wheel_rates=nothing, wrench=wrench)
    flights = [body.flight(measured)]
    return body, begin_fit(body, flights, body.prior().mean).fit()


def with_sizes(fit, sizes):
    """Return a fit with other sizes of noise."""
    return replace(fit, solved=replace(fit.solved, sizes=sizes))


def test_other_forces_and_torques_over_those_of_the_wrench_that_alone_moves_a_body():
    """By the mass and inertia that the fit found, within a pulse of the wrench."""
    force, torque = 0.8, 0.05
    body, fit = pulsed(force, torque)
    quiet = noise_sizes(1e-9, 1e-9, 0.1, 1e-9, 1e-9)
    none = wrench_ratio(body, with_sizes(fit, quiet))
    np.testing.assert_allclose(none, 0.0, atol=1e-6)
    size = np.sqrt(PULSE)
    sizes = quiet.changed({
        'force': 0.3 * force / body.usual_mass * size,
        'torque': 0.5 * torque / body.usual_inertia * size,
    })  # fmt: skip
    found = wrench_ratio(body, with_sizes(fit, sizes))
    np.testing.assert_allclose(found, [0.3, 0.5], rtol=0.05)  # edges of pulses between segments
    heavier = replace(fit.flights[0], values=4.0 * fit.flights[0].values)
    found = wrench_ratio(body, replace(with_sizes(fit, sizes), flights=[heavier]))
    np.testing.assert_allclose(found, [1.2, 2.0], rtol=0.05)


def test_wrenches_that_poses_do_not_show_are_no_measure_of_other_forces():
    """Torques of rounding, a constant force, and those of a robot whose joints move it too."""
    body, fit = pulsed(0.8, 1e-17)
    force, torque = wrench_ratio(body, fit)
    assert force is not None
    assert torque is None
    assert wrench_ratio(*pulsed(0.0, 0.0)) == (None, None)
    assert wrench_ratio(*pulsed(0.8, 0.05, way=np.ones(4))) == (None, None)
    arms = on_table()
    fit = begin_fit(arms, [arms.flight(table_flight(duration=4.0))], arms.prior().mean).fit()
    assert wrench_ratio(arms, fit) == (None, None)
