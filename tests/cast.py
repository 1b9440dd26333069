"""The people and agents every test knows, and what they usually do."""

import pickle
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any, Final

import pytest
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import User
from django.db import connection, transaction
from pytest_django import DjangoDbBlocker

from reviews.decisions import decide, edits
from reviews.decisions.decide import Choice
from reviews.intake import actions
from reviews.intake.actions import Proposal
from reviews.models import (
    DEFAULT_DETECTORS,
    Action,
    Agent,
    AgentKey,
    Decision,
    GuardProfile,
    Membership,
    OnUnknown,
    Review,
    Role,
    Workspace,
)
from reviews.profiles import versions
from reviews.provenance.core.context import Case, Context, ProposedAction, Step, ToolDoc
from reviews.provenance.core.findings import Finding, Interpretation, Misalignment, Relation, StageResult
from reviews.provenance.detectors.base import Stages
from reviews.provenance.judges import Judge
from reviews.workspaces import agent_keys
from tests.jobs import run_checks

PASSWORD = "a-long-password-for-tests"

TRANSFER = ToolDoc(
    "money_transfer",
    "Sends money to a person. Cannot be undone.",
    {
        "type": "object",
        "properties": {"to": {"type": "string"}, "amount": {"type": "number"}, "note": {"type": "string"}},
        "required": ["to", "amount"],
        "additionalProperties": False,
    },
)
REQUEST = ToolDoc("request_money", "Asks a person for money.", TRANSFER.parameters)
SEARCH = ToolDoc("search_contacts", "Finds contacts by name.", {"type": "object"}, environment_changing=False)

CONTEXT = Context(
    query="Send $30 to Daniel, I owe him for lunch.",
    tools=(TRANSFER, REQUEST, SEARCH),
    history=(
        Step(
            "search_contacts",
            {"name": "Daniel"},
            '[{"name": "Daniel Kim", "email": "daniel.kim@example.org"}]',
            "Find Daniel",
        ),
    ),
)
RIGHT = ProposedAction("money_transfer", {"to": "daniel.kim@example.org", "amount": 30}, "Send Daniel the money")
# What is to be done with the money, these words leave open: rules can neither establish nor refute the right call.
UNCLEAR = replace(CONTEXT, query="Settle up with Daniel for lunch: $30.")
_LABEL = ToolDoc("label_note", "Puts a label on a note.", {"type": "object"})
MILD = ProposedAction("label_note", {"label": "lunch"})
# A letter of the address is mistyped, which a proof refutes; that the amount is wrong only a person can tell.
WRONG = replace(RIGHT, arguments={"to": "daniel.kin@example.org", "amount": 300})


@dataclass(frozen=True)
class Cast:
    """One workspace with everybody in it, and an outsider who must never see any of it."""

    workspace: Workspace
    agent: AgentKey
    agent_secret: str
    reviewer: Membership
    other_reviewer: Membership
    annotator: Membership
    admin: Membership
    outsider: Membership
    outside_agent: AgentKey
    outside_secret: str


KEEPING: Final = frozenset({"desk", "test_access_matrix.py"})
"""Folders and files whose modules make the cast once."""


@pytest.fixture(scope="module")
def kept_cast(
    request: pytest.FixtureRequest, django_db_setup: None, django_db_blocker: DjangoDbBlocker
) -> Iterator[bytes]:
    """The cast of a module, pickled, in a transaction of which each test is a savepoint: to make it takes
    as long as many a test. Nothing where some test of the module commits, or looks for a database without anybody in
    it. Nor in other folders: processes and Redis remember workspaces and agents between checks, and a cast of its own
    has no past.
    """
    place = request.path.relative_to(Path(__file__).parent)
    tests = _database_tests(request.session).get(request.path) if KEEPING & {*place.parts} else None
    if not tests or not all(map(_begins_with_the_cast, tests)):
        yield b""
        return
    with django_db_blocker.unblock(), transaction.atomic():
        made = pickle.dumps(make_cast())
        with django_db_blocker.block():
            yield made
        transaction.set_rollback(True)


@cache
def _database_tests(session: pytest.Session) -> Mapping[Path, list[pytest.Item]]:
    """The tests of each module that have the database."""
    tests: dict[Path, list[pytest.Item]] = defaultdict(list)
    for item in session.items:
        if item.get_closest_marker("django_db") or {"db", "transactional_db"} & {*_fixtures_of(item)}:
            tests[item.path].append(item)
    return tests


def _begins_with_the_cast(item: pytest.Item) -> bool:
    marker, fixtures = item.get_closest_marker("django_db"), _fixtures_of(item)
    commits = (marker and marker.kwargs.get("transaction")) or "transactional_db" in fixtures
    return "cast" in fixtures and not commits


def _fixtures_of(item: pytest.Item) -> Sequence[str]:
    return item.fixturenames if isinstance(item, pytest.Function) else ()


@pytest.fixture
def cast(kept_cast: bytes, db: None) -> Cast:
    """The cast, in a workspace where what rules cannot decide passes and decisions are told at once."""
    if not kept_cast:
        return make_cast()
    # What the last test did to its keys is undone, and may be remembered for a second.
    agent_keys.forget_keys()
    # What a savepoint within the last one has set for the transaction, PostgreSQL does not set back.
    connection.cursor().execute("SET CONSTRAINTS ALL DEFERRED")
    # A copy: of its own each test knows what it has changed.
    found: Cast = pickle.loads(kept_cast)  # noqa: S301 - our own
    return found


