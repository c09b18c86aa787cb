"""The tables agree with the definitions, with each other and with the clauses; every machine is walked cell by cell."""

import re
from collections import Counter

import pytest

from protocol.families import clauses, definitions, table

METHODS = {row["name"]: row for row in table("methods")["methods"]}
REQUESTS = {name: row for name, row in METHODS.items() if row["kind"] == "request"}
NOTIFICATIONS = {name: row for name, row in METHODS.items() if row["kind"] == "notification"}
OURS = {name: row for name, row in REQUESTS.items() if row["sender"] != "server"}
ERRORS = {row["name"]: row for row in table("errors")["errors"]}
SERVER = {row["key"]: row for row in table("capabilities")["server"]}
CLIENT = {row["key"]: row for row in table("capabilities")["client"]}
MACHINES = table("states")["machines"]
CELLS = [
    (name, state, event)
    for name, machine in MACHINES.items()
    for state, row in machine["transitions"].items()
    for event in row
]
DEFINITIONS = definitions()


def members(type_name):
    return DEFINITIONS[type_name].get("properties", {})


def required(type_name):
    return DEFINITIONS[type_name].get("required", [])


def values(enum_name):
    return [arm["const"] for arm in DEFINITIONS[enum_name]["oneOf"]]


# --- methods ----------------------------------------------------------------------------------------------------------


def test_method_names_are_unique():
    assert len(METHODS) == len(table("methods")["methods"])


@pytest.mark.parametrize("name", METHODS)
def test_method_row_resolves(name):
    row = METHODS[name]

    assert re.fullmatch(r"[a-z][A-Za-z]*(/[a-z][A-Za-z]*)*", name)
    assert row["sender"] in {"client", "server", "both"}
    assert row["kind"] in {"request", "notification"}
    assert row["scope"] in {"connection", "server", "store", "thread"}
    assert row["params"] in DEFINITIONS
    assert row.get("capability") is None or row["capability"] in SERVER
    assert row["description"].endswith(".")


@pytest.mark.parametrize("name", REQUESTS)
def test_request_has_a_result_and_names_errors_and_what_it_causes(name):
    row = REQUESTS[name]

    assert row["result"] in DEFINITIONS
    assert [error for error in row["errors"] if error not in ERRORS] == []
    assert [emitted for emitted in row["emits"] if METHODS[emitted]["sender"] != "server"] == []
    assert [emitted for emitted in row["emits"] if METHODS[emitted]["kind"] != "notification"] == []


@pytest.mark.parametrize("name", NOTIFICATIONS)
def test_notification_has_no_result(name):
    assert not NOTIFICATIONS[name].keys() & {"result", "errors", "emits"}


@pytest.mark.parametrize("name", NOTIFICATIONS)
def test_notification_carries_seq_exactly_when_it_is_recorded(name):
    row = NOTIFICATIONS[name]

    assert row["durable"] == ("seq" in required(row["params"]))
    assert row["durable"] == ("seq" in members(row["params"]))


@pytest.mark.parametrize("name", OURS)
def test_repeatable_request_says_so_on_both_sides(name):
    row = OURS[name]
    repeatable = "idempotencyKey" in members(row["params"])

    assert repeatable == ("replayed" in members(row["result"]))
    assert not repeatable or "conflict" in row["errors"]


@pytest.mark.parametrize("name", OURS)
def test_list_goes_on_by_cursor(name):
    row = OURS[name]
    paged = "cursor" in members(row["params"])

    assert paged == ("nextCursor" in members(row["result"])) == ("cursorInvalid" in row["errors"])
    assert paged == ("limit" in members(row["params"]))


@pytest.mark.parametrize("name", [name for name, row in OURS.items() if "threadId" in required(row["params"])])
def test_request_about_a_thread_may_not_find_it(name):
    assert "notFound" in OURS[name]["errors"]


@pytest.mark.parametrize("name", [name for name, row in METHODS.items() if row["scope"] == "thread"])
def test_method_of_a_thread_can_be_told_apart_by_thread(name):
    """By its own member, or by the object that it carries or names."""
    known = {"threadId", "thread", "approval", "userInput", "approvalId", "userInputId"}

    assert known & set(required(METHODS[name]["params"]))


# --- errors -----------------------------------------------------------------------------------------------------------


def test_error_codes_and_names_are_unique():
    rows = table("errors")["errors"]

    assert len({row["code"] for row in rows}) == len({row["name"] for row in rows}) == len(rows)


@pytest.mark.parametrize("name", ERRORS)
def test_error_row_agrees_with_its_data(name):
    row = ERRORS[name]

    assert -32768 <= row["code"] <= -32000
    assert members(row["data"])["code"]["const"] == name
    assert ("retryAfterMs" in members(row["data"])) <= row["retryable"]
    assert row["when"].endswith(".")


