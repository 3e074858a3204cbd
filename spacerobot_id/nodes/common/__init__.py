"""What all nodes have in common: lifecycle, parameters, QoS, processes, services."""
