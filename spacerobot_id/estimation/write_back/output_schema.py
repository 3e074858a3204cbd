"""The schema of outputs."""

from spacerobot_id.estimation.write_back.body_values import NAMES
from spacerobot_id.estimation.write_back.output import Subject
from spacerobot_id.measurement.adapters.adapter_schema import axes_schema, unit_schema
from spacerobot_id.settings.schema import (
    by_name,
    defined,
    either,
    field_texts,
    flag,
    listed,
    record,
    Schema,
    string,
    whole_file,
)


def output_schema() -> Schema:
    """Return the schema of an output."""
    subject = field_texts(Subject)
    return whole_file(
        'Outputs by key',
        record(
            'Which message, parameters or file is filled with which values.',
            {
                'description': string('A sentence for people.'),
                'axes': axes_schema('Axes of what is written.', 'body'),
                'body': record(
                    'Whose mass properties are written; those of the whole robot by default.',
                    {'link': string(subject['link']), 'less_prior': flag(subject['less_prior'])},
                    'link',
                ),
                'topic': string('Topic that is published, latched.'),
                'service': string('Service that is called.'),
                'parameters': string('Node whose parameters are set.'),
                'file': string('File that is written.'),
                'type': string('Type of the topic or service, `PACKAGE/msg/NAME`.'),
                'fields': by_name(
                    'Values by field of the message, or by name of the parameter.', _filling()
                ),
            },
            'fields',
        ),
        value=string('A value of the estimate, by its name.', *NAMES),
        unit=unit_schema(),
    )


def _filling() -> Schema:
    several = listed('', {'anyOf': [defined('value'), {'type': 'number'}]})
    return either(
        'A value by its name, a number, or a list of both; or one of these:',
        defined('value'),
        {'type': ['number', 'boolean']},
        several,
        record(
            '',
            {
                'value': either('The same.', defined('value'), {'type': 'number'}, several),
                'unit': defined('unit', 'Unit of the field; beside `value`.'),
                'constant': {
                    'type': ['string', 'number', 'boolean'],
                    'description': 'What the field always is, in place of `value`.',
                },
            },
        ),
    )
