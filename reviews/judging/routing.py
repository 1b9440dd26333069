"""Different judges for different questions."""

from collections.abc import Mapping

from reviews.provenance.judges.base import A, Judge, Question, Reply


class Routing:
    """Asks each question of the judge named for it, else of the default."""

    def __init__(self, default: Judge, judges: Mapping[str, Judge]) -> None:
        """`judges` maps the name of a question to who answers it."""
        self._default = default
        self._judges = dict(judges)
        elsewhere = sorted(
            f"{question}: {judge.name}" for question, judge in self._judges.items() if judge.name != default.name
        )
        self.name = f"{default.name} ({', '.join(elsewhere)})" if elsewhere else default.name
        """The default's name, then each question that goes elsewhere: `small (support: large)`."""

    async def ask(self, question: Question[A]) -> Reply[A]:
        """That judge's answer. Raises what it raises."""
        return await self._judges.get(question.name, self._default).ask(question)
