"""The node ``topics``: looks at the topics of a bed for some seconds."""
