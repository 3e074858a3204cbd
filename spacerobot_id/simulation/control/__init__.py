"""Control of a robot whose motors give torques: modes, gains, computed torque, base hold."""
