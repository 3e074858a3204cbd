"""What the package can say when something is wrong: message, cause and cure, in one catalogue."""

from spacerobot_id.troubleshooting.catalogue import CHAPTERS, troubles_of
from spacerobot_id.troubleshooting.trouble import Chapter, Trouble

__all__ = ['CHAPTERS', 'Chapter', 'Trouble', 'troubles_of']
