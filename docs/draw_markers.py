"""Draw what a viewer shows of ``~/markers``: python docs/draw_markers.py.

The servicer flies a planned motion, its prior is identified, and the messages that the estimator
would publish are drawn where the links are: docs/images/markers.png.
"""

from pathlib import Path
import warnings

from matplotlib.figure import Figure
from mpl_toolkits.mplot3d import Axes3D
import numpy as np
from scipy.spatial.transform import Rotation
from visualization_msgs.msg import Marker, MarkerArray

from spacerobot_id.estimation import identify
from spacerobot_id.estimation.inertia_ellipsoids import link_covariance, unseen_links
from spacerobot_id.estimation.settings import IdentifySettings
from spacerobot_id.excitation import plan_excitation, PlannerSettings
from spacerobot_id.flight.conserved_flight import conserved_flight, with_sensor_noise
from spacerobot_id.kinematics import link_poses, LinkPoses
from spacerobot_id.methods.prior import standard_std
from spacerobot_id.model import load_robot, RobotModel, shipped_file
from spacerobot_id.nodes.estimator.estimate_outputs import robot_markers

IMAGE = Path(__file__).parent / 'images/markers.png'
SEEN_FROM = {'elev': 18.0, 'azim': -60.0}
BOX = {'x': (-1.0, 2.5), 'y': (-1.75, 1.75), 'z': (-1.0, 2.5)}


def surface(marker: Marker, poses: LinkPoses, model: RobotModel) -> np.ndarray:
    """Return the points of a marker's ellipsoid in the base's frame, shape (3, u, v)."""
    u, v = np.meshgrid(np.linspace(0.0, 2.0 * np.pi, 25), np.linspace(0.0, np.pi, 13))
    ball = np.stack([np.cos(u) * np.sin(v), np.sin(u) * np.sin(v), np.cos(v)])
    scale, place, turn = marker.scale, marker.pose.position, marker.pose.orientation
    axes = Rotation.from_quat([turn.x, turn.y, turn.z, turn.w]).as_matrix()
    half = 0.5 * np.array([scale.x, scale.y, scale.z])
    points = np.einsum('ij,juv->iuv', axes * half, ball)
    points += np.array([place.x, place.y, place.z])[:, None, None]
    link = model.link_names.index(marker.header.frame_id)
    R_BU = poses.axes[link, :, :, 0].T @ model.links[link].R_UL.T
    return np.einsum('ij,juv->iuv', R_BU, points) + poses.origins[link][:, :, None]


def draw(
    axes: Axes3D, markers: MarkerArray, poses: LinkPoses, model: RobotModel, title: str
) -> None:
    """Draw the links' markers."""
    for marker in markers.markers:
        if marker.ns.startswith('links/'):
            colour = marker.color
            rgba = (colour.r, colour.g, colour.b, colour.a)
            points = surface(marker, poses, model)
            axes.plot_surface(*points, color=rgba, linewidth=0.0, shade=True)
    axes.plot(*poses.origins[:, :, 0].T, 'k.-', linewidth=1.0)
    for axis, (lower, upper) in BOX.items():
        getattr(axes, f'set_{axis}lim')(lower, upper)
        getattr(axes, f'set_{axis}label')(f'{axis}, m')
    axes.set_box_aspect((1.0, 1.0, 1.0), zoom=1.0)
    axes.view_init(**SEEN_FROM)
    axes.set_title(title, y=0.97)


def main() -> None:
    """Fly, identify, draw."""
    warnings.simplefilter('ignore')
    robot, prior = (
        load_robot(shipped_file(f'config/robots/{name}.urdf'))
        for name in ('servicer', 'servicer_prior')
    )
    settings = PlannerSettings(intervals=10, draws=10, restarts=1, iterations=10)
    start = np.zeros(len(robot.joints) + len(robot.wheels))
    plan = plan_excitation(prior, start, settings).plan
    method = IdentifySettings().method_for(prior)
    record = with_sensor_noise(conserved_flight(robot, plan, robot.noise.rate), method, 0)
    result = identify(record, method)
    relative_std = IdentifySettings().of_method.prior.relative_std
    q = np.array([0.4, 0.9, 0.3, -1.2, 0.2, 0.8, 0.0])
    covariance = link_covariance(prior, method.minimal, result.estimate.covariance, relative_std)
    unseen = frozenset(unseen_links(prior, method.minimal, result.estimate))
    found = result.links.model
    of_prior = robot_markers(prior, np.diag(standard_std(prior, relative_std) ** 2), q, 'prior')
    of_estimate = robot_markers(found, covariance, q, 'estimate', unseen)
    figure = Figure(figsize=(11.0, 4.6))
    axes = figure.subplots(1, 2, subplot_kw={'projection': '3d'})
    draw(axes[0], of_prior, link_poses(prior, q[None]), prior, 'prior')
    draw(axes[1], of_estimate, link_poses(found, q[None]), found, 'estimate')
    figure.subplots_adjust(left=0.0, right=0.97, bottom=0.02, top=1.0, wspace=0.02)
    figure.savefig(IMAGE, dpi=90)


if __name__ == '__main__':
    main()
