"""Languages are data: every file fills every table, and says the same kinds of action and thing."""

import pytest

from reviews.provenance.core.context import ToolDoc
from reviews.provenance.judges.questions.provenance_guard import Relevance
from reviews.provenance.judges.rules import relevance
from reviews.provenance.language.base import Language, languages, languages_of
from reviews.provenance.request.asked_for import match
from reviews.provenance.request.dialogue import agreement
from reviews.provenance.text.fold import fold

EVERY = [pytest.param(language, id=language.code) for language in languages()]
SHARED = frozenset.intersection(*(frozenset(language.verbs) for language in languages()))
CANCEL = ToolDoc("cancel_event", "Cancels an event.")
FORWARD = ToolDoc("forward_email", "Forwards an email.")
TOOLS = (CANCEL, FORWARD)


def test_the_languages_are_those_that_are_promised() -> None:
    assert [language.code for language in languages()] == ["en", "de", "es", "fr", "it", "ja", "nl", "pt", "zh"]


@pytest.mark.parametrize("language", EVERY)
def test_every_table_is_filled(language: Language) -> None:
    lists = (
        "function",
        "negations",
        "exclusions",
        "small",
        "conjunctions",
        "agreements",
        "reservations",
        "corrections",
    )
    assert all(getattr(language, name) for name in (*lists, "reading", "commands", "light", "fresh", "wholes"))
    assert all(
        getattr(language, name) for name in ("exceptions", "all", "last_month", "last_year", "halves", "doubles")
    )
    assert set(language.columns) | {"named"} == set(language.least) == set(language.greatest)
    assert set(language.dayparts) == {"morning", "midday", "afternoon", "evening", "night"}
    assert set(language.list_ends) == {"1", "-1", "-2"}
    assert all(words for table in (language.least, language.greatest, language.columns) for words in table.values())
    assert set(language.ordinals) == {"1", "2", "3", "4", "5", "-1"}
    assert set(language.roles) == {"source", "target", "old", "new"}
    assert all(language.verbs.values())
    assert all(language.things.values())


@pytest.mark.parametrize("language", EVERY)
def test_every_language_knows_the_kinds_of_action_and_thing_that_english_has(language: Language) -> None:
    english = languages()[0]
    assert set(language.verbs) <= set(english.verbs)
    assert set(language.things) == set(english.things)
    assert len(SHARED) >= 60


@pytest.mark.parametrize("language", EVERY)
def test_every_word_is_as_it_is_compared(language: Language) -> None:
    words = [
        *language.function,
        *(word for table in (language.verbs, language.things) for each in table.values() for word in each),
    ]
    assert all(word == fold(word) and word.strip() == word for word in words)


ASKED = [
    ("de", "Bitte sag den Termin mit Frau Weber am Montag ab.", "Leite die E-Mail von Jana bitte an Ole weiter."),
    ("fr", "Annule la réunion de lundi avec Mme Petit.", "Peux-tu transférer le courriel de Zoé à Luc ?"),
    ("es", "Cancela la reunión del lunes con la señora Ruiz.", "Reenvía el correo de Inés a Pablo, por favor."),
    ("pt", "Cancele a reunião de segunda com o João.", "Encaminhe o e-mail da Inês para o Rui, por favor."),
    ("it", "Annulla la riunione di lunedì con la signora Riva.", "Inoltra la mail di Anna a Marco, per favore."),
    ("nl", "Zeg de afspraak van maandag met Jan af.", "Stuur het bericht van Sanne door naar Piet."),
    ("ja", "月曜日の会議をキャンセルしてください。", "田中さんのメールを佐藤さんに転送してください。"),
    ("zh", "请取消我周一的会议。", "请把小王的邮件转发给小李。"),
]


@pytest.mark.parametrize(("code", "cancel", "forward"), ASKED)
def test_a_request_in_any_language_asks_for_its_tool_and_no_other(code: str, cancel: str, forward: str) -> None:
    assert code in [language.code for language in languages_of(cancel)]
    assert (match(CANCEL, (cancel,)) is not None, match(CANCEL, (forward,)) is not None) == (True, False)
    assert (match(FORWARD, (forward,)) is not None, match(FORWARD, (cancel,)) is not None) == (True, False)


@pytest.mark.parametrize(
    "request_",
    [
        "Bitte sag den Termin am Montag nicht ab.",
        "N'annule pas la réunion de lundi.",
        "No canceles la reunión del lunes.",
        "月曜日の会議をキャンセルしないでください。",
        "请不要取消我周一的会议。",
    ],
)
def test_what_is_denied_is_not_asked_for(request_: str) -> None:
    assert match(CANCEL, (request_,)) is None


@pytest.mark.parametrize(
    ("answer", "agrees"),
    [
        ("Ja, bitte", True),
        ("Oui, d'accord", True),
        ("Sí, adelante", True),
        ("はい、お願いします", True),
        ("好的", True),
    ],
)
def test_an_answer_in_any_language_agrees(answer: str, *, agrees: bool) -> None:
    assert agreement(answer) is agrees


@pytest.mark.parametrize(
    "request_", ["Haz lo de siempre con la colmena", "Imker mal bitte die Bienen", "Brumfla la quendo"]
)
def test_words_that_no_table_knows_leave_relevance_unknown(request_: str) -> None:
    assert relevance(Relevance(CANCEL, None, (request_,), TOOLS)) is None


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("fr", "Commande vingt-deux chaises"),
        ("es", "Pide ocho pizzas, perdón, nueve"),
        ("it", "Sposta 12 bottiglie dallo scaffale S4"),
        ("de", "Bestelle 2,5 Kilo Mehl und 12 Eier"),
        ("pt", "Muda a entrega para 15 de março"),
        ("zh", "取消王芳的订单"),
        ("en", "Cancel reservation RX-7"),
    ],
)
def test_a_few_words_tell_their_language(code: str, text: str) -> None:
    assert [language.code for language in languages_of(text)] == [code]
