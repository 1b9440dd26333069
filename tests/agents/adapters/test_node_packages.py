"""The package for the AI SDK around a real agent, and what generators of TypeScript make of the API's document.

Their packages come from a registry: `make test-frameworks` has put them into a folder.
"""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Final
from uuid import uuid4

import pytest

from reviews.agents.client.provenanceguard.conformance import Trial, check_client
from reviews.models import Action, Trace
from tests.agents.adapters.outcomes import check_outcomes
from tests.agents.test_node_client import PACKAGE
from tests.api.docs.test_openapi import document

HERE: Final = Path(__file__).parent
QUICKSTARTS: Final = HERE.parents[2] / "reviews/agents/quickstarts"
FOLDER: Final = os.environ.get("FRAMEWORKS_NODE", "")
"""The folder that holds `node_modules`; the tests are skipped without."""
STRICT: Final = ["--noEmit", "--strict", "--target", "es2022", "--module", "nodenext", "--skipLibCheck"]
USE_OF_DOCUMENT: Final = """
import type { components, operations, paths } from "./schema.js";

const proposal: paths["/api/v1/actions"]["post"]["requestBody"]["content"]["application/json"] = {
  query: "Pay Daniel 30.", tools: [], action: { tool: "pay", arguments: { amount: 30 } },
};
export function amountOf(action: components["schemas"]["Action"]): unknown {
  return action.decision?.outcome === "approve" ? action.arguments["amount"] : proposal;
}
export type Page = operations["events_list"]["responses"]["200"]["content"]["application/json"];
export const placeOf = (page: Page): string => page.cursor;
"""
USE_OF_PACKAGE: Final = """
import { tool, type ToolSet } from "ai";
import { z } from "zod";
import { Guard, NotRunnableError, guardTools } from "./client/index.js";

const pay = tool({ inputSchema: z.object({ amount: z.number() }), execute: async ({ amount }) => `paid ${amount}` });
const tools = guardTools(new Guard("https://guard.example", "key"), { pay }, { traceId: "t", timeout: 1000 });
export const set: ToolSet = tools;
export const name: keyof typeof tools = "pay";
export const idOf = (error: unknown): string => (error instanceof NotRunnableError ? error.actionId : "");
"""

TURNS: Final = 6
# Two pages of 3,500 characters that the calls of a turn returned, their messages, and what is said of the submission.
MAX_BYTES_PER_CALL: Final = 11_000

pytestmark = pytest.mark.skipif(not FOLDER, reason="FRAMEWORKS_NODE names no folder with the packages")


def run(*command: str | Path, cwd: Path) -> str:
    finished = subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd)
    assert finished.returncode == 0, finished.stdout + finished.stderr
    return finished.stdout


@contextmanager
def beside_packages(tmp_path: Path) -> Iterator[Path]:
    """A folder in which the packages are found: they are looked for from where a file lies."""
    (tmp_path / "node_modules").symlink_to(Path(FOLDER) / "node_modules")
    (tmp_path / "package.json").write_text('{"type": "module"}')
    yield tmp_path


@pytest.mark.parametrize("schema", ["zod", "json"])
def test_the_quickstart_runs_what_was_approved_and_tells_the_model_and_the_guard(schema: str, tmp_path: Path) -> None:
    with beside_packages(tmp_path) as folder:
        script = shutil.copy(HERE / "ai_sdk.mjs", folder)
        check_outcomes(json.loads(run("node", script, PACKAGE, schema, QUICKSTARTS / "ai_sdk.mjs", cwd=folder)))


def run_trial(folder: Path, trial: Trial) -> str:
    """The quickstart in a trial of the conformance kit: what the model is told."""
    own = folder / str(uuid4())
    own.mkdir()
    script = shutil.copy(HERE / "ai_sdk.mjs", own)
    options = json.dumps({"url": trial.url, "key": trial.key, "timeout": trial.timeout * 1000})
    command = ["node", script, PACKAGE, "zod", QUICKSTARTS / "ai_sdk.mjs", options]
    with subprocess.Popen(command, cwd=own, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin
        assert process.stdout
        for line in process.stdout:
            said = json.loads(line)
            if "told" in said:
                return str(said["told"])
            print(trial.function(**said["called"]), file=process.stdin, flush=True)
    raise RuntimeError(f"The agent ended with status {process.returncode}.")


@pytest.mark.timeout(600)
def test_the_package_keeps_every_promise_of_the_conformance_kit(running: tuple[str, str], tmp_path: Path) -> None:
    with beside_packages(tmp_path) as folder:
        results = list(check_client(*running, partial(run_trial, folder)))
    assert {result.name: result.observed for result in results if not result.has_held} == {}


def test_of_a_growing_conversation_the_guard_is_sent_what_is_new(running: tuple[str, str], tmp_path: Path) -> None:
    url, key = running
    with beside_packages(tmp_path) as folder:
        script = shutil.copy(HERE / "ai_sdk.mjs", folder)
        options = json.dumps({"url": url, "key": key, "turns": TURNS})
        sent = json.loads(run("node", script, PACKAGE, "zod", QUICKSTARTS / "ai_sdk.mjs", options, cwd=folder))
    # The two calls of the first turn are proposed at once, each with all there is; those behind it are not.
    assert all("continues" in body for body in map(json.loads, sent[2:]))
    assert max(map(len, sent[2:])) < MAX_BYTES_PER_CALL
    assert Action.objects.count() == 2 * TURNS == len(sent)
    assert Trace.objects.values("external_id").distinct().count() == 1


def test_types_generated_from_the_document_compile_and_fit(tmp_path: Path) -> None:
    with beside_packages(tmp_path) as folder:
        (folder / "schema.json").write_text(json.dumps(document(), default=str))
        run("node_modules/.bin/openapi-typescript", "schema.json", "--output", "schema.d.ts", cwd=folder)
        (folder / "use.ts").write_text(USE_OF_DOCUMENT)
        run("node_modules/.bin/tsc", *STRICT, "use.ts", "schema.d.ts", cwd=folder)


def test_the_types_of_the_package_fit_the_sdk(tmp_path: Path) -> None:
    with beside_packages(tmp_path) as folder:
        (folder / "client").symlink_to(PACKAGE)
        (folder / "use.ts").write_text(USE_OF_PACKAGE)
        run("node_modules/.bin/tsc", *STRICT, "use.ts", cwd=folder)
