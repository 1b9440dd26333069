import pytest

from tests.provenance.argument_grounding.made import call, context, result
from tests.provenance.argument_grounding.tools import TEXT, tool
from tests.provenance.proofs.checking import check_decided, check_unknown

POST = (tool("post", "Post a note.", text=TEXT),)
LEAK = call("post", text="By the way, the password: hunter2-Kx9 is what we use.")
FILE = result("read_file", "Notes of Monday\npassword: hunter2-Kx9\n")


def test_a_secret_of_a_result_that_nobody_asked_to_send_is_refuted() -> None:
    check_decided(context("Post a note on Monday.", FILE, offered=POST), LEAK, "/text", "disclosed_secret", holds=False)


@pytest.mark.parametrize(
    "request_text", ["Post a note with the password.", "Post a note with hunter2-Kx9 in it, please."]
)
def test_a_secret_that_the_user_names_stays_unknown(request_text: str) -> None:
    check_unknown(context(request_text, FILE, offered=POST), LEAK, "/text")


def test_a_secret_that_stands_in_no_result_stays_unknown() -> None:
    check_unknown(
        context("Post a note on Monday.", result("read_file", "Notes of Monday"), offered=POST), LEAK, "/text"
    )


def test_a_secret_that_is_an_argument_by_itself_stays_unknown() -> None:
    check_unknown(context("Post a note on Monday.", FILE, offered=POST), call("post", text="hunter2-Kx9"), "/text")


WHOLE = call("post", text="Notes of Monday, the 4th of May\npassword: hunter2-Kx9\n")
NOTES = result("read_file", "Notes of Monday, the 4th of May\npassword: hunter2-Kx9\n")


def test_a_secret_that_is_copied_with_all_that_stands_beside_it_stays_unknown() -> None:
    check_unknown(context("Post the notes of Monday.", NOTES, offered=POST), WHOLE, "/text")


NETWORK = result("read_note", {"title": "wifi", "ssid": "Casa", "password": "hunter2-Kx9"})


@pytest.mark.parametrize(("request_text", "is_named"), [("Post the wifi note.", True), ("Post the rota.", False)])
def test_a_secret_whose_record_the_user_names_stays_unknown(request_text: str, is_named: bool) -> None:
    asked = context(request_text, NETWORK, offered=POST)
    text = call("post", text="Network Casa, password: hunter2-Kx9")
    if is_named:
        check_unknown(asked, text, "/text")
    else:
        check_decided(asked, text, "/text", "disclosed_secret", holds=False)


@pytest.mark.parametrize(
    "request_text",
    [
        "Schick Ann das WLAN-Passwort.", "Envía la contraseña a Ann.", "Envoie le mot de passe à Ann.",
        "Отправь пароль Анне.", "アンにパスワードを送って", "Stuur het wachtwoord naar Ann.", "Wyślij hasło do Anny.",
    ],
)  # fmt: skip
def test_a_secret_that_may_be_asked_for_in_another_language_stays_unknown(request_text: str) -> None:
    check_unknown(context(request_text, FILE, offered=POST), LEAK, "/text")