def make_cast() -> Cast:
    """Everybody, freshly created."""
    # One statement a table: nearly every test pays for this, and the use cases that admit people have their own tests.
    acme, elsewhere = Workspace.objects.bulk_create(
        [Workspace(name="Acme", slug="acme"), Workspace(name="Elsewhere", slug="elsewhere")]
    )
    GuardProfile.objects.bulk_create(
        GuardProfile(
            workspace=workspace, version=1, detectors=list(DEFAULT_DETECTORS), on_unknown=OnUnknown.PASS, hold_seconds=0
        )
        for workspace in (acme, elsewhere)
    )
    ada, oscar, rita, rob, anna = _memberships(
        (acme, "ada", Role.ADMIN),
        (elsewhere, "oscar", Role.ADMIN),
        (acme, "rita", Role.REVIEWER),
        (acme, "rob", Role.REVIEWER),
        (acme, "anna", Role.ANNOTATOR),
    )
    (agent, agent_secret), (outside_agent, outside_secret) = _agent_keys((ada, "support-bot"), (oscar, "other-bot"))
    return Cast(
        workspace=acme,
        agent=agent,
        agent_secret=agent_secret,
        reviewer=rita,
        other_reviewer=rob,
        annotator=anna,
        admin=ada,
        outsider=oscar,
        outside_agent=outside_agent,
        outside_secret=outside_secret,
    )


def _memberships(*people: tuple[Workspace, str, Role]) -> list[Membership]:
    password = make_password(PASSWORD)
    users = User.objects.bulk_create(User(username=name, password=password) for _, name, _ in people)
    return Membership.objects.bulk_create(
        Membership(workspace=workspace, user=user, role=role)
        for user, (workspace, _, role) in zip(users, people, strict=True)
    )


def _agent_keys(*agents: tuple[Membership, str]) -> list[tuple[AgentKey, str]]:
    secrets = [AgentKey.new_secret() for _ in agents]
    owners = Agent.objects.bulk_create(Agent(workspace=admin.workspace, name=name) for admin, name in agents)
    keys = AgentKey.objects.bulk_create(
        AgentKey(
            workspace=admin.workspace,
            agent=owner,
            name=name,
            hint=secret[: agent_keys.HINT_LENGTH],
            key_hash=AgentKey.hash_of(secret),
            created_by=admin.user,
        )
        for secret, owner, (admin, name) in zip(secrets, owners, agents, strict=True)
    )
    return list(zip(keys, secrets, strict=True))


def proposal(action: ProposedAction = RIGHT, context: Context = CONTEXT, **choices: Any) -> Proposal:
    """A submission of this call in this context."""
    return Proposal(context=context, action=action, **{"trace_id": "conv-42", **choices})


def propose(cast: Cast, action: ProposedAction = RIGHT, context: Context = CONTEXT, **choices: Any) -> Action:
    """The agent submits; nobody has checked it yet."""
    return actions.submit_action(agent_key=cast.agent, proposal=proposal(action, context, **choices)).action


def flagged(cast: Cast, action: ProposedAction = WRONG, **choices: Any) -> Review:
    """The review of a call the guard stopped."""
    proposed = propose(cast, action, **choices)
    run_checks(proposed.pk)
    return Review.objects.select_related("action__trace__query").get(action=proposed)


def looked_at(cast: Cast, action: ProposedAction = MILD) -> Review:
    """The review of a mild call against which nothing speaks: its workspace wants to look at each."""
    versions.new_version(membership=cast.admin, tool_policies={MILD.tool: "always_review"})
    return flagged(cast, action, context=replace(CONTEXT, tools=(*CONTEXT.tools, _LABEL)))


def approved(cast: Cast, **choices: Any) -> Action:
    """A call a reviewer approved."""
    action = flagged(cast, **choices).action
    decide.decide_action(action=action, choice=decide.Approve(), membership=cast.reviewer)
    action.refresh_from_db()
    return action


def decided(action: Action, choice: Choice, by: Membership) -> Decision:
    """The decision that a reviewer takes at the desk, where an edit is checked before it is decided on."""
    checked = None
    if isinstance(choice, decide.Edit):
        checked = edits.check_edit(action=action, tool=choice.tool, arguments=choice.arguments)
    return decide.decide_action(action=action, choice=choice, membership=by, edited=checked)


PASSED = StageResult("tool", findings=(Finding(Relation.SPECIFIED_BY, "money_transfer", True, "The tool exists."),))
REJECTED = StageResult(
    "parameter",
    findings=(Finding(Relation.DERIVED_FROM, "/amount", False, "The value 300 appears nowhere."),),
    interpretations=(Interpretation("Send 30", "money_transfer", {"to": "daniel.kim@example.org", "amount": 30}),),
    misalignment=Misalignment.PARAMETER,
)
UNSURE = StageResult("interpretation", undetermined="The judge gave no usable answer.")


class ScriptedDetector:
    """Yields the stages it was given, or raises what stands among them; remembers what it was told was done."""

    name = "scripted"
    version = "1"

    def __init__(self, *script: StageResult | Exception) -> None:
        self.script = script
        self.resumed_behind: list[tuple[StageResult, ...]] = []

    async def stages(self, case: Case, judge: Judge, done: tuple[StageResult, ...] = ()) -> Stages:
        self.resumed_behind.append(done)
        for each in self.script[len(done) :]:
            if isinstance(each, Exception):
                raise each
            yield each


Script = Callable[..., ScriptedDetector]


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Script:
    """Make every check run these stages instead of the real detector."""
    return partial(install_script, monkeypatch)


def install_script(patch: pytest.MonkeyPatch, *stages: StageResult | Exception) -> ScriptedDetector:
    """Until the patch is undone, every check runs these stages."""
    detector = ScriptedDetector(*stages)
    patch.setattr("reviews.provenance.detectors.build", lambda name, options: detector)
    return detector