def test_error_data_has_an_arm_for_each_row_in_order():
    arms = [arm["$ref"].rsplit("/", 1)[1] for arm in DEFINITIONS["ErrorData"]["oneOf"]]

    assert arms == [row["data"] for row in ERRORS.values()]


# --- capabilities -----------------------------------------------------------------------------------------------------


def test_capability_keys_are_the_members_of_the_handshake():
    assert list(SERVER) == list(members("ServerCapabilities"))
    assert list(CLIENT) == list(members("ClientCapabilities"))


def test_capability_lists_exactly_its_methods():
    listed = {(key, name) for key, row in SERVER.items() for name in row["methods"]}

    assert listed == {(row["capability"], name) for name, row in METHODS.items() if row.get("capability")}


@pytest.mark.parametrize("key", CLIENT)
def test_capability_of_a_client_names_what_the_server_sends(key):
    assert [name for name in CLIENT[key]["methods"] if METHODS[name]["sender"] != "server"] == []


def test_capability_lists_exactly_its_members():
    listed = {(key, member) for key, row in SERVER.items() for member in row["members"]}
    marked = {
        (schema["x-capability"], f"{name}.{member}")
        for name in DEFINITIONS
        for member, schema in members(name).items()
        if "x-capability" in schema
    }

    assert listed == marked


def test_request_of_the_server_waits_for_a_capability_of_the_client():
    asked = {name for row in CLIENT.values() for name in row["methods"]}

    assert {name for name, row in REQUESTS.items() if row["sender"] == "server"} <= asked


# --- machines ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MACHINES)
def test_machine_is_total_and_its_ends_are_final(name):
    machine = MACHINES[name]
    rows = machine["transitions"]
    events = list(rows[machine["initial"]])

    assert {state: list(row) for state, row in rows.items()} == dict.fromkeys(rows, events)
    assert [state for state in machine["terminal"] if set(rows[state].values()) != {None}] == []
    assert [state for state, row in rows.items() if set(row.values()) == {None}] == machine["terminal"]


@pytest.mark.parametrize(("name", "state", "event"), CELLS)
def test_cell_is_walked(name, state, event):
    """Each cell is reached from the initial state by lawful events, and leads to a state of the machine or nowhere."""
    machine = MACHINES[name]
    way = walk(machine, state)
    reached = machine["initial"]
    for step in way:
        reached = machine["transitions"][reached][step]
    target = machine["transitions"][reached][event]

    assert reached == state
    assert target is None or target in machine["transitions"]


def walk(machine, goal):
    """The shortest list of events that leads from the initial state to `goal`."""
    ways = {machine["initial"]: []}
    pending = [machine["initial"]]
    while pending:
        state = pending.pop(0)
        for event, target in machine["transitions"][state].items():
            if target is not None and target not in ways:
                ways[target] = [*ways[state], event]
                pending.append(target)
    return ways[goal]


def test_unreachable_state_is_reported():
    machine = {"initial": "a", "transitions": {"a": {"go": "a"}, "b": {"go": None}}}

    with pytest.raises(KeyError, match="b"):
        walk(machine, "b")


@pytest.mark.parametrize(
    ("machine", "enum", "only_in_machine", "only_in_enum"),
    [
        ("turn", "TurnStatus", set(), set()),
        ("thread", "ThreadStatus", {"deleted"}, set()),
        # An item that was reset is in no list, so nobody reads that state.
        ("item", "ItemStatus", {"reset"}, set()),
        # A rule or a mode answers before anything waits.
        ("approval", "RequestOutcome", {"waiting", "deferred"}, {"rule", "mode"}),
    ],
)
def test_states_are_the_values_on_the_wire(machine, enum, only_in_machine, only_in_enum):
    states = MACHINES[machine]["transitions"].keys()

    assert states - set(values(enum)) == only_in_machine
    assert set(values(enum)) - states == only_in_enum


# --- clauses ----------------------------------------------------------------------------------------------------------


def test_clause_ids_are_unique():
    assert [name for name, count in Counter(clause.id for clause in clauses()).items() if count > 1] == []


def test_clauses_stand_in_order_of_their_numbers():
    for family in {clause.id.partition("-")[0] for clause in clauses()}:
        numbers = [int(clause.id.partition("-")[2]) for clause in clauses() if clause.id.startswith(f"{family}-")]

        assert numbers == sorted(numbers), family


@pytest.mark.parametrize(
    "cited",
    [
        *(pytest.param(row["clause"], id=f"method {name}") for name, row in METHODS.items()),
        *(pytest.param(row["clause"], id=f"error {name}") for name, row in ERRORS.items()),
        *(pytest.param(row["clause"], id=f"machine {name}") for name, row in MACHINES.items()),
    ],
)
def test_cited_clause_exists(cited):
    assert cited in {clause.id for clause in clauses()}
