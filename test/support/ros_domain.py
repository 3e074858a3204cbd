"""The environment of this process and of those it starts: import it before nodes are made.

A ROS 2 domain of this process alone, checked messages, and the package as it is installed: without
``PYTHONSAFEPATH`` a Python that is started in the checkout takes the sources there.
"""

import fcntl
import os
from pathlib import Path
import tempfile

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
    PYTHONSAFEPATH='1',
    FASTDDS_BUILTIN_TRANSPORTS='UDPv4',  # killed processes leave shared memory behind
)
