"""What goes wrong without a message."""

from spacerobot_id.troubleshooting.trouble import Chapter, Trouble

TUNING = Chapter(
    'Tuning',
    'What goes wrong without a message, and the settings that matter. All others may stay as '
    'they are.',
    (
        Trouble(
            'Standard deviations are too large',
            (),
            'The motion shows little: it is short, slow or small, or the sensors are noisy.',
            'Give the planner a longer `duration` (deviations shrink with the root of it), wider'
            ' limits, more `draws` and `restarts`; name what matters in `of_interest`; '
            '`~/refine` after the motion. `prior_relative_std` is how far the description may '
            'be off: a smaller one is a claim, no measurement.',
        ),
        Trouble(
            'The estimate is far off and says that it is sure',
            (),
            'An error that is no noise: geometry, a sensor, the momentum. Chi-square and '
            '`causes` names most of them; a common scale of wheel rates, or the frame of all '
            'sensors of the base, cannot be found from data.',
            'Check spin inertias and units; `calibrate: auto` with `tolerances` that are honest;'
            ' `assumptions` of the result has how small each error has to be.',
        ),
        Trouble(
            'The base turns too far during the motion',
            (),
            'The base of a free-floating robot turns as its arms move.',
            '`base_rate_limit`, `base_excursion_limit`; with a doubtful description also '
            '`prior_draws`, so that they hold for robots like it.',
        ),
        Trouble(
            'Planning takes long',
            (),
            'Many joints, many intervals, many draws.',
            'Fewer `draws` and `restarts`, `family: seeds`, or plan once and give the planner '
            '`plan_file`.',
        ),
        Trouble(
            'The estimator cannot keep up',
            (),
            'Calibrations and changes cost time for every sample; `updates waiting` grows.',
            'Lower `most_rate` (faster messages are averaged and nothing is lost), or calibrate '
            'offline.',
        ),
        Trouble(
            'A change of the robot is found late, or where there is none',
            (),
            'The gate takes samples as outliers until enough of them agree on a change.',
            '`gate` is the probability at which a good sample is refused: lower it for fewer '
            'false alarms. `change_links` names the links that can change, `change_mass` how '
            'much may come; noise has to be stated as it is.',
        ),
    ),
)
