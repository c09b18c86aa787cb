"""Runs checks: who shares a process with whom, what blocks what, and how what was seen becomes a verdict.

One cause, one red: when a prerequisite has failed, what stands on it is not-verified, not failed. A check that ends
badly takes its process with it, so the next one never judges the wreck. Deterministic failures are never retried;
those that hang on time are run again in fresh processes, and differing attempts are called flaky.
"""

import contextlib
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby

import msgspec

from turnwire.conformance.channel import Channel
from turnwire.conformance.model import (
    Attempt,
    Check,
    Level,
    NotApplicable,
    NotExercised,
    Outcome,
    Scenario,
    TargetFault,
    Unmet,
    Verdict,
)
from turnwire.conformance.probe import Probe
from turnwire.conformance.profiles import Profile
from turnwire.conformance.registry import function_of
from turnwire.conformance.subject import Facts, Subject
from turnwire.conformance.target import Target
from turnwire.conformance.tour import take_tours
from turnwire.conformance.trace import Trace, clip
from turnwire.schemas import Schemas

__all__ = ["Runner", "Settings"]

GREETING_CHECK = "life.initialize-result"
STDERR_SHOWN = 40
# Why some checks say nothing of a server that is connected to.
OF_A_PROCESS = "it is about a process that the judge starts, reads from and ends, and this server is connected to"


class Settings(msgspec.Struct, frozen=True):
    """How a run goes about it."""

    jobs: int = 1
    retries: int = 2
    progress: Callable[[Outcome], None] = lambda _outcome: None
    # What the checks that fuzz begin with.
    seed: int = 0
    # Whether the first MUST that is unmet ends the run.
    fail_fast: bool = False


