"""Messages about campaigns and their files."""

from spacerobot_id.troubleshooting.trouble import Chapter, Trouble

CAMPAIGNS = Chapter(
    'Campaigns',
    'Messages of `spacerobot-id campaign`; the keys of a campaign file are in '
    '[campaigns](../campaigns.md).',
    (
        Trouble(
            'A library of campaigns is missing',
            (
                'campaigns need ..., which is not installed: ..., or pip install '
                "'dask[distributed]' pyarrow bokeh",
            ),
            'Campaigns run on Dask and write Parquet, which the package does without otherwise.',
            'Run the line that is given, on every machine that has workers.',
        ),
        Trouble(
            'A campaign file is not as it should be',
            (
                'must be decided or budget, got ...',
                '... is neither a file nor one of ...',
                'there is no file ...',
                'must be six numbers: Ixx, Iyy, Izz, Ixy, Iyz, Izx',
                '... cannot happen to ...',
                '... has none',
                'must be 0 to 1',
                'file stands alone: nothing is planned',
            ),
            'A key has a value of another kind, or names a file that is not there.',
            'Correct the key and the line that are named.',
        ),
        Trouble(
            'The plan of a campaign moves wheels that its simulation does not drive',
            ('... does not drive the wheels, which the plan moves',),
            'In some modes of the simulation wheels stand still.',
            'Take another `simulation` or a plan without wheels.',
        ),
        Trouble(
            'A dispersion is not as it should be',
            (
                'must be below high',
                'must be numbers, all different',
                'must be as many numbers as values, none below zero, one above',
                'must be ... rows of ... numbers',
                'must be symmetric and positive definite',
                'must be ... numbers',
                '... is drawn twice',
                'they have different units: ...',
                '... has no nominal value: give its value, no ...',
                '... is zero: a factor changes nothing',
                'unknown key ......',
                'unit ... is none of ...',
            ),
            'A key that is drawn is not there, or its distribution is not one.',
            'Print the keys with their units and nominal values: `spacerobot-id campaign keys '
            'FILE`.',
        ),
        Trouble(
            'A design does not fit the number of runs or keys',
            (
                'design: a Latin hypercube of ... runs and ... keys has more than ... numbers; '
                'take sobol or independent',
                'design: Sobol sequences have ... dimensions at most',
            ),
            'A Latin hypercube is drawn as a whole, and Sobol sequences have a largest dimension.',
            'Take another `design`, or draw fewer keys.',
        ),
        Trouble(
            'What was drawn is no robot',
            (
                'drawn: links....: ...',
                'drawn: faults....share: must be 0 to 1, got ...',
            ),
            'The distributions allow values that no body can have.',
            'Narrow them, or draw by `shape`, which cannot leave what can exist. The run is kept '
            'with its error.',
        ),
        Trouble(
            'A requirement is not as it should be',
            (
                'two requirements are named ...',
                'must be like mass_error < 0.5 %, or one of ...; got ...',
                '... is no number',
                '... is no metric; known are ..., and error.PARAMETER such as error.L1.mx',
                'must be between 0 and 1, or 0 % and 100 %, got ...',
            ),
            'A requirement is a metric, a sign and a number, and a share of the runs.',
            'Write it as the examples in `config/campaigns` do.',
        ),
        Trouble(
            'The folder of a campaign cannot be taken',
            (
                '--out: another process is at work in ...',
                '--out: ... has the results of another campaign: ... (configuration hash ..., '
                'this campaign has ...)',
                '--out: ... is not empty, and no folder of a campaign',
                '...: no folder of a campaign',
                '--out: the folder of the results is missing',
                '--out: ... has the log of a run already',
            ),
            'A folder holds the results of one campaign; a changed file is another campaign.',
            'Take a new folder, or the file that the results are of.',
        ),
        Trouble(
            'A campaign command lacks something',
            (
                'campaign: one file at a time, got ...',
                'campaign keys: one campaign file at a time',
                'campaign replay: a FOLDER and the INDEX of a run are needed',
                'campaign replay: ... has runs 0 to ..., no ...',
                '--workers: must not be negative, got ...',
            ),
            'An argument is missing, or one too many.',
            '`spacerobot-id campaign --help`.',
        ),
        Trouble(
            'No scheduler of Dask answers, or it has no workers',
            (
                '--scheduler: no Dask scheduler answers at ...: ...',
                'warning: the scheduler has no workers yet; runs begin when one joins it',
            ),
            'The address is wrong, a firewall is between, or the cluster is still starting.',
            'Compare the address with what `dask scheduler` prints, and start workers with '
            '`dask worker ADDRESS --nthreads 1`.',
        ),
        Trouble(
            'Workers have several threads',
            (
                'warning: workers with several threads: start them with --nthreads 1, runs do '
                'not share a process well',
            ),
            'Runs hold the lock of the interpreter most of the time, and compete.',
            'Start the workers with `--nthreads 1`, more of them instead.',
        ),
    ),
)
