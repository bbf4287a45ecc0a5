"""Files in plain YAML that people read before anything in them holds."""
