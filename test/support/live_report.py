"""The estimator's JSON by the names that ``~/get_estimate`` has for the same values."""

import json


def live_report(text):
    """Return the contents of ``~/minimal_parameters``, by the names of ``~/get_estimate``."""
    report = json.loads(text)
    found, others, changed = report['parameters'], report['others'], report['changed']
    shown = report['identifiability']
    return {
        **report['live'],
        'method': report['method'],
        'valid': report['valid'],
        'defects': report['defects'],
        'intervals_hold': report['intervals_hold'],
        'names': found['names'],
        'units': found['units'],
        'values': found['values'],
        'std': found['std'],
        'not_identified': shown['not_identified'],
        'rank': shown['rank'],
        'condition_number': shown['condition_number'],
        'samples': report['samples'],
        'chi_square': report['chi_square'],
        'mass': report['robot']['mass'],
        'center_of_mass': report['robot']['center_of_mass'],
        'inertia': report['robot']['inertia'],
        'other_names': [each['name'] for each in others],
        'other_values': [each['value'] for each in others],
        'other_std': [each['std'] for each in others],
        'rejected': report['rejected']['samples that did not fit'],
        'changes': report['changes'],
        'changed_links': [each['link'] for each in changed],
        'changed_mass': [each['mass'] for each in changed],
        'changed_mass_std': [each['mass_std'] for each in changed],
    }
