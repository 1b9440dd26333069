"""The containers' health checks notice a part that lives and does nothing."""

import os
import time
from pathlib import Path

import pytest

from guardapp import beat_liveness, healthcheck


@pytest.fixture
def sign(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    sign = tmp_path / "beat"
    monkeypatch.setattr(beat_liveness, "BEAT_SIGN", sign)
    return sign


def test_a_beat_that_sent_something_lately_is_well(sign: Path) -> None:
    sign.touch()
    healthcheck.check_beat()


def test_a_beat_that_never_sent_anything_is_not(sign: Path) -> None:
    with pytest.raises(healthcheck.UnhealthyError):
        healthcheck.check_beat()


def test_a_beat_that_stands_still_is_not(sign: Path) -> None:
    sign.touch()
    long_ago = time.time() - healthcheck.BEAT_SECONDS - 1
    os.utime(sign, (long_ago, long_ago))
    with pytest.raises(healthcheck.UnhealthyError):
        healthcheck.check_beat()


@pytest.mark.parametrize("part", healthcheck.PARTS)
def test_a_part_that_is_not_there_ends_the_check_with_a_message(
    part: str, monkeypatch: pytest.MonkeyPatch, sign: Path
) -> None:
    monkeypatch.setattr("sys.argv", ["healthcheck", part])
    monkeypatch.setattr(healthcheck, "ADDRESS", "http://127.0.0.1:9/healthz")
    monkeypatch.setattr(
        healthcheck, "_ping_worker", lambda _: (_ for _ in ()).throw(healthcheck.UnhealthyError("none"))
    )
    with pytest.raises(SystemExit, match=part):
        healthcheck.main()


def test_a_part_of_another_name_is_named_with_those_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["healthcheck", "worker"])
    with pytest.raises(SystemExit, match="no part “worker”, but there are web, checks, default, beat"):
        healthcheck.main()
