"""The page of a campaign: verdicts first, then what they rest on."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from spacerobot_id.lab.campaign.analysis.application import Applied, applied
from spacerobot_id.lab.campaign.analysis.method_sections import (
    calibration_section,
    detections_section,
    drivers_section,
)
from spacerobot_id.lab.campaign.analysis.requirements import Judgement, Verdict
from spacerobot_id.lab.campaign.analysis.results import Results
from spacerobot_id.lab.campaign.analysis.run_sections import (
    application_section,
    failed_section,
    worst_section,
)
from spacerobot_id.lab.campaign.analysis.verdict_sections import errors_section, verdicts_section
from spacerobot_id.lab.campaign.definition.campaign_file import Campaign
from spacerobot_id.report.page.content import Details, Fact, Listing, Page, Section, Table, Tone
from spacerobot_id.report.page.numbers import counted, listed

_TONES = {Verdict.PASSED: Tone.GOOD, Verdict.FAILED: Tone.BAD, Verdict.UNDECIDED: Tone.WARNING}


@dataclass(frozen=True, eq=False)
class CampaignReport:
    """What the page of a campaign is about.

    Parameters
    ----------
    campaign : Campaign
        Campaign.
    results : Results
        Table of its runs.
    judgements : tuple of Judgement
        Verdicts.
    folder : str
        Folder, as commands name it.
    seconds : float
        Wall time of all runs together, s.
    """

    campaign: Campaign
    results: Results
    judgements: tuple[Judgement, ...]
    folder: str
    seconds: float

    @cached_property
    def proof(self) -> tuple[Applied, ...]:
        """What became of every key that was to be drawn."""
        return applied(self.campaign.draws.dispersions, self.results)

    @property
    def not_applied(self) -> tuple[str, ...]:
        """Keys that runs were not flown with as they were asked for."""
        return tuple(each.key for each in self.proof if not each.is_applied)


def campaign_page(report: CampaignReport) -> Page:
    """Return the page of a campaign."""
    campaign, results = report.campaign, report.results
    sections = (
        verdicts_section(campaign, report.judgements),
        errors_section(results),
        application_section(report.proof),
        calibration_section(results),
        detections_section(results),
        drivers_section(results),
        worst_section(results, report.judgements, report.folder),
        failed_section(results),
        _how(report),
    )
    tone, headline = _headline(report.judgements)
    failed = int((~results.has_outcome).sum())
    verdict = ' '.join(_sentence(each) for each in report.judgements)
    if report.not_applied:
        tone, headline = Tone.BAD, 'Not to be used'
        verdict = f'Not applied as asked: {listed(report.not_applied)}. {verdict}'
    name = campaign.inputs.source.removesuffix('.yaml')
    facts = (
        Fact('runs', str(len(results)), f'of {campaign.runs}'),
        Fact('without an outcome', str(failed)),
        Fact('drawn', counted(len(campaign.draws.keys), 'key')),
        Fact('time per run', f'{report.seconds / max(len(results), 1):.2f} s'),
    )
    return Page(
        title=f'Campaign {name}',
        subtitle=campaign.description
        or f'{campaign.nominal.robot.name} by {campaign.identify.method}',
        sections=[each for each in sections if each is not None],
        verdict=verdict or 'Nothing is required.',
        tone=tone,
        headline=headline,
        facts=facts,
    )


def _headline(judgements: Sequence[Judgement]) -> tuple[Tone, str]:
    """Return the verdict on all requirements together."""
    verdicts = [each.verdict for each in judgements]
    if not verdicts:
        return Tone.PLAIN, 'No requirements'
    for worst, sentence in (
        (Verdict.FAILED, 'Failed'),
        (Verdict.UNDECIDED, 'Not yet decided'),
    ):
        count = verdicts.count(worst)
        if count:
            return _TONES[worst], f'{sentence}: {count} of {counted(len(verdicts), "requirement")}'
    return Tone.GOOD, f'Passed: {counted(len(verdicts), "requirement")}'


def _sentence(judgement: Judgement) -> str:
    return f'{judgement.requirement.name}: {judgement.verdict.value}.'


def _how(report: CampaignReport) -> Section:
    """Return what the campaign was."""
    campaign = report.campaign
    draws = campaign.draws
    rows = [
        ('robot', campaign.inputs.robot_source),
        ('prior', campaign.inputs.prior_source),
        ('method', campaign.identify.method),
        ('design', draws.design.value.replace('_', ' ')),
        ('seed', str(draws.seed)),
        ('configuration hash', campaign.inputs.digest[:16]),
    ]
    text = campaign.inputs.campaign.rstrip().splitlines()
    return Section(
        'how',
        'The campaign',
        [
            Table(('', ''), rows, text_columns=(1,)),
            Details('Campaign file', [Listing(text, is_code=True)]),
        ],
    )
