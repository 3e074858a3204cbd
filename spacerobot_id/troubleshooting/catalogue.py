"""All errors and warnings of the package."""

from spacerobot_id.troubleshooting.chapters.campaigns import CAMPAIGNS
from spacerobot_id.troubleshooting.chapters.commands import COMMANDS
from spacerobot_id.troubleshooting.chapters.descriptions import DESCRIPTIONS
from spacerobot_id.troubleshooting.chapters.estimates import ESTIMATES
from spacerobot_id.troubleshooting.chapters.formats import FORMATS
from spacerobot_id.troubleshooting.chapters.library import LIBRARY
from spacerobot_id.troubleshooting.chapters.logs import LOGS
from spacerobot_id.troubleshooting.chapters.nodes import NODES
from spacerobot_id.troubleshooting.chapters.outputs import OUTPUTS
from spacerobot_id.troubleshooting.chapters.planning import PLANNING
from spacerobot_id.troubleshooting.chapters.settings import SETTINGS
from spacerobot_id.troubleshooting.chapters.simulation import SIMULATION
from spacerobot_id.troubleshooting.chapters.streams import STREAMS
from spacerobot_id.troubleshooting.chapters.tuning import TUNING
from spacerobot_id.troubleshooting.trouble import Chapter, Trouble

CHAPTERS: tuple[Chapter, ...] = (
    ESTIMATES,
    STREAMS,
    LOGS,
    NODES,
    PLANNING,
    OUTPUTS,
    DESCRIPTIONS,
    FORMATS,
    SETTINGS,
    SIMULATION,
    CAMPAIGNS,
    COMMANDS,
    TUNING,
    LIBRARY,
)
"""Chapters of the page, those first that concern the result."""


_AS_LIKE = 0.6
"""Share of the likeness of the best that others must have."""


def troubles_of(message: str) -> list[Trouble]:
    """Return the troubles that a message is one of, the likeliest first.

    Parameters
    ----------
    message : str
        The message, as a log or a terminal has it: with file, element or node before it.
    """
    parts = ' '.join(message.split()).split(': ')
    endings = [': '.join(parts[begin:]) for begin in range(len(parts))]
    like = {
        trouble: max(map(trouble.likeness, endings))
        for chapter in CHAPTERS
        for trouble in chapter.troubles
    }
    least = max(1.0, _AS_LIKE * max(like.values()))
    found = [trouble for trouble, likeness in like.items() if likeness >= least]
    return sorted(found, key=lambda trouble: -like[trouble])
