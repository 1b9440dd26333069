"""Addresses of the API, below /api/v1/."""

from django.urls import path

from reviews.api.docs import openapi  # noqa: F401  # registers what the OpenAPI document needs
from reviews.api.docs.views import SchemaView, docs_page
from reviews.api.views.actions import ActionsView, ActionView, CancelView, UserConfirmationView
from reviews.api.views.campaigns import AdjudicationView, AgreementView, CampaignsView, CampaignView, DisputesView
from reviews.api.views.datasets import (
    DatasetsView,
    DatasetView,
    DifferenceView,
    ExportFileView,
    ExportsView,
    ExportView,
    ItemsView,
    VersionView,
)
from reviews.api.views.events import EventsView
from reviews.api.views.executions import ExecutionView, OutcomeView
from reviews.api.views.experiments import ExperimentResultsView, ExperimentsView, ExperimentView
from reviews.api.views.imports import ImportsView, ImportView
from reviews.api.views.labels import LabelsView
from reviews.api.views.me import MeView
from reviews.api.views.plans import PlansView, PlanView
from reviews.api.views.provenance import ProvenanceView

app_name = "api"

urlpatterns = [
    path("events", EventsView.as_view(), name="events"),
    path("me", MeView.as_view(), name="me"),
    path("actions", ActionsView.as_view(), name="actions"),
    path("actions/<uuid:action_id>", ActionView.as_view(), name="action"),
    path("actions/<uuid:action_id>/execution", ExecutionView.as_view(), name="execution"),
    path("actions/<uuid:action_id>/execution/outcome", OutcomeView.as_view(), name="outcome"),
    path("actions/<uuid:action_id>/provenance", ProvenanceView.as_view(), name="provenance"),
    path("actions/<uuid:action_id>/user-confirmation", UserConfirmationView.as_view(), name="user-confirmation"),
    path("actions/<uuid:action_id>/cancel", CancelView.as_view(), name="cancel"),
    path("plans", PlansView.as_view(), name="plans"),
    path("plans/<uuid:plan_id>", PlanView.as_view(), name="plan"),
    path("datasets", DatasetsView.as_view(), name="datasets"),
    path("datasets/<uuid:dataset_id>", DatasetView.as_view(), name="dataset"),
    path("datasets/<uuid:dataset_id>/items", ItemsView.as_view(), name="dataset-items"),
    path("datasets/<uuid:dataset_id>/imports", ImportsView.as_view(), name="dataset-imports"),
    path("datasets/<uuid:dataset_id>/versions/<int:number>", VersionView.as_view(), name="dataset-version"),
    path("datasets/<uuid:dataset_id>/versions/<int:number>/diff", DifferenceView.as_view(), name="dataset-diff"),
    path("datasets/<uuid:dataset_id>/versions/<int:number>/exports", ExportsView.as_view(), name="dataset-exports"),
    path("imports/<uuid:import_id>", ImportView.as_view(), name="import"),
    path("campaigns", CampaignsView.as_view(), name="campaigns"),
    path("campaigns/<uuid:campaign_id>", CampaignView.as_view(), name="campaign"),
    path("campaigns/<uuid:campaign_id>/agreement", AgreementView.as_view(), name="campaign-agreement"),
    path("campaigns/<uuid:campaign_id>/disputes", DisputesView.as_view(), name="campaign-disputes"),
    path(
        "campaigns/<uuid:campaign_id>/items/<uuid:item_id>/adjudication",
        AdjudicationView.as_view(),
        name="campaign-adjudication",
    ),
    path("experiments", ExperimentsView.as_view(), name="experiments"),
    path("experiments/<uuid:experiment_id>", ExperimentView.as_view(), name="experiment"),
    path("experiments/<uuid:experiment_id>/results", ExperimentResultsView.as_view(), name="experiment-results"),
    path("exports/<uuid:export_id>", ExportView.as_view(), name="export"),
    path("exports/<uuid:export_id>/file", ExportFileView.as_view(), name="export-file"),
    path("labels.jsonl", LabelsView.as_view(), name="labels"),
    path("schema/", SchemaView.as_view(), name="schema"),
    path("docs/", docs_page, name="docs"),
]
