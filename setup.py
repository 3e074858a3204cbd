"""Installs the package for pip and for colcon; the tools' settings are in pyproject.toml."""

from glob import glob

from setuptools import find_packages, setup

NAME = 'spacerobot_id'

setup(
    name=NAME,
    version='1.0.0',
    description='On-board identification of the inertial parameters of a space robot',
    author='spacerobot_id developers',
    author_email='spacerobot-id@example.org',
    maintainer='spacerobot_id developers',
    maintainer_email='spacerobot-id@example.org',
    license='Apache-2.0',
    packages=find_packages(include=[NAME, f'{NAME}.*']),
    python_requires='>=3.10',
    # ROS 2 itself comes from the distribution, or from requirements/ros-jazzy.txt.
    install_requires=[
        'jinja2',
        'matplotlib',
        'numba',
        'numpy',
        'plotly',
        'pydantic>=2.10',
        'pyyaml',
        'rosbags',
        'scipy',
        'tqdm',
    ],
    extras_require={
        'docs': ['furo', 'myst-parser', 'sphinx', 'sphinx-copybutton'],  # make docs
        'lab': ['bokeh', 'casadi', 'dask[distributed]', 'pyarrow'],  # campaigns, papers
        'nmpc': ['casadi'],  # predictive control of a free-flyer
        'test': [
            'bokeh',
            'casadi',
            'coverage>=7.10',  # which measures processes that tests start
            'dask[distributed]',
            'example-robot-data',
            'hypothesis',
            'jsonschema',
            'mujoco',
            'pin',
            'pyarrow',
            'pybullet; python_version < "3.12"',  # its URDFs; there are no later wheels
            'pytest',
            'pytest-xdist',
            'ruff',
            'xacro',
        ],
        'xacro': ['xacro'],  # URDFs written with macros
    },
    package_data={f'{NAME}.report': ['page/*.j2', 'page/*.css', 'page/*.js']},
    data_files=[
        ('share/ament_index/resource_index/packages', [f'resource/{NAME}']),
        (f'share/{NAME}', ['package.xml']),
        (f'share/{NAME}/launch', sorted(glob('launch/*.launch.py'))),
        (f'share/{NAME}/docs/reference', ['docs/reference/trouble.md']),
        (f'share/{NAME}/config', sorted(glob('config/*.yaml'))),
        (f'share/{NAME}/config/adapters', sorted(glob('config/adapters/*.yaml'))),
        (f'share/{NAME}/config/campaigns', sorted(glob('config/campaigns/*.yaml'))),
        (f'share/{NAME}/config/lab', sorted(glob('config/lab/*.yaml'))),
        (f'share/{NAME}/config/outputs', sorted(glob('config/outputs/*.yaml'))),
        (f'share/{NAME}/config/published', sorted(glob('config/published/*'))),
        (f'share/{NAME}/config/schemas', sorted(glob('config/schemas/*'))),
        (f'share/{NAME}/config/sros2', sorted(glob('config/sros2/*'))),
        (f'share/{NAME}/config/robots', sorted(glob('config/robots/*'))),
        (f'share/{NAME}/config/views', sorted(glob('config/views/*'))),
    ],
    entry_points={
        'console_scripts': [
            'spacerobot-id = spacerobot_id.cli.main:main',
            'simulator = spacerobot_id.nodes.entry:simulator',
            'planner = spacerobot_id.nodes.entry:planner',
            'estimator = spacerobot_id.nodes.entry:estimator',
        ],
    },
    zip_safe=True,
)
