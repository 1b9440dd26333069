"""The Kubernetes base fits the published schemas and runs what the demonstration runs."""

from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from guardapp import demo, healthcheck
from guardapp.config import Config

BASE = Path(__file__).resolve().parents[2] / "docs" / "kubernetes" / "base"
KUSTOMIZATION: dict[str, Any] = yaml.safe_load((BASE / "kustomization.yaml").read_text())
RESOURCES: list[dict[str, Any]] = [
    document for name in KUSTOMIZATION["resources"] for document in yaml.safe_load_all((BASE / name).read_text())
]
# The oldest release that is still looked after somewhere, and the newest whose schemas are at hand.
VERSIONS = ("1.30", "1.36")
PODS = {
    resource["metadata"]["name"]: resource["spec"]["template"]["spec"]
    for resource in RESOURCES
    if resource["kind"] in ("Deployment", "Job")
}
PROGRAMS = {program.name: program.command for program in demo.demo_programs(port=8000, directory=Path("/tmp"))}


def named(kind: str) -> set[str]:
    return {resource["metadata"]["name"] for resource in RESOURCES if resource["kind"] == kind}


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize(
    "resource", RESOURCES, ids=lambda resource: f"{resource['kind']}-{resource['metadata']['name']}"
)
def test_a_resource_fits_the_schema(resource: dict[str, Any], version: str) -> None:
    kubernetes_validate.validate(resource, version, strict=True)


def test_a_field_that_does_not_exist_is_noticed() -> None:
    wrong = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "x"}, "automount": False}
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(wrong, VERSIONS[-1], strict=True)


def test_every_file_of_the_base_is_used() -> None:
    assert {path.name for path in BASE.iterdir()} == {"kustomization.yaml", *KUSTOMIZATION["resources"]}


def test_every_part_is_deployed() -> None:
    assert named("Deployment") == set(PROGRAMS)
    assert named("PodDisruptionBudget") == set(PROGRAMS) - {"beat"}


@pytest.mark.parametrize("name", ["worker-checks", "worker-default", "beat"])
def test_a_pod_runs_what_the_demonstration_runs(name: str) -> None:
    (container,) = PODS[name]["containers"]
    _, _, *command = PROGRAMS[name]
    assert container["command"] == command


@pytest.mark.parametrize("name", PODS)
def test_a_pod_is_bounded_and_may_nothing(name: str) -> None:
    (container,) = PODS[name]["containers"]
    security = container["securityContext"]
    assert PODS[name]["securityContext"]["runAsNonRoot"]
    assert security["readOnlyRootFilesystem"]
    assert not security["allowPrivilegeEscalation"]
    assert security["capabilities"] == {"drop": ["ALL"]}
    assert container["resources"]["limits"]["memory"]


@pytest.mark.parametrize("name", sorted(set(PODS) - {"migrate"}))
def test_a_pod_is_looked_after(name: str) -> None:
    (container,) = PODS[name]["containers"]
    *python, _ = command = container["livenessProbe"]["exec"]["command"]
    part = name.removeprefix("worker-")
    assert command == ["python", "-m", "guardapp.healthcheck"] or (python[-1], command[-1]) == (
        "guardapp.healthcheck",
        part,
    )
    assert part in healthcheck.PARTS


@pytest.mark.parametrize("name", sorted(set(PODS) - {"migrate", "beat"}))
def test_a_pod_begins_behind_the_migrations(name: str) -> None:
    (waiting,) = PODS[name]["initContainers"]
    (container,) = PODS[name]["containers"]
    assert "migrate --check" in waiting["command"][-1]
    assert all(waiting[field] == container[field] for field in ("image", "envFrom", "securityContext"))


def test_the_configuration_names_variables_that_exist() -> None:
    (generator,) = KUSTOMIZATION["configMapGenerator"]
    assert {literal.partition("=")[0].lower() for literal in generator["literals"]} <= set(Config.model_fields)


@pytest.mark.parametrize("name", ["web", "worker-default"])
def test_who_writes_and_reads_files_shares_their_folder(name: str) -> None:
    (container,) = PODS[name]["containers"]
    (mounted,) = [mount for mount in container["volumeMounts"] if mount["name"] == "files"]
    (settings,) = KUSTOMIZATION["configMapGenerator"]
    assert f"FILES_FOLDER={mounted['mountPath']}" in settings["literals"]
    assert {"name": "files", "persistentVolumeClaim": {"claimName": "files"}} in PODS[name]["volumes"]
    assert named("PersistentVolumeClaim") == {"files"}
