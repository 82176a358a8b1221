"""A headless Chromium, spoken to in its DevTools protocol over two pipes: no driver, no port, no library."""

from __future__ import annotations

import fcntl
import json
import os
import select
import shutil
import subprocess
import time
from pathlib import Path

PATH = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)

_OPTIONS = ("--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--no-first-run",
            "--hide-scrollbars", "--disable-dev-shm-usage", "--disable-background-networking", "--disable-extensions",
            "--disable-component-update", "--disable-quic", "--disable-sync", "--force-color-profile=srgb")
#: What it reads and writes, by convention.
_READS, _WRITES = 3, 4
_PATIENCE_S = 60
_ABOVE_ALL_OTHERS = 20


class Chromium:
    """To be closed. Pages are opened one after the other."""

    def __init__(self, profile: Path):
        self._messages = 0
        self._buffer = b""
        self._events: list[dict] = []
        ours = [_moved_up(end) for end in (*os.pipe(), *os.pipe())]
        theirs_in, self._out, self._in, theirs_out = ours

        def wire() -> None:
            os.dup2(theirs_in, _READS)
            os.dup2(theirs_out, _WRITES)

        self._process = subprocess.Popen([PATH, *_OPTIONS, f"--user-data-dir={profile}"], preexec_fn=wire,
                                         pass_fds=(_READS, _WRITES), stdout=subprocess.DEVNULL,
                                         stderr=subprocess.DEVNULL)
        os.close(theirs_in)
        os.close(theirs_out)

    def close(self) -> None:
        self._send("Browser.close", {}, None)
        self._process.wait(_PATIENCE_S)
        os.close(self._in)
        os.close(self._out)

    def open(self, page: Path, **options: object) -> Page:
        target = self.ask("Target.createTarget", {"url": "about:blank"})["targetId"]
        session = self.ask("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        return Page(self, target, session, page, **options)

    def ask(self, method: str, parameters: dict, session: str | None = None) -> dict:
        number = self._send(method, parameters, session)
        while True:
            message = self._next()
            if message.get("id") == number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']['message']}")
                return message["result"]
            self._events.append(message)

    def wait_for(self, event: str, session: str) -> None:
        while not any(self._is(message, event, session) for message in self._events):
            self._events.append(self._next())

    def events_of(self, session: str) -> list[dict]:
        return [message for message in self._events if message.get("sessionId") == session]

    def forget(self, session: str) -> None:
        self._events = [message for message in self._events if message.get("sessionId") != session]

    @staticmethod
    def _is(message: dict, event: str, session: str) -> bool:
        return message.get("method") == event and message.get("sessionId") == session

    def _send(self, method: str, parameters: dict, session: str | None) -> int:
        self._messages += 1
        message = {"id": self._messages, "method": method, "params": parameters}
        os.write(self._out, json.dumps(message | ({"sessionId": session} if session else {})).encode() + b"\0")
        return self._messages

    def _next(self) -> dict:
        deadline = time.monotonic() + _PATIENCE_S
        while b"\0" not in self._buffer:
            if not select.select([self._in], [], [], max(0.0, deadline - time.monotonic()))[0]:
                raise TimeoutError("Chromium does not answer")
            part = os.read(self._in, 1 << 20)
            if not part:
                raise ConnectionError("Chromium has ended")
            self._buffer += part
        message, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(message)


class Page:
    """A report in a window of its own."""

    def __init__(self, browser: Chromium, target: str, session: str, path: Path, *, width: int = 1280,
                 height: int = 800, dark: bool = False, scripts: bool = True, fragment: str = ""):
        self._browser, self._target, self._session = browser, target, session
        for domain in ("Page", "Runtime", "Log"):
            self.ask(f"{domain}.enable")
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                 mobile=width < 600)
        self.ask("Emulation.setEmulatedMedia",
                 features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
                           {"name": "prefers-reduced-motion", "value": "reduce"}])
        self.ask("Emulation.setScriptExecutionDisabled", value=not scripts)
        self.ask("Page.navigate", url=path.resolve().as_uri() + fragment)
        browser.wait_for("Page.loadEventFired", session)
        if scripts:
            self.value("""new Promise((done) => { const look = () =>
                document.documentElement.classList.contains("scripted") ? done() : setTimeout(look, 5); look(); })""")

    def ask(self, method: str, **parameters: object) -> dict:
        return self._browser.ask(method, parameters, self._session)

    def value(self, expression: str) -> object:
        """Of an expression of JavaScript, as JSON has it."""
        result = self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise AssertionError(details.get("exception", {}).get("description", details["text"]))
        return result["result"].get("value")

    def settle(self) -> None:
        """Until what the last commands caused is laid out, drawn and told to the page."""
        self.value("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))")

    def press(self, key: str) -> None:
        codes = {" ": ("Space", 32, " "), "Escape": ("Escape", 27, ""), "ArrowRight": ("ArrowRight", 39, "")}
        code, number, text = codes[key]
        for kind in ("keyDown", "keyUp"):
            self.ask("Input.dispatchKeyEvent", type=kind, key=key, code=code, windowsVirtualKeyCode=number,
                     **({"text": text} if text and kind == "keyDown" else {}))

    def complaints(self) -> list[str]:
        """What went to the console as a warning or worse, and what was thrown."""
        found = []
        for message in self._browser.events_of(self._session):
            parameters = message.get("params", {})
            if message["method"] == "Runtime.exceptionThrown":
                found.append(parameters["exceptionDetails"]["text"])
            if message["method"] == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
                found.append(parameters["entry"]["text"])
            if message["method"] == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
                found.append(str(parameters["args"]))
        return found

    def close(self) -> None:
        self._browser.forget(self._session)
        self._browser.ask("Target.closeTarget", {"targetId": self._target})


def _moved_up(end: int) -> int:
    """Out of the way of the numbers that the other side is to have."""
    moved = fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, _ABOVE_ALL_OTHERS)
    os.close(end)
    return moved
