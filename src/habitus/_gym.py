"""The Gymnasium ids. Entry points are strings and kwargs JSON, so a spec serialises and survives a spawned worker."""

from __future__ import annotations

from gymnasium.envs.registration import register, registry

IDS: dict[str, dict[str, str]] = {
    "habitus/Persona2Web-v0": {"suite": "persona2web"},
    "habitus/LaMPQA-v0": {"suite": "lamp-qa-mini"},
}
"""Id to the kwargs of `habitus.making.make_env`."""


def register_ids() -> None:
    """Register every id once. The open web is nondeterministic."""
    for env_id, kwargs in IDS.items():
        if env_id not in registry:
            register(
                id=env_id,
                entry_point="habitus.making:make_env",
                vector_entry_point="habitus.vector:make_vector",
                kwargs=kwargs,
            )
    if "habitus/Browser-v0" not in registry:
        register(id="habitus/Browser-v0", entry_point="habitus.making:make_browser", nondeterministic=True)
