"""Doors for agent frameworks: a module for each, which says what has to be installed. `docs/adapters.md` has them all."""
