"""A service is called once, and only when its server knows where the answer goes."""

import pytest
from rcl_interfaces.srv import GetParameters
from ros_harness import Client, wait_until
from std_srvs.srv import Trigger

from spacerobot_id.nodes.mission import node as service_call
from spacerobot_id.nodes.mission.node import call_service


class LosingClient:
    """A client of a server that knows it only from the second question on."""

    def __init__(self, service_type, losses):
        self.service_type = service_type
        self.losses = losses
        self.questions = 0

    def service_is_ready(self):
        return True

    def call_async(self, _request):
        self.questions += 1
        return Answer(self.service_type.Response() if self.questions > self.losses else None)


class Answer:
    """What comes back, or never comes."""

    def __init__(self, response):
        self.response = response

    def done(self):
        return self.response is not None

    def result(self):
        return self.response


class LosingNode:
    """A node whose questions for parameters are not answered the first few times."""

    def __init__(self, losses):
        self.losses = losses
        self.clients = []

    def create_client(self, service_type, _name):
        losses = self.losses if service_type is GetParameters else 0
        self.clients.append(LosingClient(service_type, losses))
        return self.clients[-1]

    def destroy_client(self, client):
        assert client in self.clients


@pytest.mark.parametrize('losses', [0, 1, 3])
def test_a_service_is_called_once_when_its_server_knows_the_client(losses, monkeypatch):
    monkeypatch.setattr(service_call, '_PATIENCE', 0.01)
    node = LosingNode(losses)
    answer = call_service(node, Trigger, 'planner/start', Trigger.Request(), wait_until)
    assert isinstance(answer, Trigger.Response)
    start, question = node.clients
    assert start.questions == 1
    assert question.questions == losses + 1


def test_a_server_that_is_not_there_ends_the_wait():
    with Client() as client, pytest.raises(TimeoutError, match='not within'):
        client.call(Trigger, 'nobody/start', timeout=0.2)
