"""Messages about an estimate."""

from spacerobot_id.troubleshooting.trouble import Chapter, Trouble

ESTIMATES = Chapter(
    'The estimate',
    'Messages of `identify`, `report` and the page at the top, by the estimator in `/diagnostics` '
    'and in `defects` of `~/get_estimate`.',
    (
        Trouble(
            'Chi-square is not 1',
            (
                'chi-square per degree of freedom is ..., where chance allows 1 +- ...',
                'noise stated too small: residual ...',
            ),
            'Chi-square is the mean square of what the fit leaves over, in units of the stated '
            'noise. 1 is as it should be. A chi-square of 3.7 that is white means that the '
            'sensors are sqrt(3.7) = 1.9 times as noisy as `noise` in the YAML file of the '
            'robot; one below 1 means that they are better.',
            'Multiply standard deviations by the factor that is printed, or correct `noise` '
            '(`gyro_noise` for the gyro alone) and identify again. Above a factor of 3 the '
            'estimate is not usable.',
        ),
        Trouble(
            'Noise of a sensor is not as stated',
            (
                '...: readings are weighed by what residuals show; correct the noise of the '
                'description or of the messages',
                'noise of ...',
                'times that stated',
            ),
            'Residuals are white, no calibration or mistake explains them, and they are larger or '
            'smaller than `noise` of the robot and covariances of messages say. By which readings '
            'differ, the noise of each sensor is found (variance components), and weights and '
            'intervals are by that.',
            'Nothing, if the sensor is that noisy. Correct `noise` in the YAML file of the robot, '
            'or the covariance that the driver states (`gyro_noise` counts in its place).',
        ),
        Trouble(
            'The model does not explain these data',
            ('the model does not explain these data: ...',),
            'Residuals stay on one side for a second or more, which noise does not: geometry, a '
            'wheel, a sensor or a force is not as described.',
            'Read `causes` of the result: the likeliest mistakes are tried and named. Switch on '
            'the calibration that is named, or `calibrate: auto` '
            '([calibration](../calibration.md)). Without one: check lengths, joint axes and '
            'signs of the URDF, cables, contacts, sloshing fuel.',
        ),
        Trouble(
            'A calibration that residuals hide moves the parameters',
            (
                '... explains these data better than chance does, and would move a parameter by '
                '... standard deviations; ...',
                'parameters are off by up to ... standard deviations if ..., which these data '
                'show, is left out',
                'in the first half of the samples alone',
                'in the second half of the samples alone',
                'it changed on the way: identify what came before and after on its own',
            ),
            'An error of a sensor or a joint is taken up by the parameters: chi-square stays near '
            'one, and they are off by more than their intervals say. A score test of all samples '
            'shows it, or one of either half of them: something was knocked, or a clock was set.',
            'Switch the calibration on that is named, with the deviation that is given, or write '
            'its tolerance into robot.yaml and set `calibrate: auto` '
            '([calibration](../calibration.md)). Where several are named, the data do not show '
            'which it is: switch all of them on.',
        ),
        Trouble(
            'A likely cause is named',
            (
                '... would explain it: chi-square ... -> ...; ...',
                'check the wiring and the description',
                'check the unit of the wheel rates',
                '... would explain a total mass ... times that described, which no reading shows; '
                '...',
                'set ...: ...',
                'wheel ... with its sign negated',
                'wheel rates in revolutions per minute',
                'wheel rates in degrees per second',
                'wheels ... and ... exchanged',
                'joint ... with its sign negated',
                'joints ... and ... exchanged',
                'joint positions ...',
                'joint rates in degrees per second',
                'joint rates of ... that do not follow its positions',
                'that are ... times the slopes of its positions',
                'that change ... times as fast as its rates say',
                'with their sign negated',
                'in ... per second',
                'gyro in degrees per second',
                'gyro in inertial axes',
                '... with its sign negated',
                'with its sign negated',
                'turned by ... degrees about ...',
                'with ... in place of x, y, z',
                'velocity in ... per second',
                'velocity in inertial axes',
                'delay.... of about ... s',
                'delay of joint_states of about ... s',
            ),
            'Data that are not explained were fitted again with one error undone at a time; this'
            ' one explains most.',
            'Do what is behind the arrow: a setting to switch on, or wiring, signs and units to '
            'check. Then look again: several errors at once are not taken apart.',
        ),
        Trouble(
            'Samples that did not fit',
            (
                '... of ... samples did not fit and were left out...',
                ': the estimate is that of a minority',
                'samples that did not fit',
            ),
            'The gate against outliers left samples out: contacts, thrusters that fired, wrong '
            'stamps, or noise that is stated too small. Above one half the estimate is that of a'
            ' minority and not usable.',
            'Look in the residuals of the page where they lie. Leave contacts out of the log; '
            'with thrusters use `momentum_balance`; correct `noise`.',
        ),
        Trouble(
            'The total mass is far from the description',
            ('the total mass of ... kg is ...% off the ... kg described, ...',),
            'The scale of all masses rests on the momentum of the wheels (or on the wrench): '
            'spin inertia times rate. An error there is one of every mass.',
            'Check the unit of the wheel rates (rad/s, not rev/min), `spin_inertia`, and the '
            'strengths of thrusters. If the description is what is wrong, raise '
            '`prior_mass_std`.',
        ),
        Trouble(
            'The latest data contradict the estimate',
            (
                'the latest data contradict the estimate, which stays as it was: they are '
                'damaged, or the robot has changed',
            ),
            'Live momentum balance: the latest seconds do not go on from what was found before. '
            'Messages of joints, poses or commands were lost or wrong for a while, or a body was '
            'grasped by a link that is not among `change_links`.',
            'Nothing where it passes: all data are fitted from the start when there are 30 % '
            'more. After a change that is not announced call `~/reset`.',
        ),
        Trouble(
            'A flight is too short to find the clock of the poses',
            (
                'the clock of base_pose is known to ... s only, and ... s are too short to look '
                'for it, which takes ... s: wait, or set a smaller ...',
            ),
            'Momentum balance with poses of another clock (`delay.base_pose` above 0.05 s): at a '
            'wrong clock other forces explain what thrusters did, and the parameters are off by '
            'far more than their intervals say. The more thrusters, the longer it takes.',
            'Live: wait; the estimate becomes valid by itself. Record longer logs. Or synchronise '
            'the clocks, measure their offset, and set `delay.base_pose` to what is left open: '
            'up to 0.05 s it need not be looked for.',
        ),
        Trouble(
            'The fit has not converged',
            (
                'the fit has not converged: its last step was ... standard deviations...',
                'data and description contradict each other: the estimate is that of ... of ... '
                'samples; of all ...',
            ),
            'The likeliest parameters were still on their way when the fit ended, or led to no '
            'robot at all. Usually because the data contradict the description: poses that change '
            'their axes on the way, a wrench of the other sign, a stream from another robot.',
            'Look for the cause as where the model does not explain the data. With little motion, '
            'fly longer or with larger wrenches.',
        ),
        Trouble(
            'The wrench does not explain the motion of a free-flyer',
            ('... is plausible: the wrench does not explain the motion; ...',),
            'A body without joints and wheels moves by its wrench alone. Forces or torques that '
            'are none of it, but as fast, were found to be more than 0.15 of it. Pulses that '
            'scatter by 15 % make half of that; a wrench in other axes than stated makes more, '
            'and moves parameters by several standard deviations.',
            'Check axes, signs and units of poses and wrenches, that they are of the same robot '
            'and clock, and that nothing touches it.',
        ),
        Trouble(
            'Pulses of thrusters scatter, or other forces are as large, as no thrusters do',
            ('... is plausible: commands are lost or not carried out as sent',),
            'Momentum balance finds by how much pulses differ from what was commanded. Thrusters '
            'on test beds differ by 10 to 25 %; more than half means that commands were lost on '
            'their way to the log, or valves did not do what they were sent. So do other forces '
            'that are more than 0.3 of what a thruster gives within a pulse, or of what wrenches '
            'change by over a gap: lost commands leave forces that nothing explains.',
            'Record `thruster_commands`, or wrenches, reliably (QoS, disk); let '
            '`strength`, `strength_loss`, `dead_time` and `delay.wrench` be unknown if they are.',
        ),
        Trouble(
            'No links that can exist fit the data',
            (
                'no links that can exist fit the data...',
                'no robot that can be is near the samples: no fit begins anywhere',
                'the fit leads to a robot that no motion follows from',
                'neither mass nor inertia can be negative',
                'no body can have these parameters',
            ),
            'The parameters that fit best belong to links with negative mass or inertia: data '
            'and description contradict each other by more than chance.',
            'Links are not published, and no URDF is written. Look for the cause as where the '
            'model does not explain the data; a joint axis or length that is wrong is the usual '
            'one.',
        ),
        Trouble(
            'No body can have this mass or inertia',
            (
                'a parameter is not finite',
                'mass ... kg is not positive',
                'inertia about the centre of mass is not positive definite (...)',
                'principal moments break the triangle inequality (...)',
                'link ...: a mass of ... kg cannot be written',
                'with what is fixed to it, ...',
            ),
            'A mass that is not positive, or moments of inertia of which one is larger than the '
            'sum of the others. Of an estimate: too few data. Of a description: units (g mm^2), '
            'a tensor about another point, or a typing error.',
            'Of an estimate: move longer, or more of the joints; it is not published as valid '
            'until then. Of a description: correct `<inertial>`.',
        ),
        Trouble(
            'A parameter is not identified',
            (
                'hardly on its own, most of all together with ...',
                'it has no part in this motion',
                'it has no part in motion in the plane',
                '... does not move',
                '... moves by ... only',
                'the base turns about one axis only',
                'no wheel turns, which leaves the scale of all parameters open',
                'No parameter is identified whose error could be compared.',
                'nothing moves',
                'seen weakly',
                'not seen',
                'before fitting: ...',
                '; ... % of its uncertainty stays',
                '... samples with motion show ... of ... combinations of parameters: ...',
            ),
            'The motion did not at least halve what the description leaves open of it, so the '
            "value is the description's. The reason is given with it. A parameter such as "
            '`L1.Ixx-Iyy` is often seen only in a sum with others: the page names the '
            'combination.',
            '`spacerobot-id model ROBOT.urdf --log BAG` shows it for all parameters. Move the '
            'joint that is named, further; turn the wheels; turn the base about another axis; or'
            ' plan a motion for that link: `of_interest`.',
        ),
        Trouble(
            'What these sensors cannot show',
            (
                '... combinations can be identified; ... not on their own',
                'the total mass is lost: robots of any mass move alike...',
                '... cannot be identified',
                'only ratios of the parameters can be identified: their common scale is lost',
                '...: has no reaction wheels, without which all parameters zero is what ... '
                'finds; ...',
                'known_angular_momentum: at zero momentum, without wheels, the scale of all '
                'parameters cannot be seen',
                'known_angular_momentum: zero, and ... has no reaction wheels: ...',
            ),
            'No data of these sensors show it, however long the motion: robots that differ in it'
            ' alone move alike ([what can be seen](../theory/identifiability.md)).',
            'Add what fixes the scale: a wheel of known spin inertia, thrusters of known '
            'strength, a momentum that is known and not zero, or `known_mass` (`--known-mass` of '
            '`plan` and `simulate`). Or live with ratios.',
        ),
        Trouble(
            'Nothing is identified',
            ('no parameter is identified',),
            'The data do not halve the uncertainty of a single parameter: the robot rests, or its '
            'motion shows nothing of the body; the numbers are those of the description.',
            'Move more joints or wheels, or fire thrusters; `spacerobot-id plan` finds a motion '
            'that shows what can be shown.',
        ),
        Trouble(
            'Few samples',
            (
                'no samples yet',
                'no samples were used since the start',
                '... samples are too few to show whether the model, of ... unknowns, explains '
                'them',
                '... samples in which something moves are too few for ... unknowns',
                '... poses are too few to fit a motion to',
                '... joint states are too few to fit a motion to',
                '... samples are too few for ... harmonics and a quintic',
                'joint torques need samples without a hole for ... s at least',
            ),
            'Nothing, or next to nothing, moved while everything that is needed was measured at '
            'once.',
            'Start the motion; see in `/diagnostics` (or with `model --log`) which topic is '
            'missing or refused. A log has to contain the motion, not only what was before.',
        ),
        Trouble(
            'The robot has changed',
            (
                'the samples no longer fit: the robot has changed, ...',
                'changes of the robot',
                'what changed at ... is no body that came or went: ...',
            ),
            'Something was grasped or released, or fuel was burnt: samples before and after do '
            'not belong to one robot. Or a sensor has changed: an encoder that slips looks much '
            'the same, but leaves what no body has.',
            'Nothing: what can have changed is identified again, and what came or went is given '
            'by link. Where no body has it the estimate is not valid: look after encoders and '
            'IMU, then call `~/reset`. If nothing changed, look for contacts, state the noise as '
            'it is, or lower `gate`.',
        ),
        Trouble(
            'Held-out samples are predicted worse than noise explains',
            ('... samples held out are predicted worse than the stated noise explains: ...',),
            'The estimate follows noise or an error of the first part of the log, and does not '
            'predict the last.',
            'Use a longer log; see whether the robot changed in between; read the section of the'
            ' model that does not explain the data.',
        ),
        Trouble(
            'Biased by noise in its regressor',
            (
                '... is biased by noise in its regressor: true values may be many standard '
                'deviations away',
            ),
            'The method is one to compare with: least squares on measured rates.',
            'Use `momentum` or `angular_momentum` for numbers to rely on '
            '([why](../theory/estimation.md)).',
        ),
        Trouble(
            'Flights scatter more than their noise explains',
            (
                'flights scatter more than their noise explains: standard deviations by flights '
                'are those stated times ...; intervals of these are too narrow',
            ),
            'Several flights were fitted as one, and their estimates of these parameters differ '
            'by more than the noise within each allows: strengths that depend on the pressure '
            'left, a table levelled anew, a cable that hangs otherwise.',
            'Take `std_by_flights` of the result as the standard deviations of these. Look for '
            'what differs between the flights: identify each alone and compare.',
        ),
        Trouble(
            'The wrench acts otherwise than stated, or answers disturbances',
            (
                'what is left unexplained goes with the wrench (...)...',
                'the wrench answers what disturbs the robot (...)...',
                'correlation ... at ... s',
                'base_wrench: the thrusters of the description cannot give such wrenches; ...',
            ),
            'Thrusters are weaker, late or turned against the description; or a controller fires'
            ' them in answer to what disturbs the robot, so that the disturbance is part of the '
            'data.',
            'Describe the thrusters and send `thruster_commands`; let `strength`, '
            '`strength_loss`, `dead_time`, `delay.wrench` or `wrench_scale` be unknown; compare '
            'with a flight of programmed pulses.',
        ),
        Trouble(
            'No gate against outliers',
            (
                'rows at measured rates have no stated noise, so that no sample stands out by '
                'chance alone',
                'derived accelerations have no stated noise, so that no sample stands out by '
                'chance alone',
                'the states along a flight are fitted with the body, so that no pose is judged '
                'alone',
                'are not looked for: ...',
            ),
            'The method has no stated noise by sample, or fits whole stretches, and cannot judge'
            ' one sample.',
            'Nothing. For outliers and changes to be looked for, use `momentum` or '
            '`angular_momentum`.',
        ),
        Trouble(
            'The motion does not show the whole body',
            (
                'the motion does not show all ten parameters of the body',
                'the motion found does not show all ten parameters of the body',
                'no cycle of ... s is left after the first ...: the record is ... s long',
                'period: ... needs the period of the motion',
                '... samples are no ... cycles of equal length',
                '... samples per cycle do not show ... harmonics',
            ),
            'A free-flyer that does not turn about all axes, or of which no whole period is in '
            'the record.',
            'Plan with `spacerobot-id plan --method free_flyer`, record whole periods, and set '
            '`period` to that of the plan.',
        ),
    ),
)
