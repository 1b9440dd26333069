from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path

from reviews.evaluation.benchmarks.base import LabelledCase
from reviews.evaluation.runs.shared_folder import ResultsFolder
from tests.evaluation.made import ALIGNED, STOPPED, case, judged


def claims(path: Path, case_id: str) -> bool:
    with ResultsFolder(path).claim_case(replace(case(), id=case_id)) as ours:
        return ours


def another_process_claims(folder: ResultsFolder, claimed: LabelledCase) -> bool:
    # A process may lock again what it has locked itself: only another one can tell. Forked, it has imported everything.
    with ProcessPoolExecutor(1, mp_context=get_context("fork")) as other:
        return other.submit(claims, folder.path, claimed.id).result()


def test_a_case_belongs_to_one_process_at_a_time(tmp_path: Path) -> None:
    folder, ours = ResultsFolder(tmp_path), case()
    with folder.claim_case(ours) as got:
        assert got
        assert not another_process_claims(folder, ours)
        assert another_process_claims(folder, case())
    assert another_process_claims(folder, ours)


def test_what_was_kept_is_read_by_detector(tmp_path: Path) -> None:
    folder, one = ResultsFolder(tmp_path), case()
    folder.append_result("strict", judged(one, STOPPED))
    folder.append_result("lenient", judged(one, ALIGNED))
    assert folder.read_results("strict") == {one.key: judged(one, STOPPED)}


def test_nothing_is_known_at_first(tmp_path: Path) -> None:
    assert not ResultsFolder(tmp_path).read_results("strict")


def test_what_a_killed_process_left_half_written_spoils_nothing(tmp_path: Path) -> None:
    folder, one, other = ResultsFolder(tmp_path), case(), replace(case(), id="other")
    folder.append_result("strict", judged(one, STOPPED))
    (file,) = tmp_path.glob("strict*")
    with file.open("a") as lines:
        lines.write(file.read_text()[:-5])
    folder.append_result("strict", judged(other, ALIGNED))
    assert folder.read_results("strict") == {one.key: judged(one, STOPPED), other.key: judged(other, ALIGNED)}
