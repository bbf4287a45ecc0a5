"""Pictures of every page and of the tray, to be looked at; run by `dev.py pictures`."""