class Runner:
    """One run against one target: the traces it gathers and the verdicts it has come to."""

    def __init__(self, target: Target, profile: Profile, settings: Settings) -> None:
        self.target = target
        self.profile = profile
        self.settings = settings
        self.oracle = Schemas(profile.bundle)
        self.traces: list[Trace] = []
        self.facts = Facts(None, 0.01, settings.seed)
        self.verdicts: dict[str, Verdict] = {}
        self._spare: Probe | None = None
        self._processes = _Started()
        self._over = threading.Event()

    def run(self, checks: Sequence[Check]) -> list[Outcome]:
        """Judge the target by these checks; outcomes come in the order of the catalogue.

        Raises:
            TargetFault: the target cannot be started, or does not answer the handshake at all.
        """
        try:
            self._meet()
            outcomes = [outcome for wave in _waves(checks) for outcome in self._run_wave(wave)]
        finally:
            # However the run ends, an interrupt included, no process of it lives on.
            self._over.set()
            self._processes.stop()
        order = {check.id: index for index, check in enumerate(checks)}
        return sorted(outcomes, key=lambda outcome: order[outcome.check.id])

    def waited_ms(self) -> int:
        """How long it was listened to servers whatever they said, in all: what no server can make shorter."""
        return round(sum(process.listened for process in self._processes) * 1000)

    # Meeting the target

    def _meet(self) -> None:
        """Start it once, hear its greeting, learn its pace. What it says wrongly is for checks to say."""
        subject = self._subject("greeting")
        probe = subject.open()
        try:
            probe.handshake()
            self.facts = Facts(probe.greeting, probe.round_trip, self.settings.seed)
            if probe.greeting:
                probe.calibrate()
                self.facts = Facts(probe.greeting, probe.round_trip, self.settings.seed)
                self._spare = probe
        except Unmet as reason:
            if not self.facts.result:
                unreached = self._unreached(probe, reason)
                self._drop(probe)
                raise TargetFault(unreached) from None
        except TargetFault:
            self._drop(probe)
            raise
        if self._spare is None:
            self._drop(probe)

    def _unreached(self, probe: Probe, reason: Unmet) -> str:
        method = self.profile.handshake.method
        heard = [frame for frame in probe.trace.frames if not frame.sent]
        speaker = "stdout" if self.target.address is None else "it"
        said = f"; {speaker} said {clip(heard[-1].raw, 80)!r}" if heard else ""
        tail = f"; stderr ends: {probe.process.stderr[-1]}" if probe.process.stderr else ""
        why = probe.process.ending() if probe.process.is_over() else reason.actual.partition(";")[0]
        return f"target not reached: no answer to {method}: {why}{said}{tail}"

    # Waves and lanes

    def _run_wave(self, wave: Sequence[Check]) -> list[Outcome]:
        """Lanes of one wave are independent of each other; trace checks read what they have left behind."""
        active = [check for check in wave if check.scenario is not Scenario.TRACE]
        passive = [check for check in wave if check.scenario is Scenario.TRACE]
        outcomes = [outcome for lane in self._run_lanes(_lanes(active)) for outcome in lane]
        if passive and not self._over.is_set():
            take_tours(self._subject("tour"))
            outcomes += self._run_lane(passive)
        return outcomes

    def _run_lanes(self, lanes: list[list[Check]]) -> Iterable[list[Outcome]]:
        if self.settings.jobs == 1:
            return map(self._run_lane, lanes)
        pool = ThreadPoolExecutor(max_workers=self.settings.jobs)
        try:
            return list(pool.map(self._run_lane, lanes))
        except KeyboardInterrupt:
            self._over.set()
            self._processes.stop()
            raise
        finally:
            pool.shutdown()

    def _run_lane(self, lane: Sequence[Check]) -> list[Outcome]:
        """Checks that share a process as long as all is well."""
        probe: Probe | None = None
        outcomes = []
        if lane[0].scenario is Scenario.SESSION:
            probe, self._spare = self._spare, None
        for check in lane:
            if self._over.is_set():
                break
            outcome, probe = self._judge(check, probe)
            self.verdicts[check.id] = outcome.verdict
            self.settings.progress(outcome)
            outcomes.append(outcome)
            if self.settings.fail_fast and outcome.verdict is Verdict.FAIL:
                self._over.set()
        self._drop(probe)
        return outcomes

    def _judge(self, check: Check, probe: Probe | None) -> tuple[Outcome, Probe | None]:
        if reason := self.profile.excluded.get(check.id, ""):
            return Outcome(check, Verdict.SKIP, note=reason), probe
        if self.target.transport not in check.transports:
            return Outcome(check, Verdict.SKIP, note=OF_A_PROCESS), probe
        if blocker := self._blocker(check):
            return Outcome(check, Verdict.NOT_VERIFIED, note=f"blocked by {blocker}"), probe
        attempt, probe = self._attempt(check, probe)
        attempts = [attempt]
        while (
            check.timing
            and not self._processes.stopped
            and attempts[-1].verdict in (Verdict.FAIL, Verdict.WARN)
            and len(attempts) <= self.settings.retries
        ):
            attempt, fresh = self._attempt(check, None)
            self._drop(fresh)
            attempts.append(attempt)
        verdict = attempts[-1].verdict
        if len({attempt.verdict for attempt in attempts}) > 1:
            verdict = Verdict.FLAKY
        return Outcome(check, verdict, tuple(attempts), attempts[-1].note), probe

    def _blocker(self, check: Check) -> str:
        for needed in check.requires:
            if self.verdicts.get(needed) in (Verdict.FAIL, Verdict.WARN, Verdict.NOT_VERIFIED, Verdict.ERROR):
                return needed
        if check.scenario is Scenario.SESSION and not self.facts.result and check.id != GREETING_CHECK:
            return GREETING_CHECK
        return ""

    # One attempt

    def _attempt(self, check: Check, probe: Probe | None) -> tuple[Attempt, Probe | None]:
        """Run the function once. The probe comes back when it is still fit to be shared."""
        began = time.monotonic()
        subject = self._subject(check.id)
        mark = 0
        try:
            if check.scenario in (Scenario.SESSION, Scenario.HANDSHAKE):
                subject.shared = probe = probe or self._fresh(check.scenario)
                mark = len(probe.trace.frames)
            found = _weigh(check, function_of(check.id), subject)
        except TargetFault as reason:
            found = _unmet(check, Unmet("a server that can be talked to", str(reason)))
        except NotExercised as reason:
            found = Attempt(Verdict.NOT_VERIFIED, 0, note=str(reason))
        finally:
            subject.close()
        return self._finished(found, began, subject, mark), self._kept(probe, found)

    def _finished(self, found: Attempt, began: float, subject: Subject, mark: int) -> Attempt:
        spent = round((time.monotonic() - began) * 1000)
        found = msgspec.structs.replace(found, duration_ms=spent)
        if found.verdict not in (Verdict.FAIL, Verdict.WARN):
            return found
        probes = [*([subject.shared] if subject.shared else []), *subject.opened]
        if not probes:
            return found
        last = probes[-1]
        excerpt = found.excerpt or last.trace.excerpt(mark if last is subject.shared else 0)
        stderr = tuple(list(last.process.stderr)[-STDERR_SHOWN:]) if last.process.is_over() else ()
        return msgspec.structs.replace(found, excerpt=excerpt, stderr=stderr)

    def _kept(self, probe: Probe | None, found: Attempt) -> Probe | None:
        if probe is None:
            return None
        healthy = found.verdict in (Verdict.PASS, Verdict.NON_STRICT, Verdict.SKIP, Verdict.NOT_VERIFIED)
        if healthy and not probe.process.is_over() and not probe.process.ended_output:
            return probe
        self._drop(probe)
        return None

    def _fresh(self, scenario: Scenario) -> Probe:
        """A process for a lane; it outlives the check that opens it."""
        subject = self._subject(scenario)
        if scenario is not Scenario.SESSION:
            return subject.open()
        probe = subject.session()
        with contextlib.suppress(Unmet):
            # What the handshake and its notification were answered with is no answer to what a check asks.
            probe.barrier()
        return probe

    def _subject(self, label: str) -> Subject:
        return Subject(
            self.target,
            self.profile,
            self.oracle,
            facts=self.facts,
            traces=self.traces,
            processes=self._processes,
            label=label,
        )

    def _drop(self, probe: Probe | None) -> None:
        if probe is not None:
            probe.process.stop()


