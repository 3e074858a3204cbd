"""The page of a result: what an identification found, by any method."""

from spacerobot_id.estimation.analysis.bodies import link_bodies, whole_body
from spacerobot_id.report.page.content import Page, Section
from spacerobot_id.report.sections.bodies import bodies_section
from spacerobot_id.report.sections.causes import causes_section
from spacerobot_id.report.sections.convergence import convergence_section
from spacerobot_id.report.sections.correlations import correlations_section
from spacerobot_id.report.sections.parameters import parameters_section
from spacerobot_id.report.sections.prediction import prediction_section
from spacerobot_id.report.sections.repeat import repeat_section
from spacerobot_id.report.sections.residuals import residuals_section
from spacerobot_id.report.sections.robot_picture import robot_section
from spacerobot_id.report.sections.shown import shown_section
from spacerobot_id.report.sections.streams import streams_section
from spacerobot_id.report.sections.truth import truth_section
from spacerobot_id.report.sections.verdict import (
    changes_section,
    facts,
    headline,
    verdict,
    warning_section,
)
from spacerobot_id.report.subject import Subject


def result_page(subject: Subject) -> Page:
    """Return the page of a result.

    Parameters
    ----------
    subject : Subject
        The result, and what it was come by.
    """
    method = subject.result.method
    tone, title = headline(subject)
    whole, links = whole_body(subject.result), link_bodies(subject.result)
    sections = (
        warning_section(subject),
        _truth(subject),
        changes_section(subject),
        bodies_section(subject, whole, links),
        robot_section(subject, whole, links),
        parameters_section(subject),
        shown_section(subject),
        correlations_section(subject),
        convergence_section(subject),
        residuals_section(subject),
        causes_section(subject),
        prediction_section(subject),
        streams_section(subject),
        repeat_section(subject),
    )
    return Page(
        title=f'{method.model.name}, identified',
        subtitle=f'From {subject.source} by {method.name}: {method.summary}',
        sections=[each for each in sections if each is not None],
        verdict=verdict(subject),
        tone=tone,
        headline=title,
        facts=facts(subject),
    )


def _truth(subject: Subject) -> Section | None:
    """Return the errors, where the truth is known."""
    if subject.truth is None:
        return None
    estimate = subject.result.estimate
    return truth_section(
        estimate.names,
        estimate.units,
        estimate.values,
        estimate.covariance,
        subject.truth.values,
        subject.truth.name,
        subject.seen,
    )
