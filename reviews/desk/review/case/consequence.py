"""What approving would do, for the head of the page and the approve button."""

from dataclasses import dataclass

from reviews.desk.text.gist import word_deed, word_gist
from reviews.models import Action, CheckMode, Finding
from reviews.profiles.options import severity_under
from reviews.provenance.core.context import ToolDoc
from reviews.provenance.detectors.severity import Severity, says_it_is_final


@dataclass(frozen=True)
class Consequence:
    """How serious the call is, and its gist."""

    changes_something: bool
    """Environment-changing. True for a tool nobody documents."""
    cannot_be_undone: bool
    """The tool's document says so."""
    severity: Severity | None
    """Why the call is grave; None for a mild one."""
    is_injected: bool
    """What stopped it is an order that stands in data."""
    deed: str
    """What the button that approves says will be done, such as `send $30 to daniel.k@example.org`."""

    @property
    def grave(self) -> bool:
        """Whether the page looks different from that of a harmless call, and asks twice before it approves."""
        return self.cannot_be_undone or self.severity is not None or self.is_injected


def find_document(action: Action) -> ToolDoc | None:
    """The tool's document, as the agent submitted it; None for a tool that it does not have."""
    documents = (ToolDoc(**stored) for stored in action.tool_set.tools if stored["name"] == action.tool)
    return next(documents, None)


def is_injected(action: Action) -> bool:
    """Whether a check found that an order in data gave the call a value."""
    injected = Finding.objects.filter(holds=False, untrusted_only=True)
    return injected.filter(check_run__action=action, check_run__mode=CheckMode.ENFORCED).exists()


def weigh_consequence(action: Action, document: ToolDoc | None, *, injected: bool = False) -> Consequence:
    """What approving this action would do. `injected`: an order that stands in data stopped it."""
    final, severity = says_it_is_final(document), severity_under(action.profile, action)
    grave = final or severity is not None
    return Consequence(
        changes_something=document is None or document.environment_changing,
        cannot_be_undone=final,
        severity=severity,
        is_injected=injected,
        deed=word_deed(action.tool, action.arguments) if grave else f"run {word_gist(action.tool, action.arguments)}",
    )
