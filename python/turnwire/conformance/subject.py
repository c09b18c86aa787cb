"""What a check sees of the server: its contract, what it said of itself, and conversations to be had with it.

Every conversation opened here is recorded and closed here; a check never holds a process beyond its own end.
"""

import contextlib
import itertools
import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from turnwire.conformance.channel import Channel, opened
from turnwire.conformance.model import NotApplicable, NotExercised, Unmet
from turnwire.conformance.passive import Folded
from turnwire.conformance.pointer import pick, planted, replaced
from turnwire.conformance.probe import ABSENT, Probe
from turnwire.conformance.profiles import Operation, Profile
from turnwire.conformance.target import Target
from turnwire.conformance.trace import Frame, Trace
from turnwire.schemas import Schemas

__all__ = ["Facts", "Subject"]

# Names that a dialect wants to be new for every request; unique over the run, whoever shares the server's state.
_serial = itertools.count(1)


class Facts:
    """What the server said of itself when the run began."""

    def __init__(self, greeting: Frame | None, round_trip: float, seed: int = 0) -> None:
        self.greeting = greeting
        # What the checks that fuzz begin with.
        self.seed = seed
        self.round_trip = round_trip
        # What the passive rules found in the first so many frames of the run, kept for the next check that asks.
        self.folded: tuple[int, Folded] | None = None

    @property
    def result(self) -> Mapping[str, Any]:
        """The result of the handshake; empty when it failed."""
        result = self.greeting.result if self.greeting else None
        return result if isinstance(result, dict) else {}


