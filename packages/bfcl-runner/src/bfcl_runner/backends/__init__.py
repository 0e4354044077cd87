"""The models a run can talk to: one interface, one module each."""
