"""What all tests share: a ROS 2 domain of this process alone, and checked messages."""

import fcntl
import os
from pathlib import Path
import tempfile

from hypothesis import settings
import pytest

settings.register_profile('busy machines', deadline=None)
settings.load_profile('busy machines')

DOMAINS = range(1, 100)  # 0 is everybody's, and above 101 the ports collide with ephemeral ones


def free_domain():
    """Return a domain that no other test process of this machine has, and the lock on it.

    The lock goes with the process.
    """
    start = os.getpid()
    for number in range(start, start + len(DOMAINS)):
        domain = DOMAINS[number % len(DOMAINS)]
        path = Path(tempfile.gettempdir()) / f'spacerobot_id_domain_{domain}.lock'
        lock = os.open(path, os.O_CREAT | os.O_RDWR, 0o666)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(lock)
            continue
        return domain, lock
    raise RuntimeError('no ROS domain is free')


DOMAIN, LOCK = free_domain()
os.environ.update(
    ROS_DOMAIN_ID=str(DOMAIN),
    ROS_AUTOMATIC_DISCOVERY_RANGE='LOCALHOST',
    ROS_PYTHON_CHECK_FIELDS='1',
    FASTDDS_BUILTIN_TRANSPORTS='UDPv4',  # killed processes leave shared memory behind
)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Mark what needs ROS, and keep a file's tests together where several processes share them.

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
        item.add_marker(pytest.mark.xdist_group('ros' if is_live else str(item.path)))
    items.sort(key=_turn)


def _turn(item):
    """Return the order in which tests begin; those of one turn stay as they are."""
    if item.get_closest_marker('ros') is None:
        return 2 + (item.path.parent.name != 'simulation')
    return int(not item.path.name.startswith('test_estimator'))
