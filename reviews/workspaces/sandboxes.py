"""The sandbox of a workspace: where its test keys propose calls that count nowhere."""

from uuid import uuid4

from django.db import transaction

from reviews.models import GuardProfile, Workspace


@transaction.atomic
def get_or_create_sandbox(workspace: Workspace) -> Workspace:
    """The workspace's sandbox, made with the first test key. It has no members, and its profile no detectors."""
    # Locked: two first test keys at once would otherwise each make one.
    Workspace.objects.select_for_update(no_key=True).get(pk=workspace.pk)
    sandbox, is_new = Workspace.objects.get_or_create(
        sandbox_of=workspace,
        # Nobody types it, and no workspace that is made later may find it taken.
        defaults={"name": f"{workspace.name} (tests)"[:120], "slug": f"sandbox-{uuid4().hex}"},
    )
    if is_new:
        GuardProfile.objects.create(workspace=sandbox, version=1, detectors=[])
    return sandbox
