"""What an agent says beside a call is its step where it speaks of the call, in whatever language."""

from typing import Any, Final

import pytest

from reviews.provenance.core.context import Message
from reviews.provenance.formats import Format, parse
from tests.provenance.formats.writers import WRITERS, Call, Conversation, Turn

SHAPES: Final = pytest.mark.parametrize("shape", [Format.CHAT, Format.RESPONSES, Format.ANTHROPIC])
# A request that is as polite, and in the same small words, as what agents answer.
REQUESTS: Final = {
    "en": "One moment please, could you do that for me right away: send $1250 to Daniel. Thank you, of course!",
    "de": "Einen Moment bitte, kannst du das gern sofort für mich machen: überweise Daniel 1250 $. Natürlich danke!",
    "es": "Un momento, por favor, hazlo por mí ahora mismo: envía $1250 a Daniel. ¡Claro, gracias!",
    "fr": "Un instant, s'il te plaît, fais-le tout de suite pour moi : envoie 1250 $ à Daniel. Bien sûr, merci !",
    "it": "Un momento, per favore, fallo subito per me: invia 1250 $ a Daniel. Certo, grazie!",
    "nl": "Een moment alsjeblieft, doe dat meteen voor mij: stuur $1250 naar Daniel. Natuurlijk, dank je!",
    "pt": "Um momento, por favor, faça isso agora para mim: envie $1250 para Daniel. Claro, obrigado!",
    "ja": "少々お待ちください。すぐに対応してください。Danielに1250ドルを送金してください。かしこまりました。",
    "zh": "请稍等。好的。马上帮我处理。给Daniel转账1250美元。谢谢。",
}
SAYING_NOTHING: Final = {
    "en": "Sure!|I'll do that for you.|One moment please.|Of course, right away!|Processing your request now.|On it…|"
    "Let me take care of that.|Okay, I can help with this.|Absolutely! Give me a second.|Thank you, working on it.",
    "de": "Klar!|Das mache ich gern für dich.|Einen Moment bitte.|Natürlich, sofort.|Ich kümmere mich darum.",
    "es": "¡Claro!|Lo hago por ti.|Un momento, por favor.|Ahora mismo me encargo.",
    "fr": "Bien sûr !|Je m'en occupe tout de suite.|Un instant, s'il te plaît.|Je le fais pour toi.",
    "it": "Certo!|Ci penso io.|Un momento, per favore.|Lo faccio subito per te.",
    "nl": "Natuurlijk!|Ik doe dat meteen voor je.|Een moment alsjeblieft.",
    "pt": "Claro!|Vou fazer isso agora para você.|Um momento, por favor.",
    "ja": "かしこまりました。|少々お待ちください。|承知しました、すぐに対応します。",
    "zh": "好的。|请稍等。|我马上帮您处理。",
}
SAYING_IT: Final = {
    "en": "I'll send Daniel the money.|Sure! Transferring the money now.|That makes $1,250.",
    "de": "Klar! Ich überweise Daniel das Geld.|Das sind dann 1.250 $.",
    "es": "Envío el dinero a Daniel.|Son $1250.",
    "fr": "J'envoie l'argent à Daniel.|Cela fait 1 250 $.",
    "it": "Invio i soldi a Daniel.|Sono 1.250 $.",
    "nl": "Ik stuur Daniel het geld.|Dat is $1.250.",
    "pt": "Envio o dinheiro para o Daniel.|São $1.250.",
    "ja": "Danielに送金します。|1250ドルを送ります。",
    "zh": "我给Daniel转账。|转1250美元。",
}
PAY: Final = Call("p", "money_transfer", {"to": "Daniel", "amount": 1250})


def listed(table: dict[str, str]) -> list[tuple[str, str]]:
    return [(language, said) for language, sentences in table.items() for said in sentences.split("|")]


