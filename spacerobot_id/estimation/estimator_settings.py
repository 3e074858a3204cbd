"""The parameters of the node ``estimator``."""

from dataclasses import dataclass

from spacerobot_id.settings import NodeSettings, parameter


@dataclass(frozen=True)
class EstimatorSettings(NodeSettings):
    """Parameters of the estimator; each says itself what it is."""

    robot: str = parameter(
        '',
        'Path of the URDF of the prior model, its YAML file beside it; no unit.',
        read_only=True,
    )
    method: str = parameter(
        'momentum',
        'How the robot is identified: linear and angular momentum by output error; angular '
        'momentum alone; torques and accelerations; poses under base_wrench; momentum by least '
        'squares, to compare.',
        choices=(
            'momentum',
            'angular_momentum',
            'equations_of_motion',
            'free_flyer',
            'least_squares',
            'weighted_least_squares',
        ),
        read_only=True,
    )
    known_angular_momentum: tuple[float, ...] = parameter(
        (0.0, 0.0, 0.0),
        'Angular momentum of robot and wheels about their centre of mass in inertial axes, N m s; '
        'for angular_momentum.',
        lengths=(3,),
        read_only=True,
    )
    trust_zeros: bool = parameter(
        False,
        'Whether parameters that are exactly zero in the description are zero; for '
        'angular_momentum and equations_of_motion.',
        read_only=True,
    )
    acceleration_window: int = parameter(
        21,
        'Samples of the local polynomial that gives accelerations; odd; for equations_of_motion.',
        minimum=3,
        maximum=501,
        odd=True,
        read_only=True,
    )
    prior_relative_std: float = parameter(
        1.0,
        'How far masses, moments and inertias of the description may be wrong, as shares; 1 is '
        '100 %.',
        minimum=1e-3,
        maximum=100.0,
        read_only=True,
    )
    prior_mass_std: float = parameter(
        0.5,
        'How far the total mass may be wrong, as the standard deviation of its logarithm.',
        minimum=1e-3,
        maximum=10.0,
        read_only=True,
    )
    planar: bool = parameter(
        False,
        'Whether the base can only move along x and y and turn about z, as on an air-bearing '
        'table.',
        read_only=True,
    )
    gyro_bias: float = parameter(
        0.0,
        'Standard deviation of an unknown constant bias of the gyro, rad/s; none if 0.',
        minimum=0.0,
        read_only=True,
    )
    gyro_bias_walk: float = parameter(
        0.0,
        'Random walk of the bias of the gyro, rad/s per root second; constant if 0.',
        minimum=0.0,
        read_only=True,
    )
    gyro_noise: float = parameter(
        0.0,
        'Standard deviation of the noise of the gyro, rad/s; if 0 what its messages state, or '
        'the description where they state nothing.',
        minimum=0.0,
        read_only=True,
    )
    linear_momentum: float = parameter(
        0.0,
        'Standard deviation of an unknown constant linear momentum of the system, kg m/s; at '
        'rest if 0.',
        minimum=0.0,
        read_only=True,
    )
    angular_momentum: float = parameter(
        0.0,
        'Standard deviation of an unknown constant angular momentum of the system, kg m^2/s; at '
        'rest if 0.',
        minimum=0.0,
        read_only=True,
    )
    force_walk: float = parameter(
        0.0,
        'Random walk of the linear momentum under slow external forces, kg m/s per root second.',
        minimum=0.0,
        read_only=True,
    )
    torque_walk: float = parameter(
        0.0,
        'Random walk of the angular momentum under slow external torques, kg m^2/s per root '
        'second.',
        minimum=0.0,
        read_only=True,
    )
    wheel_scale: float = parameter(
        0.0,
        'Standard deviation of unknown relative errors of the spin inertias of the wheels; 1 is '
        '100 %.',
        minimum=0.0,
        maximum=1.0,
        read_only=True,
    )
    walk_segment: float = parameter(
        1.0, 'Time within which what walks stands still, s.', minimum=0.01, read_only=True
    )
    gate: float = parameter(
        1e-6,
        'Probability at which a good sample would be refused as an outlier; none is refused if 0.',
        minimum=0.0,
        maximum=0.5,
        read_only=True,
    )
    settle_time: float = parameter(
        5.0,
        'Time of motion before samples are judged at all, s.',
        minimum=0.0,
        read_only=True,
    )
    change_window: float = parameter(
        2.0,
        'Time over which refused samples are counted; when half of them are, the robot has '
        'changed, s.',
        minimum=0.1,
        read_only=True,
    )
    change_links: tuple[str, ...] = parameter(
        (),
        'Links that can grasp or release something; those without children if empty.',
        read_only=True,
    )
    change_mass: float = parameter(
        0.0,
        'How much mass may be grasped or released, kg; a fifth of the robot if 0.',
        minimum=0.0,
        read_only=True,
    )
    forgetting_time: float = parameter(
        0.0,
        'Time of motion after which samples beyond most_samples lose weight where newer ones '
        'speak, s; never if 0.',
        minimum=0.0,
        read_only=True,
    )
    base_velocity: str = parameter(
        'auto',
        'Where the linear velocity of the base comes from; auto takes base_twist, and base_pose '
        'when no base_twist comes.',
        choices=('auto', 'base_twist', 'base_pose'),
        read_only=True,
    )
    pose_type: str = parameter(
        'PoseStamped',
        'Message type of base_pose; an Odometry brings the twist with it.',
        choices=('PoseStamped', 'Odometry'),
        read_only=True,
    )
    velocity_window: int = parameter(
        21,
        'Samples of the local polynomial that turns base_pose into a velocity; odd.',
        minimum=3,
        maximum=501,
        odd=True,
        read_only=True,
    )
    buffer_size: int = parameter(
        2000, 'Samples buffered per topic while the others come.', minimum=100, read_only=True
    )
    longest_gap: float = parameter(
        1.0,
        'Largest step between two stamps of a topic before its clock has jumped, s.',
        minimum=0.01,
        read_only=True,
    )
    longest_bracket: float = parameter(
        0.025,
        'Largest distance of two samples that may be interpolated between, s.',
        minimum=0.001,
        read_only=True,
    )
    frozen_samples: int = parameter(
        25,
        'Equal samples in a row, bit for bit and while the robot must have moved, after which a '
        'topic is taken for frozen and not used; never if 0.',
        minimum=0,
        read_only=True,
    )
    update_period: float = parameter(
        0.2, 'Time between two updates of the estimate, s.', minimum=0.01, read_only=True
    )
    publish_period: float = parameter(
        1.0, 'Time between two publications of the estimate, s.', minimum=0.05, read_only=True
    )
    most_samples: int = parameter(
        60_000,
        'Samples kept to be linearised anew; older ones stay in the estimate as they are.',
        minimum=1000,
        read_only=True,
    )
    checkpoint_file: str = parameter(
        '',
        'File that what is known is kept in, to go on from after a restart; none if empty.',
        read_only=True,
    )
    checkpoint_period: float = parameter(
        30.0, 'Time between two checkpoints, s.', minimum=0.1, read_only=True
    )
    save_file: str = parameter(
        '', 'File that ~/save writes the estimate to, as JSON; none if empty.', read_only=True
    )
