"""A WebSocket server in plain Python in front of our own sessions, lawful or broken in one step."""

from conformance.front import faults_frames as steps
from conformance.front.faults_door import DOOR
from conformance.front.faults_frames import FRAMES, mutant
from conformance.front.faults_sessions import SESSIONS
from conformance.front.server import Front

MUTANTS = {**FRAMES, **DOOR, **SESSIONS}
VARIANTS = {
    "plain": Front,
    "fragmenting": mutant(say=steps.in_fragments),
    "pinging": mutant(say=steps.with_pings),
    "for-people": mutant(say=steps.for_people),
    "late": mutant(say=steps.later),
    "with-reasons": mutant(fail=steps.with_a_reason),
    "small-letters": mutant(answer=steps.in_small_letters),
}