class Subject:
    """The server under one check."""

    def __init__(
        self,
        target: Target,
        profile: Profile,
        oracle: Schemas,
        *,
        facts: Facts,
        traces: list[Trace],
        processes: list[Channel],
        label: str,
    ) -> None:
        self.target = target
        self.profile = profile
        self.oracle = oracle
        self.facts = facts
        self.traces = traces
        self.processes = processes
        self.label = label
        self.shared: Probe | None = None
        # The latest turn of each thread that this check has started one in.
        self.latest: dict[str, Any] = {}
        self.opened: list[Probe] = []

    @property
    def probe(self) -> Probe:
        """The conversation that the scenario provides."""
        assert self.shared, "only checks of the session and handshake scenarios ask for it"
        return self.shared

    @property
    def capabilities(self) -> Mapping[str, Any]:
        """What the server offers."""
        offered = pick(self.facts.result, self.profile.handshake.capabilities)
        return offered if isinstance(offered, dict) else {}

    def open(self, *, env: Mapping[str, str] | None = None, scratch: Path | None = None) -> Probe:
        """Start a process, or open a connection, of its own for this check; it is stopped when the check ends."""
        process = opened(self.target, scratch, env)
        self.processes.append(process)
        trace = Trace(self.label)
        self.traces.append(trace)
        probe = Probe(process, self.profile, trace)
        probe.round_trip = self.facts.round_trip
        self.opened.append(probe)
        return probe

    def session(
        self,
        params: Mapping[str, Any] | None = None,
        *,
        env: Mapping[str, str] | None = None,
        scratch: Path | None = None,
    ) -> Probe:
        """Start a process, or open a connection, and a session with it.

        Raises:
            NotExercised: the handshake is refused, or not answered.
        """
        probe = self.open(env=env, scratch=scratch)
        try:
            reply = probe.handshake(params)
        except Unmet as reason:
            raise NotExercised(f"no session could be opened: {reason}") from None
        if not isinstance(reply.result, dict):
            raise NotExercised(f"no session could be opened: the handshake was answered {reply}")
        return probe

    def declinable(self) -> str:
        """The notification that can be provoked and declined.

        Raises:
            NotApplicable: the contract has none.
        """
        if not self.profile.handshake.opt_out or not self.profile.created:
            raise NotApplicable("the profile knows no declining of notifications")
        return self.profile.created

    def opted_in(self) -> Any:
        """Handshake params of a client that answers what a scripted turn may ask."""
        handshake = self.profile.handshake
        params: Any = handshake.params
        for name, value in self.profile.script.opt_in.items():
            params = replaced(params, f"{handshake.client_capabilities}/{name}", value)
        return params

    def stop_seconds(self) -> float:
        """How long a server that is told to stop may take: what it declares for running turns, and its time to exit."""
        declared = pick(self.facts.result, self.profile.wire.shutdown_ms) if self.profile.wire.shutdown_ms else None
        return self.target.timeouts.exit + (declared / 1000 if type(declared) is int else 0.0)

    def close(self) -> None:
        """Stop every process and every connection that this check started."""
        for probe in self.opened:
            probe.process.stop()

    @contextlib.contextmanager
    def shared_state(self) -> Iterator[Path]:
        """A scratch directory that two processes of one check share, for what must outlive the first."""
        # What a server has left running may still write into it.
        with tempfile.TemporaryDirectory(prefix="turnwire-check-", ignore_cleanup_errors=True) as directory:
            yield Path(directory)

    # Requests by role

    @property
    def noop(self) -> str:
        """The method that every server of this contract serves, that needs no params and changes nothing."""
        return self.operation("noop").method

    def operation(self, role: str) -> Operation:
        """The request that plays a role in this contract.

        Raises:
            NotApplicable: the contract has none, or this server does not offer it.
        """
        if role not in self.profile.operations:
            raise NotApplicable(f"the profile {self.profile.name} names no operation {role!r}")
        operation = self.profile.operations[role]
        if operation.capability and operation.capability not in self.capabilities:
            raise NotApplicable(f"the server does not offer {operation.capability}")
        return operation

    def params(self, role: str, *, thread: str = "", text: str = "") -> Any:
        """The params of that request, with its placeholders filled."""
        template = self.operation(role).params
        return ABSENT if template is None else self.filled(template, thread=thread, text=text)

    def filled(self, template: Any, *, thread: str = "", text: str = "") -> Any:
        """A template of the profile with its placeholders filled."""
        unique = f"check-{os.getpid()}-{next(_serial)}"
        return planted(template, {"$id": thread, "$turn": self.latest.get(thread), "$text": text, "$unique": unique})

    def perform(self, probe: Probe, role: str, *, thread: str = "", text: str = "", seconds: float = 0.0) -> Frame:
        """Send that request and take its reply."""
        operation = self.operation(role)
        return probe.call(operation.method, self.params(role, thread=thread, text=text), seconds=seconds)

    def create(self, probe: Probe, text: str = "made by turnwire check") -> str:
        """Start a thread and return its id.

        Raises:
            NotExercised: it could not be started, so nothing that needs one can be judged.
        """
        operation = self.operation("create")
        reply = self.perform(probe, "create", text=text)
        thread = pick(reply.result, operation.thread)
        if not isinstance(thread, str):
            raise NotExercised(f"no thread could be started: {operation.method} was answered {reply}")
        return thread

    def listed(self, probe: Probe) -> list[Any]:
        """The first page of threads.

        Raises:
            Unmet: the list is refused or is no list.
        """
        operation = self.operation("list")
        reply = self.perform(probe, "list")
        items = pick(reply.result, operation.items)
        if not isinstance(items, list):
            raise Unmet(f"{operation.method} gives a list at {operation.items}", str(reply))
        return items

    # Lines by hand

    def line(self, members: str) -> bytes:
        """A message whose members are given as JSON text, because no encoder would write them."""
        lead = "" if self.profile.wire.jsonrpc_member == "omitted" else '"jsonrpc":"2.0",'
        return f"{{{lead}{members}}}".encode()

    def codes(self, *conditions: str) -> tuple[int, ...]:
        """The lawful codes for a condition; the first is the clause's own."""
        known = self.profile.codes
        if missing := next((condition for condition in conditions if condition not in known), ""):
            raise NotApplicable(f"the profile {self.profile.name} names no code for {missing}")
        return tuple(code for condition in conditions for code in known[condition])
