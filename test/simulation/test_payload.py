"""A payload joined and released: nothing jumps, momentum of robot and payload is kept."""

from flights import flight, sample_times, total_momentum
import numpy as np
from numpy.testing import assert_allclose, assert_array_equal
import pytest
from robots import dual_arm, servicer

from spacerobot_id.exceptions import SimulationError
from spacerobot_id.kinematics import link_motion
from spacerobot_id.model import InertialParameters
from spacerobot_id.multibody import momentum, whole_robot
from spacerobot_id.simulation import Payload

BODY = InertialParameters.from_com(40.0, [0.3, -0.2, 0.5], np.diag([3.0, 4.0, 5.0]))
LINK = dual_arm().link_names[-1]


def moving():
    return flight(intervals=6).advanced_to(sample_times(1.5))[0]


def payload_momentum(model, state):
    """Return the momentum of the body where it is joined, by its own motion; base axes."""
    frame = model.frames[LINK]
    body = BODY.expressed_in(frame.R_LF, frame.p_LF_L)
    motion = link_motion(model, state.q[None], state.qd[None], state.base_twist[None])
    axes, index = motion.poses.axes[frame.link, :, :, 0], frame.link
    offset, turning = body.com @ axes, motion.angular[index, :, 0]
    linear = body.mass * (motion.linear[index, :, 0] + np.cross(turning, offset))
    tensor = axes.T @ body.inertia_about_com @ axes
    centre = motion.poses.origins[index, :, 0] + offset
    return np.concatenate([linear, tensor @ turning + np.cross(centre, linear)])


def robot_momentum(model, state):
    return momentum(model, state.q[None], state.qd[None], state.base_twist[None])[0]


@pytest.mark.parametrize('release', [False, True])
def test_momentum_is_kept_through_the_event(release):
    """Robot with payload has what robot and payload had, and the other way round."""
    alone = moving()
    joined = alone.with_payload(Payload(LINK, BODY))
    before, after = (joined, joined.without_payload()) if release else (alone, joined)
    assert after.state is before.state
    together = robot_momentum(joined.model, joined.state)
    apart = robot_momentum(alone.model, alone.state) + payload_momentum(alone.model, alone.state)
    assert abs(payload_momentum(alone.model, alone.state)).max() > 0.1
    assert_allclose(together, apart, atol=1e-12 * abs(together).max())


def test_momentum_with_payload_stays_constant():
    """From the event on, to 1e-9; and again after the release."""
    joined = moving().with_payload(Payload(LINK, BODY))
    later, samples = joined.advanced_to(sample_times(2.0, begin=1.5))
    total = total_momentum(joined.model, samples)
    assert abs(total).max() > 0.1
    assert abs(total - total[0]).max() < 1e-9 * abs(total).max()
    released = later.without_payload()
    _, samples = released.advanced_to(sample_times(1.0, begin=3.5))
    total = total_momentum(released.model, samples)
    assert abs(total - total[0]).max() < 1e-9 * abs(total).max()


def test_truth_has_the_payload():
    """Mass, and motion: the arms feel what the control does not know of."""
    alone = moving()
    joined = alone.with_payload(Payload(LINK, BODY))
    masses = [whole_robot(each.model, each.state.q).mass for each in (alone, joined)]
    assert masses[1] - masses[0] == pytest.approx(40.0)
    times = sample_times(1.0, begin=1.5)
    (_, free), (_, loaded) = alone.advanced_to(times), joined.advanced_to(times)
    assert abs(free.base_twist - loaded.base_twist).max() > 1e-4
    wanted = flight(intervals=6).joints.at(times).position
    assert abs(loaded.q - wanted).max() > 10 * abs(free.q - wanted).max()


def test_link_may_be_one_that_was_merged():
    """A tool frame of the description: the body is put where the frame is."""
    model = servicer()
    merged = [name for name, frame in model.frames.items() if frame.p_LF_L.any() and frame.link]
    if not merged:
        pytest.skip('the servicer has no fixed frames on its arm')
    assert with_mass(model, merged[0]) == pytest.approx(with_mass(model, model.link_names[-1]))


def with_mass(model, link):
    from spacerobot_id.simulation.dynamic.plant import with_body

    return sum(each.inertial.mass for each in with_body(model, Payload(link, BODY)).links)


@pytest.mark.parametrize(
    ('payload', 'reason'),
    [
        (Payload('hand', BODY), "payload: link 'hand' is unknown"),
        (Payload(LINK, InertialParameters.zero()), 'payload: mass 0 kg is not positive'),
        (
            Payload(LINK, InertialParameters.from_com(1.0, np.zeros(3), np.diag([1.0, 1.0, 5.0]))),
            'payload: principal moments break the triangle inequality',
        ),
        (
            Payload(LINK, InertialParameters(np.nan, np.zeros(3), np.eye(3))),
            'payload: a parameter is not finite',
        ),
    ],
)
def test_bad_payload_is_refused_and_nothing_changes(payload, reason):
    simulation = moving()
    before = simulation.state
    with pytest.raises(SimulationError, match=reason):
        simulation.with_payload(payload)
    assert simulation.state is before
    assert simulation.payload is None


def test_one_payload_at_a_time():
    joined = moving().with_payload(Payload(LINK, BODY))
    with pytest.raises(SimulationError, match=f'one is joined to {LINK} already'):
        joined.with_payload(Payload(LINK, BODY))
    with pytest.raises(SimulationError, match='payload: there is none'):
        joined.without_payload().without_payload()
    assert_array_equal(joined.model.links[0].inertial.vector, dual_arm().links[0].inertial.vector)
