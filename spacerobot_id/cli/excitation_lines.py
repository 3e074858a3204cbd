"""What a motion shows of the parameters, as plain values and as text."""

from collections.abc import Iterator
import math

from spacerobot_id.estimation import ExcitationReport, Visibility


def excitation_as_json(report: ExcitationReport) -> dict[str, object]:
    """Return a report as plain values."""
    return {
        'summary': report.summary(),
        'samples': report.samples,
        'rank': report.rank,
        'total': report.total,
        'condition_number': report.condition if math.isfinite(report.condition) else None,
        'parameters': [
            {
                'name': each.name,
                'unit': each.unit,
                'description': each.description,
                'std_before': each.before,
                'std_expected': each.after,
                'visibility': each.visibility.value,
                'words': each.words,
            }
            for each in report.parameters
        ],
    }


def excitation_lines(report: ExcitationReport, *, all_of_them: bool) -> Iterator[str]:
    """Yield the summary, then a line for each parameter, or for those not seen well."""
    yield f'before fitting: {report.summary()}'
    width = max(len(each.name) for each in report.parameters)
    for each in report.parameters:
        if all_of_them or each.visibility is not Visibility.WELL:
            yield f'  {each.name:<{width}}  {each.words}'
