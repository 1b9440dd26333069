"""What agents did: every action, one action, what was drawn for audit, a conversation, an agent."""

from http import HTTPStatus
from typing import Final
from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from reviews import access
from reviews.decisions import call_audits
from reviews.desk.actions import agent_figures, page, search, timeline
from reviews.desk.actions.filters import DECIDERS, LABELS, OUTCOMES, RISKS, TYPES, WENT, ActionFilters
from reviews.desk.actions.forms import JudgementForm
from reviews.desk.actions.rows import row_of_action, row_of_audit
from reviews.desk.addresses import Choice, name_options
from reviews.desk.membership import MemberRequest, member_page
from reviews.desk.review.page import open_casefile
from reviews.desk.review.views import read_positions, render_unfolded
from reviews.errors import UndecidedError, found
from reviews.models import Action, Membership, Role, SavedPage
from reviews.queue import saved_views
from reviews.records import w3c_prov

# Names that a list of choices offers at most: nobody reads through more.
MAX_OPTIONS: Final = 200
# Calls of the audit queue that its page lists; the rest come as these are judged.
MAX_AUDITED: Final = 25


@require_safe
@never_cache
@member_page
def action_list(request: MemberRequest) -> HttpResponse:
    """Every action, newest first."""
    access.require(request.membership, access.Permission.VIEW)
    filters = ActionFilters.of(request.GET)
    listed = search.find_actions(request.membership, filters)
    context = {
        "listed": listed,
        "rows": [row_of_action(action) for action in listed.actions],
        "filters": filters,
        "further": filters.within(after=listed.next_cursor) if listed.next_cursor else "",
        "newest": filters.within(after=""),
        "may_curate": access.can(request.membership, access.Permission.ADMINISTER),
        "choices": _list_choices(request.membership, filters),
        "views": list(saved_views.views_of(request.membership, SavedPage.ACTIONS)),
        "view_page": SavedPage.ACTIONS,
        "view_query": filters.within(after="").removeprefix("?"),
    }
    part = "actions/list.html#panel" if request.htmx else "actions/list.html"
    return render(request, part, context)


def _list_choices(membership: Membership, filters: ActionFilters) -> list[Choice]:
    agents = access.agents_for(membership).order_by("name").values_list("name", flat=True)[:MAX_OPTIONS]
    people = access.members_for(membership).exclude(role=Role.ANNOTATOR).order_by("user__username")
    names = people.values_list("user__username", flat=True)[:MAX_OPTIONS]
    return [
        Choice("agent", "Agent", "Any agent", name_options(agents, filters.agent), filters.agent),
        Choice("went", "Went", "Anywhere", WENT.items(), filters.went),
        Choice("outcome", "Outcome", "Any outcome", OUTCOMES.items(), filters.outcome),
        Choice("by", "Decided by", "Anybody", DECIDERS.items(), filters.by),
        Choice("person", "Person", "Any person", name_options(names, filters.person), filters.person),
        Choice("type", "Objection", "Any or none", TYPES.items(), filters.type),
        Choice("risk", "Risk", "Any risk", RISKS.items(), filters.risk),
        Choice("label", "Label", "Any or none", LABELS.items(), filters.label),
    ]


@require_safe
@never_cache
@member_page
def action_page(request: MemberRequest, action_id: UUID) -> HttpResponse:
    """One action as its reviewer saw it, or would have, to be read and judged."""
    return _render_action(request, page.find_action(request, action_id))


@require_safe
@never_cache
@member_page
def unfold_source(request: MemberRequest, action_id: UUID) -> HttpResponse:
    """The next chunk of a text that the page folded."""
    action = page.find_action(request, action_id)
    stretch = read_positions(request)
    file = open_casefile(page.review_of(action), page.checks_of(request, action))
    return render_unfolded(request, file, stretch, {"unfold_at": reverse("action-source", args=[action.pk])})


