"""The estimator's JSON by the names that ``~/get_estimate`` has for the same values."""

import json


def live_report(text):
    """Return what a text of ``~/minimal_parameters`` says, by the names of ``~/get_estimate``."""
    said = json.loads(text)
    found, others, changed = said['parameters'], said['others'], said['changed']
    shown = said['identifiability']
    return {
        **said['live'],
        'method': said['method'],
        'valid': said['valid'],
        'defects': said['defects'],
        'names': found['names'],
        'units': found['units'],
        'values': found['values'],
        'std': found['std'],
        'not_identified': shown['not_identified'],
        'rank': shown['rank'],
        'condition_number': shown['condition_number'],
        'samples': said['samples'],
        'chi_square': said['chi_square'],
        'mass': said['robot']['mass'],
        'center_of_mass': said['robot']['center_of_mass'],
        'inertia': said['robot']['inertia'],
        'other_names': [each['name'] for each in others],
        'other_values': [each['value'] for each in others],
        'other_std': [each['std'] for each in others],
        'rejected': said['rejected']['samples that did not fit'],
        'changes': said['changes'],
        'changed_links': [each['link'] for each in changed],
        'changed_mass': [each['mass'] for each in changed],
        'changed_mass_std': [each['mass_std'] for each in changed],
    }
