"""Who may see datasets, campaigns and annotations."""

from django.db.models import QuerySet

from reviews.access.roles import Permission, Principal, can, require, require_curator
from reviews.models import (
    Action,
    AgentKey,
    Annotation,
    Annotator,
    Campaign,
    Dataset,
    DatasetVersion,
    Experiment,
    ExportJob,
    ImportJob,
    Membership,
)


def datasets_for(principal: Principal) -> QuerySet[Dataset]:
    """Every dataset of the workspace, for those who run campaigns and for keys that may read all labels or manage them.

    No other key has any: a dataset holds calls of many agents.
    """
    datasets = Dataset.objects.filter(workspace=principal.workspace_id)
    if isinstance(principal, AgentKey):
        return datasets if _reads_ground_truth(principal) else datasets.none()
    require(principal, Permission.ADMINISTER)
    return datasets


def dataset_versions_for(principal: Principal) -> QuerySet[DatasetVersion]:
    """Every version of the datasets that the principal may see, with its dataset and parent."""
    return DatasetVersion.objects.filter(dataset__in=datasets_for(principal)).select_related("dataset", "parent")


def judged_actions_for(principal: Principal) -> QuerySet[Action]:
    """Every action of the workspace, whichever agent's, for who may make ground truth of it.

    Raises `ForbiddenError` for anybody else.
    """
    require_curator(principal)
    return Action.objects.filter(workspace=principal.workspace_id).select_related("trace")


def import_jobs_for(principal: Principal) -> QuerySet[ImportJob]:
    """Every import into datasets that the principal may see."""
    return ImportJob.objects.filter(dataset__in=datasets_for(principal)).select_related("dataset")


def experiments_for(principal: Principal) -> QuerySet[Experiment]:
    """Every experiment of the workspace, for those who see its datasets: recorded calls are of many agents, too."""
    if isinstance(principal, AgentKey):
        if not _reads_ground_truth(principal):
            return Experiment.objects.none()
    else:
        require(principal, Permission.ADMINISTER)
    return Experiment.objects.filter(workspace=principal.workspace_id).select_related("version__dataset")


def export_jobs_for(principal: Principal) -> QuerySet[ExportJob]:
    """Every export of a version that the principal may see."""
    jobs = ExportJob.objects.filter(version__dataset__in=datasets_for(principal))
    return jobs.select_related("version__dataset")


def campaigns_for(principal: Principal) -> QuerySet[Campaign]:
    """For administrators every campaign of the workspace; for annotators those they take part in; none for others.

    For keys every one or none, as with datasets.
    """
    campaigns = Campaign.objects.filter(workspace=principal.workspace_id).select_related("dataset")
    if isinstance(principal, AgentKey):
        return campaigns if _reads_ground_truth(principal) else campaigns.none()
    if can(principal, Permission.ADMINISTER):
        return campaigns
    if not can(principal, Permission.ANNOTATE):
        return campaigns.none()
    return campaigns.filter(annotators__user=principal.user_id)


def _reads_ground_truth(agent_key: AgentKey) -> bool:
    return agent_key.reads_all_labels or agent_key.manages_ground_truth


def annotators_for(membership: Membership) -> QuerySet[Annotator]:
    """The member's own part in campaigns: what may be answered in their name, and nobody else's."""
    require(membership, Permission.ANNOTATE)
    mine = Annotator.objects.filter(user=membership.user_id, campaign__workspace=membership.workspace_id)
    return mine.select_related("campaign")


def annotations_for(membership: Membership) -> QuerySet[Annotation]:
    """For administrators every annotation of the workspace; for annotators their own; none for others."""
    annotations = Annotation.objects.filter(campaign__workspace=membership.workspace_id)
    if can(membership, Permission.ADMINISTER):
        return annotations
    return annotations.filter(annotator__user=membership.user_id)