@require_safe
@never_cache
@member_page
def download_provenance(request: MemberRequest, action_id: UUID) -> HttpResponse:
    """The action's record as W3C PROV-JSON, to be kept as a file."""
    action = page.find_action(request, action_id)
    # An attachment, so that no browser displays it: half of it is what an agent wrote.
    headers = {"Content-Disposition": f'attachment; filename="provenance-{action.pk}.json"'}
    return HttpResponse(w3c_prov.prov_json(action), content_type=w3c_prov.MEDIA_TYPE, headers=headers)


@require_POST
@member_page
def judge_action(request: MemberRequest, action_id: UUID) -> HttpResponse:
    """Say that a settled call was right or wrong; in the audit queue the next one opens."""
    action = page.find_action(request, action_id)
    findings = page.findings_of(page.checks_of(request, action))
    form = JudgementForm(request.POST, findings=findings)
    if not form.is_valid():
        return _render_action(request, action, form, status=HTTPStatus.UNPROCESSABLE_ENTITY)
    try:
        label = call_audits.judge_audit(action=action, membership=request.membership, **form.judgement())
    except UndecidedError as error:
        messages.error(request, str(error))
        return redirect("action", action.pk)
    messages.success(request, "Labelled as right" if label.aligned else "Labelled as wrong")
    if "audit" not in request.GET:
        return redirect("action", action.pk)
    # Behind the one that was judged, so that what was skipped does not come again at once.
    judged = access.decisions_for(request.membership).filter(action=action, audit_probability__isnull=False).first()
    following = call_audits.next_to_audit(request.membership, judged)
    return redirect(reverse("action", args=[following.action_id]) + "?audit=1") if following else redirect("audit")


@require_safe
@never_cache
@member_page
def audit_queue(request: MemberRequest) -> HttpResponse:
    """The calls that were drawn for audit and nobody has judged, the earliest first."""
    access.require(request.membership, access.Permission.VIEW)
    waiting = call_audits.to_audit(request.membership)
    listed = list(waiting[:MAX_AUDITED])
    count = waiting.order_by()[: search.WINDOW + 1].count() if len(listed) == MAX_AUDITED else len(listed)
    context = {
        "rows": [row_of_audit(decision) for decision in listed],
        "count": f"{search.WINDOW:,}+" if count > search.WINDOW else f"{count:,}",
    }
    return render(request, "actions/audit.html", context)


@require_safe
@never_cache
@member_page
def trace_page(request: MemberRequest, trace_id: UUID) -> HttpResponse:
    """A conversation as a timeline."""
    access.require(request.membership, access.Permission.VIEW)
    trace = found(access.traces_for(request.membership).filter(pk=trace_id).first(), "conversation")
    number = request.GET.get("page", "")
    if number and not (number.isdecimal() and len(number) <= timeline.PAGE_DIGITS):
        raise Http404("The page of a conversation is a number.")
    return render(request, "actions/trace.html", timeline.context_of(request.membership, trace, int(number or 1)))


@require_safe
@never_cache
@member_page
def agent_page(request: MemberRequest, agent_id: UUID) -> HttpResponse:
    """An agent: its keys, how much it does, how much of that stops, and its latest calls."""
    access.require(request.membership, access.Permission.VIEW)
    agent = found(access.agents_for(request.membership).filter(pk=agent_id).first(), "agent")
    figures = agent_figures.figures_of(request.membership, agent)
    keys = access.agent_keys_for(request.membership).filter(agent=agent).order_by("revoked_at", "-created_at")
    context = {
        "agent": agent,
        "figures": figures,
        "keys": keys[:MAX_OPTIONS],
        "rows": [row_of_action(action) for action in figures.latest],
    }
    return render(request, "actions/agent.html", context)


def _render_action(
    request: MemberRequest, action: Action, form: JudgementForm | None = None, *, status: int = HTTPStatus.OK
) -> HttpResponse:
    context = page.context_of(request, action, form)
    if "audit" in request.GET:
        drawn = access.decisions_for(request.membership).filter(action=action, audit_probability__isnull=False).first()
        following = call_audits.next_to_audit(request.membership, drawn)
        context |= {"auditing": True, "drawn": drawn, "next_audit": following}
    return render(request, "actions/action.html", context, status=status)
