"""The part a thing plays: from or to, old or new; of a parameter by its name, of a mention by the words before it."""

import re
from collections.abc import Sequence
from functools import lru_cache

from reviews.provenance.language.base import Language, language_verbs, languages_of, phrases
from reviews.provenance.request.actions import tokens_of
from reviews.provenance.text.fold import fold

# Parts come in pairs: what one takes the other gives.
SOURCE, TARGET, OLD, NEW = "source", "target", "old", "new"
# "Next to Bo" moves nothing: a place beside another is none of these. What "is now 7" is new; what is now somewhere
# may leave from there.
_BESIDE, _FIGURE = "beside", "new_figure"
# What something is changed from is what it was, and what it is changed to is what is new.
_BEFORE, _BEHIND = frozenset({SOURCE, OLD}), frozenset({TARGET, NEW})
# Words in a parameter's name that give it a part; prepositions in a text are in the tables of languages.
_NAMES = {
    SOURCE: frozenset(
        "from source src sender origin departure depart payer debit giver gives start pickup lender seller sells donor"
        " leave merged".split()
    ),
    TARGET: frozenset(
        "to destination dest target recipient recipients receiver payee beneficiary arrival credit assignee into cc bcc"
        " dropoff delivery borrower buyer buys end taker takes gets receiver receives keep keeps kept survivor".split()
    ),
    OLD: frozenset(
        "old current previous former existing original before remove removed present off outgoing retired".split()
    ),
    NEW: frozenset(
        "new updated after future assign assigned replacement substitute put add added incoming installed"
        " inserted".split()
    ),
}
# What is, and what was: the first is the old one beside a new one, and the new one beside the second.
_NOW, _ONCE = frozenset({"current", "present", "actual"}), frozenset({"previous", "former", "prior", "last", "before"})
# What stands for another parameter in a description.
_ITSELF = frozenset({"it", "another", "other"})
# Words between a preposition and the thing it governs: "to the account ending in".
_BETWEEN = re.compile(r"(?:[\w'-]+(?:\s+|$)){0,3}$")
# Characters before a mention in which its preposition stands.
_REACH = 48
# "Give Rob 3 GB", "lend Ann the drill".
_GIVING = re.compile(r"(?:^|\W)(?:give|lend|hand|pass|send|pay|grant|sell|transfer|loan)\s+$")
_GIVEN = re.compile(r" (?:a|an|the|my|his|her|our|their|another|some|\d|[$€£])")
# A preposition governs nothing behind these.
_STOP = re.compile(r"[.,;:!?](?:\s|$)|\n")
# Verbs that put one thing in the place of another.
_REPLACING = ("replace", "swap", "exchange")
# Characters beside a mention in which its part is told where words have no spaces: a noun and the word itself.
_TOUCHING = 4
# With one of them another sentence begins.
_SUBJECTS = frozenset("it he she they we you i".split())
# Words behind a preposition that it governs.
_GOVERNED = 4
# Nothing is left for a verb to act on.
_CLAUSE_ENDS = re.compile(r"\s*(?:[.,;:!?](?:\s|$)|$|\n)")
# A clause ends here, and with it what a preposition governs.
_BREAK = re.compile(r"[.,;:!?]\s|\n|\band\b|\bor\b")


def fits(mention: str, parameter: str) -> int:
    """1 where a thing said in one part is given in the same, -1 where it is given in the opposed one."""
    return 1 if {mention, parameter} <= _BEFORE or {mention, parameter} <= _BEHIND else -1


def names_of_part(part: str) -> frozenset[str]:
    """The words that give a parameter this part, where they stand in its name."""
    return _NAMES[part]


@lru_cache(maxsize=1024)
def part_of_parameter(name: str, description: str, others: tuple[str, ...] = ()) -> str | None:
    """The part that a parameter's name gives its value, else the first words of its description; None for no part.

    `others` are the names of the call's parameters: beside a previous reading the current one is the new one.
    """
    if _NOW.intersection(tokens_of(name)) and any(_ONCE.intersection(tokens_of(other)) for other in others):
        return NEW
    described = tokens_of(" ".join(description.split()[:6]))
    # "The ticket that is merged into it": what is moved is not what it is moved to.
    passive = any(word in _ITSELF and described[n - 1] in _NAMES[TARGET] for n, word in enumerate(described) if n)
    for words in (tokens_of(name), () if passive else described):
        found = [part for part, names in _NAMES.items() if names.intersection(words)]
        # The "new start" is new, whatever begins with it.
        found = [part for part in found if part in (OLD, NEW)] or found
        if len(found) == 1:
            return found[0]
    return SOURCE if passive else None


