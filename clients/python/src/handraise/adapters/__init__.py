"""Doors for agent frameworks: a module for each, which needs its framework. `docs/adapters.md` has them all."""
