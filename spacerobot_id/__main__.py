"""``python -m spacerobot_id`` is the command ``spacerobot-id``."""

import sys

from spacerobot_id.cli.main import main

if __name__ == '__main__':
    sys.exit(main())