class _Started(list[Channel]):
    """All that a run has started. Once they are stopped, a check that is under way gets no other one to go on with."""

    stopped = False

    def append(self, process: Channel) -> None:
        super().append(process)
        if self.stopped:
            process.stop()

    def stop(self) -> None:
        self.stopped = True
        for process in tuple(self):
            process.stop()


def _weigh(check: Check, function: Callable[[Subject], str | None], subject: Subject) -> Attempt:
    try:
        note = function(subject)
    except Unmet as finding:
        return _unmet(check, finding)
    except NotApplicable as reason:
        return Attempt(Verdict.SKIP, 0, note=str(reason))
    except (NotExercised, TargetFault):
        raise
    except Exception:  # noqa: BLE001 - a fault of ours ends this check as `error` (exit 5) and hides no other verdict
        return Attempt(Verdict.ERROR, 0, note=traceback.format_exc(limit=-3))
    return Attempt(Verdict.NON_STRICT, 0, note=note) if note else Attempt(Verdict.PASS, 0)


def _unmet(check: Check, finding: Unmet) -> Attempt:
    """Severity is the clause's keyword: a MUST fails, a SHOULD warns, a MAY can never fail."""
    verdict = {Level.MUST: Verdict.FAIL, Level.SHOULD: Verdict.WARN, Level.MAY: Verdict.NON_STRICT}[check.level]
    return Attempt(verdict, 0, expected=finding.expected, actual=finding.actual, excerpt=finding.excerpt)


def _waves(checks: Sequence[Check]) -> Iterator[list[Check]]:
    """Prerequisites first, and what reads traces last of all."""
    by_id = {check.id: check for check in checks}

    def depth(check: Check) -> int:
        deeper = [depth(by_id[needed]) + 1 for needed in check.requires if needed in by_id]
        return max([10 if check.scenario is Scenario.TRACE else 0, *deeper])

    for _, wave in groupby(sorted(checks, key=depth), key=depth):
        yield list(wave)


def _lanes(checks: Sequence[Check]) -> list[list[Check]]:
    shared = [[check for check in checks if check.scenario is kind] for kind in (Scenario.SESSION, Scenario.HANDSHAKE)]
    alone = [[check] for check in checks if check.scenario is Scenario.ALONE]
    return [lane for lane in [*shared, *alone] if lane]
