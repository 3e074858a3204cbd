"""The result of a log as plain values, for ``--json`` and for files."""

import math

from spacerobot_id.cli.excitation_lines import excitation_as_json
from spacerobot_id.estimation import Estimate, LogIdentification, Validation


def identification_as_json(result: LogIdentification) -> dict[str, object]:
    """Return a result as plain values."""
    found, links = result.found, result.links
    return {
        'method': result.method.value,
        'warnings': list(result.warnings()),
        'usable': result.is_usable,
        'minimal': parameters_as_json(found.estimate),
        'others': others_as_json(found.estimate),
        'links': [
            {
                'name': link.name,
                'mass': float(link.inertial.mass),
                'com': (link.R_UL @ link.inertial.com).tolist(),
                'inertia': (link.R_UL @ link.inertial.inertia_about_com @ link.R_UL.T).tolist(),
                'physically_consistent': link.inertial.is_physical()
                and not links.contradicts_data,
            }
            for link in links.model.links
        ],
        'contradicts_physics': links.contradicts_data,
        'physics': {'chi_square': links.misfit, 'allowed': links.allowed},
        'identifiability': identifiability_as_json(found.estimate)
        | {'before': excitation_as_json(result.before)},
        'samples': found.estimate.samples,
        'rejected': {**result.log.rejected, 'samples that did not fit': found.rejected},
        'reordered': dict(result.log.reordered),
        'changes': found.changes,
        'residual': finite(found.estimate.residual()),
        'slow_residual': finite(found.quality.slow),
        'validation': validation_as_json(result.validation),
    }


def parameters_as_json(estimate: Estimate) -> dict[str, list]:
    """Return the parameters: names, units, values and standard deviations."""
    return {
        'names': list(estimate.names),
        'units': list(estimate.units),
        'values': estimate.values.tolist(),
        'std': [finite(value) for value in estimate.std],
    }


def others_as_json(estimate: Estimate) -> list[dict[str, object]]:
    """Return the unknowns beside the parameters."""
    return [
        {'name': each.name, 'unit': each.unit, 'value': each.value, 'std': each.std}
        for each in estimate.others
    ]


def identifiability_as_json(estimate: Estimate) -> dict[str, object]:
    """Return what could be identified, after the fit."""
    return {
        'rank': estimate.rank,
        'total': len(estimate.names),
        'condition_number': finite(estimate.condition_number()),
        'not_identified': list(estimate.not_identified()),
    }


def validation_as_json(validation: Validation | None) -> dict[str, object] | None:
    """Return how samples are predicted that were held out, None if none were."""
    if validation is None:
        return None
    return {
        'samples': validation.samples,
        'rms': validation.rms.tolist(),
        'chi_square': validation.chi_square,
    }


def finite(value: float) -> float | None:
    """Return a number that JSON knows."""
    return float(value) if math.isfinite(value) else None
