"""What would explain what the fit leaves over, and what the intervals take for granted."""

from spacerobot_id.report.page.content import Listing, Section, Table, Text
from spacerobot_id.report.page.numbers import number
from spacerobot_id.report.subject import Subject

_HEAD = ('cause', 'chi-square', 'with it', 'what to do')


def causes_section(subject: Subject) -> Section | None:
    """Return likely causes, or that there are none; None where they were not looked for."""
    result = subject.result
    blocks = []
    if result.causes:
        rows = [
            (each.description, number(each.before, 3), number(each.after, 3), each.remedy)
            for each in result.causes
        ]
        caption = 'What would explain what is left over, the likeliest first'
        blocks.append(Table(_HEAD, rows, caption, text_columns=(3,)))
    elif result.quality is not None and result.quality.is_as_stated:
        blocks.append(Text('The stated noise explains the data: no cause was looked for.'))
    elif result.quality is not None:
        blocks.append(
            Text(
                'The data are not explained, and neither one calibration nor one common mistake '
                'of units, signs, wiring or axes would explain them.'
            )
        )
    if result.assumptions:
        blocks.append(
            Text(
                'Intervals are those of the noise. Errors that are taken to be zero count, too; '
                'each of these, not calibrated, moves a parameter by one standard deviation:'
            )
        )
        blocks.append(Listing([each.description() for each in result.assumptions]))
    return Section('causes', 'Causes and assumptions', blocks) if blocks else None
