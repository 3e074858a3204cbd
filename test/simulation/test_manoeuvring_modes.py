"""The five modes of [Wilde 2018] Table 1: what each drives, what it conserves, what it refuses."""

from flights import flight, sample_times, total_momentum
import numpy as np
import pytest
from robots import dual_arm, random_tree
from scipy.spatial.transform import Rotation

from spacerobot_id.exceptions import SimulationError
from spacerobot_id.kinematics.trajectory_motion import JointTrajectory
from spacerobot_id.simulation import Controller, DynamicSimulation, ManoeuvringMode
from spacerobot_id.simulation.controller import Drive

FORCE, TORQUE = np.array([3.0, -2.0, 1.0]), np.array([0.5, 1.0, -2.0])
NOTHING = np.zeros(3)
MODES = tuple(ManoeuvringMode)
ALLOWED = {
    'floating': (NOTHING, NOTHING),
    'rotation-floating': (NOTHING, NOTHING),
    'rotation-flying': (NOTHING, TORQUE),
    'translation-flying': (FORCE, NOTHING),
    'flying': (FORCE, TORQUE),
}


def moved(mode, seconds=3.0, **keywords):
    """Return a robot in motion in a mode, its drives on, and samples of it."""
    wheels = mode.properties.drives_wheels
    simulation = flight(mode, intervals=5, wheels=wheels, **keywords)
    simulation = simulation.with_base_wrench(np.concatenate(ALLOWED[mode.value]))
    return simulation.advanced_to(sample_times(seconds))


def test_table_is_that_of_the_paper():
    """Names, drives and conserved momenta of Table 1 and its text."""
    rows = {mode.value: mode.properties for mode in MODES}
    assert list(rows) == list(ALLOWED)
    assert rows['floating'].rotation is Drive.NONE
    assert rows['rotation-floating'].rotation is Drive.WHEELS
    assert rows['rotation-flying'].rotation is Drive.TORQUE
    assert rows['translation-flying'].translation is Drive.THRUSTERS
    assert rows['flying'].rotation is rows['flying'].translation is Drive.THRUSTERS
    kept = {name: row.conserved for name, row in rows.items()}
    assert kept['floating'] == kept['rotation-floating'] == 'linear and angular momentum conserved'
    assert kept['rotation-flying'] == 'linear momentum conserved'
    assert kept['translation-flying'] == 'angular momentum conserved'
    assert kept['flying'] == 'no momentum conserved'


@pytest.mark.parametrize('mode', MODES)
def test_mode_conserves_what_it_says(mode):
    """What is conserved stays to 1e-10 of what moves; what is not grows by impulse, to 1e-6."""
    simulation, samples = moved(mode)
    total = total_momentum(simulation.model, samples)
    force, _ = ALLOWED[mode.value]
    for columns, kept in (
        (slice(0, 3), mode.properties.conserves_linear),
        (slice(3, 6), mode.properties.conserves_angular),
    ):
        change = abs(total[-1, columns] - total[0, columns]).max()
        assert change < 1e-9 if kept else change > 1.0
    if force.any():
        turned = Rotation.from_quat(samples.attitude).apply(force)
        impulse = (turned[:-1] + turned[1:]).sum(axis=0) / 2 / 100
        assert total[-1, :3] - total[0, :3] == pytest.approx(impulse, abs=1e-6)


@pytest.mark.parametrize('mode', MODES)
def test_mode_refuses_what_it_does_not_drive(mode):
    """Force, torque and wheels: the error names the mode, and the robot moves as before."""
    simulation, _ = moved(mode, 1.0)
    _, expected = simulation.advanced_to(sample_times(0.5, begin=1.0))
    for part, wrench in enumerate((np.append(FORCE, NOTHING), np.append(NOTHING, TORQUE))):
        if ALLOWED[mode.value][part].any():
            simulation.with_base_wrench(wrench)
            continue
        with pytest.raises(SimulationError, match=f'mode {mode.value} allows no'):
            simulation.with_base_wrench(wrench)
    spin = JointTrajectory(dual_arm().wheel_names, np.array([9.0]), np.full((1, 3), 1.0))
    if not mode.properties.drives_wheels:
        with pytest.raises(SimulationError, match=f'mode {mode.value} does not drive the wheels'):
            simulation.with_wheel_trajectory(spin)
    _, after = simulation.advanced_to(sample_times(0.5, begin=1.0))
    assert (after.q == expected.q).all()
    assert (after.base_twist == expected.base_twist).all()


@pytest.mark.parametrize('mode', MODES)
def test_base_hold_holds_what_the_mode_drives(mode):
    """While the arms move, what is driven stays within a hundredth of what it does if not."""
    controller = Controller(dual_arm(), holds_base=True)
    held = flight(mode, intervals=5, wheels=False, controller=controller)
    free = flight(mode, intervals=5, wheels=False)
    times = sample_times(5.0)
    (_, held), (_, free) = held.advanced_to(times), free.advanced_to(times)

    def turned(samples):
        return Rotation.from_quat(samples.attitude).magnitude().max()

    row = mode.properties
    if mode is ManoeuvringMode.TRANSLATION_FLYING or row.rotation is Drive.NONE:
        assert turned(held) > 0.1 * turned(free)
    else:
        assert turned(held) < 0.01 * turned(free)
    way, free_way = abs(held.position).max(), abs(free.position).max()
    assert (way < 0.01 * free_way) == (row.translation is Drive.THRUSTERS)


def test_wheels_that_hold_the_base_take_no_trajectory():
    controller = Controller(dual_arm(), holds_base=True)
    with pytest.raises(SimulationError, match='the wheels hold the base'):
        flight(intervals=2, controller=controller)


def test_holding_needs_three_wheels():
    """Without them the mode is refused by name."""
    model = random_tree(0, 3)
    with pytest.raises(SimulationError, match=r'rotation-floating: .* three independent reaction'):
        DynamicSimulation.at_rest(
            model, np.zeros(3), controller=Controller(model, holds_base=True)
        )


@pytest.mark.parametrize('mode', ['hovering', '', None])
def test_unknown_mode_is_refused_by_name(mode):
    with pytest.raises(SimulationError, match=r'mode: must be one of floating, rotation-floating'):
        DynamicSimulation.at_rest(dual_arm(), np.zeros(6), mode=mode)