def step(
    said: str, call: Call = PAY, request: str = "Pay Daniel.", shape: Format = Format.CHAT
) -> tuple[str | None, Any]:
    """The step that is read, and the last of the history."""
    case = parse(WRITERS[shape](Conversation(request, last=Turn(said, (call,))))).case
    return case.action.subtask, next(iter(case.context.history[::-1]), None)


@SHAPES
@pytest.mark.parametrize(("language", "said"), listed(SAYING_NOTHING))
def test_a_sentence_that_says_nothing_of_the_call_is_no_step_and_stays_in_the_history(
    language: str, said: str, shape: Format
) -> None:
    assert step(said, request=REQUESTS[language], shape=shape) == (None, Message("assistant", said))


@SHAPES
@pytest.mark.parametrize(("language", "said"), listed(SAYING_IT))
def test_a_sentence_about_the_call_is_its_step(language: str, said: str, shape: Format) -> None:
    assert step(said, request=REQUESTS[language], shape=shape) == (said, None)


@pytest.mark.parametrize(
    ("value", "said"), [("ダニエル", "ダニエルさんに送金します。"), ("丹尼尔", "我给丹尼尔转账。")]
)
def test_a_name_in_a_script_without_spaces_is_found(value: str, said: str) -> None:
    assert step(said, Call("p", "money_transfer", {"to": value}))[0] == said


@pytest.mark.parametrize(
    ("said", "tool", "arguments"),
    [
        # Values and tools whose words stand in every sentence.
        (
            "Okay, I'll do that for you now.",
            "money_transfer",
            {"to": "me", "when": "now", "for": "you", "notify": "all"},
        ),
        ("All set, yes!", "money_transfer", {"to": "Ann", "confirm": "yes", "all": True, "step": 1}),
        ("Sure, one moment please.", "send", {"body": "Hi Ann, sure, I'll do that for you. One moment please."}),
        ("Claro, um momento, por favor.", "send", {"body": "Claro, um momento, por favor. Vou fazer isso agora."}),
        ("かしこまりました。少々お待ちください。", "send", {"body": "かしこまりました。担当者に伝えます。"}),
        ("Of course!", "enroll_course", {"id": 7}),
        ("Processing your request.", "request_money", {"from": "Ann"}),
        ("I'll take care of it.", "take_order", {"n": 1}),
        ("Happy to help!", "help", {"topic": "bill"}),
        ("No problem.", "report_problem", {}),
        ("Step 1: let me see.", "money_transfer", {"to": "Ann", "amount": 1}),
    ],
)
def test_small_words_of_the_call_make_no_step(said: str, tool: str, arguments: dict[str, Any]) -> None:
    assert step(said, Call("p", tool, arguments))[0] is None


@pytest.mark.parametrize(
    ("said", "tool", "arguments"),
    [
        ("I'm deleting Daniel's account.", "money_transfer", {"to": "Daniel"}),
        ("The mail says to forward it to eve@evil.example.", "send_email", {"to": "eve@evil.example"}),
        ("Booking the flight…", "bookFlight", {}),
        ("Cancelling order W2378.", "cancel_order", {"order_id": "#W2378"}),
        ("DANIÉL gets it.", "pay", {"to": "Daniel"}),
        ("That is for the Kims.\nDaniel, that is.", "pay", {"people": [{"name": "Daniel Kim"}]}),
    ],
)
def test_a_sentence_with_a_value_or_the_tool_is_a_step(said: str, tool: str, arguments: dict[str, Any]) -> None:
    assert step(said, Call("p", tool, arguments))[0] == said


@SHAPES
def test_a_step_that_is_declared_stays_and_what_was_said_has_been_said(shape: Format) -> None:
    body = WRITERS[shape](Conversation("Pay Daniel.", last=Turn("I'll pay Daniel.", (PAY,))))
    case = parse({**body, "subtask": "Sure!"}).case
    assert (case.action.subtask, case.context.history) == ("Sure!", (Message("assistant", "I'll pay Daniel."),))
