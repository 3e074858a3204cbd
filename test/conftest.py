"""What all tests share: a ROS 2 domain of this process alone, and checked messages."""

from hypothesis import settings
import pytest
import ros_domain  # noqa: F401 - sets the environment of this process and of its nodes

settings.register_profile('busy machines', deadline=None)
settings.load_profile('busy machines')


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Mark what needs ROS, and keep a file's tests together where several processes share them.

    Those of studies, too: a study that several files look at is reproduced once.

    Live tests go one after the other, so that they have a processor for themselves, and begin
    first, because they take longest: those without a simulator, while the other process has the
    simulation compiled.
    """
    for item in items:
        is_live = item.path.parent.name == 'nodes' or 'ros_harness' in vars(item.module)
        is_live |= any(
            getattr(each, '__module__', '') == 'ros_harness' for each in vars(item.module).values()
        )
        if is_live:
            item.add_marker(pytest.mark.ros)
        fixtures = getattr(item, 'fixturenames', ())
        shared = 'studies' if 'reproduced' in fixtures else str(item.path)
        item.add_marker(pytest.mark.xdist_group('ros' if is_live else shared))
    items.sort(key=_turn)


def _turn(item):
    """Return the order in which tests begin; those of one turn stay as they are."""
    if item.get_closest_marker('ros') is None:
        return 2 + (item.path.parent.name != 'simulation')
    return int(not item.path.name.startswith('test_estimator'))
