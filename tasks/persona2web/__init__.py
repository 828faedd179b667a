"""Persona2Web on the local web: its people, their histories, queries and truths, from a seed."""

from __future__ import annotations

from .suite import LocalPersona2Web, suite

__all__ = ["LocalPersona2Web", "suite"]