def part_of_mention(text: str, start: int, end: int | None = None) -> str | None:
    """The part that the nearest preposition or adjective before a mention gives it, in its clause. `text` is folded.

    Without spaces between words it must touch the mention, or its noun, and may stand behind its `end`.
    """
    before = _BREAK.split(text[max(0, start - _REACH) : start])[-1]
    spoken = languages_of(text)
    for language in (each for each in spoken if not each.spaced):
        if part := _part_unspaced(text, start, start if end is None else end, language):
            return part
    if any(_replaces(before, language) for language in spoken if language.spaced):
        return NEW
    for language in (each for each in spoken if each.spaced):
        if written := phrases(language.overwriting).search(before):
            # "Overwrite A with B": B is where it comes from.
            return SOURCE if phrases(language.overwritten_with).search(before, written.end()) else TARGET
    found = [
        # "Next to" ends where its "to" does, and has begun before it.
        (hit.end(), -hit.start(), part)
        for language in spoken
        if language.spaced
        for part, words in (*language.roles.items(), (_BESIDE, language.beside), (_FIGURE, language.new_figures))
        for hit in phrases(words).finditer(before)
        if _BETWEEN.fullmatch(before[hit.end() :].lstrip(" \"'#").rstrip(" (\"'"))
        # "From today it costs 7": another sentence has begun.
        and _SUBJECTS.isdisjoint(before[hit.end() :].split())
        # "To get X into Y": what stands behind "to" is a verb, and X has no part yet.
        and not (part == TARGET and _is_verb(before[hit.end() :].split(), text, language, text[start:end], end))
    ]
    part = max(found)[-1] if found else _part_of_receiver(before, text, end) or _part_of_subject(text, end, spoken)
    if part == _FIGURE:
        return NEW if any(map(str.isdigit, text[start:end])) else None
    return None if part == _BESIDE else part


def _part_of_receiver(before: str, text: str, end: int | None) -> str | None:
    """The part of whoever stands between a verb of giving and what is given: "give Rob 3 GB"."""
    given = end is not None and _GIVING.search(before) and _GIVEN.match(text, end)
    return TARGET if given else None


def _part_of_subject(text: str, end: int | None, spoken: Sequence[Language]) -> str | None:
    """The part that the verb behind a mention gives whoever does it: "Ken takes over", "INV-7 takes the place of"."""
    if end is None:
        return None
    found = (
        part
        for language in spoken
        for part, verbs in language.subjects.items()
        if re.compile(rf"\s+{phrases(verbs).pattern}").match(text, end)
    )
    return next(found, None)


def _is_verb(words: Sequence[str], text: str, language: Language, mention: str, end: int | None) -> bool:
    """Whether the first word behind "to" is a verb; in "from order 5 to order 7" and in "to place 2." it is a noun."""
    numbered = end is not None and len(words) == 1 and any(map(str.isdigit, mention))
    if language_verbs().isdisjoint(words[:1]) or (numbered and _CLAUSE_ENDS.match(text, end or 0)):
        return False
    sources = phrases(language.roles.get(SOURCE, frozenset()))
    return not any(text[hit.end() :].split(maxsplit=1)[:1] == words[:1] for hit in sources.finditer(text))


def _replaces(before: str, language: Language) -> bool:
    """Whether a text ends with what another thing is to be replaced by: "replace F2 with filter"."""
    verbs = frozenset(word for verb in _REPLACING for word in language.verbs.get(verb, ()))
    replaced = phrases(verbs).search(before)
    hits = phrases(language.replaced_by).finditer(before, replaced.end()) if replaced else ()
    return any(_BETWEEN.fullmatch(before[hit.end() :].lstrip(" \"'#").rstrip(" (\"'")) for hit in hits)


def _part_unspaced(text: str, start: int, end: int, language: Language) -> str | None:
    behind = text[end : end + _TOUCHING]
    for part, words in language.roles_behind.items():
        if behind.startswith(tuple(words)):
            return part
    if language.roles_behind:
        # A language that says the part behind a thing says none before it.
        return None
    before = text[max(0, start - _TOUCHING) : start]
    found = [(before.rfind(word), part) for part, words in language.roles.items() for word in words]
    return max(found)[1] if found and max(found)[0] >= 0 else None


@lru_cache(maxsize=256)
def words_in_part(text: str, part: str) -> frozenset[str]:
    """The words of a text that a preposition of this part governs, as it is folded."""
    folded = fold(text)
    found: set[str] = set()
    for language in languages_of(text):
        others = frozenset(word for key, words in language.roles.items() if key != part for word in words)
        for hit in phrases(language.roles.get(part, frozenset())).finditer(folded):
            behind = _STOP.split(folded[hit.end() : hit.end() + _REACH])[0]
            words = re.findall(r"[^\W_]+(?:'s)?", phrases(others).split(behind)[0])
            # "To Ann's brother" names the brother; articles name nothing.
            named = [word for word in words[:_GOVERNED] if word not in language.small and not word.endswith("'s")]
            found.update(named)
    return frozenset(found)
