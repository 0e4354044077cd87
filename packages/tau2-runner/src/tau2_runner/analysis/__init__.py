"""Reading tau2 results: task classes, detection, tables and audits, with the standard library and the floors below."""
