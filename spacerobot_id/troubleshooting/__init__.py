"""Errors and warnings of the package: message, cause and cure, in one catalogue."""

from spacerobot_id.troubleshooting.catalogue import CHAPTERS, troubles_of
from spacerobot_id.troubleshooting.trouble import Chapter, Trouble

__all__ = ['CHAPTERS', 'Chapter', 'Trouble', 'troubles_of']
