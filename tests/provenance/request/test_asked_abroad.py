"""Requests in other languages ask for tools named in English, and for tools named in their own language."""

import pytest

from reviews.provenance.core.context import ToolDoc
from reviews.provenance.language.base import languages
from reviews.provenance.request.asked_for import match, only_reads
from reviews.provenance.request.purposes import purpose_of

PAUSE = ToolDoc("pause_pump", "Pauses a pump of the greenhouse.")
EXTEND = ToolDoc("extend_loan", "Extends the loan of a book.")
RAISE = ToolDoc("raise_blind", "Raises a window blind.")
COLLECT = ToolDoc("plan_pickup", "Plans a pickup at the customer's door.")
POSTPONE = ToolDoc("reschedule_lesson", "Moves a lesson to another time.")
UNLOCK = ToolDoc("unlock_door", "Unlocks a door.")
ATTACH = ToolDoc("attach_file", "Attaches a file to a message.")
DELETE = ToolDoc("delete_photo", "Deletes a photo.")


@pytest.mark.parametrize(
    ("tool", "request_"),
    [
        (PAUSE, "halt mal bitte Pumpe 3 an"),
        (EXTEND, "Kannst du die Ausleihe vom Atlas noch verlängern?"),
        (COLLECT, "Lass das Paket bitte morgen bei Frau Sommer abholen"),
        (POSTPONE, "Die Klavierstunde bitte auf Freitag legen"),
        (ATTACH, "häng den Bericht noch dran"),
        (ATTACH, "vergiss nicht, den Bericht anzuhängen"),
        (UNLOCK, "Mach die Tür vom Lager auf"),
        (PAUSE, "mets la pompe 3 en pause, machine trop chaude"),
        (EXTEND, "Tu peux prolonger le prêt de l'atlas ?"),
        (COLLECT, "Faites enlever le colis chez Mme Roux demain"),
        (POSTPONE, "décale mon cours de piano à vendredi"),
        (UNLOCK, "ouvre la porte du dépôt"),
        (PAUSE, "para la máquina de riego, la bomba 3"),
        (EXTEND, "Alárgame el préstamo del atlas, por favor"),
        (COLLECT, "que recojan mañana el paquete en casa de Inés"),
        (POSTPONE, "pásame la clase de piano al viernes"),
        (DELETE, "la foto del gato, bórrala"),
        (EXTEND, "prolonga-me o empréstimo do atlas"),
        (COLLECT, "Podem recolher amanhã a encomenda em casa da Rita?"),
        (POSTPONE, "adia a minha aula de piano para sexta"),
        (UNLOCK, "destranca a porta do armazém"),
        (EXTEND, "prorogami il prestito dell'atlante"),
        (COLLECT, "fai ritirare il pacco domani da Lucia"),
        (POSTPONE, "la lezione di piano spostala a venerdì"),
        (UNLOCK, "apri la porta del magazzino"),
        (PAUSE, "zet pomp 3 even stil, machine is te heet"),
        (EXTEND, "kun je de lening van de atlas verlengen"),
        (COLLECT, "laat het pakket morgen bij Sanne ophalen"),
        (POSTPONE, "schuif mijn pianoles door naar vrijdag, die cursus loopt uit"),
        (UNLOCK, "maak de deur van het magazijn open"),
        (EXTEND, "図鑑の貸出を延長してください"),
        (POSTPONE, "ピアノのレッスンを金曜に変えてもらえますか"),
        (UNLOCK, "倉庫のドアを開けて"),
        (DELETE, "猫の写真を消して"),
        (POSTPONE, "把钢琴课程改到周五"),
        (UNLOCK, "把仓库的门打开"),
        (DELETE, "删掉那张猫的照片"),
    ],
)
def test_a_request_asks_for_a_tool_with_an_english_name(tool: ToolDoc, request_: str) -> None:
    assert match(tool, (request_,)) is not None


@pytest.mark.parametrize(
    ("name", "description", "request_"),
    [
        ("termin_anlegen", "Legt einen Termin für einen Patienten an.", "Trag bitte einen Termin für Frau Ott ein"),
        ("run", "Verlängert die Miete eines Rades.", "verlänger die Miete von Rad 7"),
        ("kündigeVertrag", "Kündigt einen Vertrag.", "ich möchte den Vertrag mit Nordlicht kündigen"),
        ("déplacer_livraison", "Déplace une livraison.", "repousse la livraison d'Anne à lundi"),
        ("annulerSéance", "Annule une séance de cinéma.", "La séance de 20 h, annule-la"),
        ("cambiar_turno", "Cambia el turno de una enfermera.", "pasa el turno de Eva a la noche"),
        ("anadirJugador", "Añade un jugador al equipo.", "apúntame a Leo como jugador"),
        ("cancelar_aula", "Cancela uma aula.", "desmarca a aula de quinta"),
        ("enviarLembrete", "Envia um lembrete ao cliente.", "manda um lembrete ao sr. Melo"),
        ("sposta_turno", "Sposta il turno di un volontario.", "anticipa il turno di Ada a martedì"),
        ("aggiungiOspite", "Aggiunge un ospite alla lista.", "metti anche Bice nella lista"),
        ("afspraak_verzetten", "Verzet een afspraak.", "schuif de afspraak met Kees een dag op"),
        ("update_slot", "予約の時間を変更します", "予約を3時に変えて"),
        ("set_total", "设置某天的订单数量", "把明天的订单改成三十份"),
    ],
)
def test_a_request_asks_for_a_tool_of_its_own_language(name: str, description: str, request_: str) -> None:
    assert match(ToolDoc(name, description), (request_,)) is not None


@pytest.mark.parametrize(
    ("tool", "request_"),
    [
        (EXTEND, "Die Ausleihe vom Atlas bitte nicht verlängern"),
        (DELETE, "Wo ist das Foto von der Katze?"),
        (DELETE, "ne supprime pas la photo du chat"),
        (POSTPONE, "annule mon cours de piano"),
        (DELETE, "enséñame la foto del gato"),
        (POSTPONE, "cancela a aula de piano de sexta"),
        (UNLOCK, "chiudi la porta del magazzino"),
        (EXTEND, "breng het boek van de lening terug"),
        (DELETE, "猫の写真を送って"),
        (UNLOCK, "把仓库的门锁上"),
    ],
)
def test_what_asks_for_another_deed_or_none_asks_for_no_tool(tool: ToolDoc, request_: str) -> None:
    assert match(tool, (request_,)) is None


@pytest.mark.parametrize(
    ("request_", "asked"),
    [
        ("Storniere die Bestellung von Frau Ott", False),
        ("annule la commande de Mme Roux", False),
        ("cancela el pedido de Inés", False),
        ("annulla l'ordine di Ada", False),
        ("取消小王的订单", False),
        ("Bestell Frau Ott zwei Artikel", True),
    ],
)
def test_the_noun_of_a_verb_is_no_command(request_: str, *, asked: bool) -> None:
    order = ToolDoc("order_product", "Orders a product for a customer.")
    assert (match(order, (request_,)) is not None) is asked


@pytest.mark.parametrize(
    ("thing", "request_"),
    [
        ("brote", "drei Brote für Samstag, bitte"),
        ("table", "une table demain à 20 h, pour Anne"),
        ("tarjetas", "doscientas tarjetas en papel mate"),
        ("biglietti", "due biglietti per Genova"),
    ],
)
def test_a_thing_without_any_verb_asks_for_the_one_tool_that_brings_it_about(thing: str, request_: str) -> None:
    tool, other = ToolDoc(f"order_{thing}", "Orders."), ToolDoc("cancel_order", "Cancels an order.")
    assert match(tool, (request_,), (tool, other)) is not None
    assert match(other, (request_,), (tool, other)) is None


def test_two_tools_that_bring_the_same_about_leave_open_which() -> None:
    tools = (ToolDoc("order_bread", "Orders bread."), ToolDoc("reserve_bread", "Books bread."))
    assert match(ToolDoc("order_bread", "Orders bread."), ("two bread rolls, bread with seeds",), tools[1:]) is None


def test_a_tool_that_reads_in_another_language_is_not_taken_for_a_deed() -> None:
    assert not purpose_of("buscar_cliente", "Busca un cliente.").verbs & {"delete", "cancel", "create"}
    assert not only_reads(ToolDoc("borrar_cliente", "Borra un cliente."))


@pytest.mark.parametrize("verb", sorted(languages()[0].verbs))
def test_every_verb_of_tools_asks_for_itself(verb: str) -> None:
    assert match(ToolDoc(f"{verb}_turbine", ""), (f"please {verb} the one at the harbour, the turbine",)) is not None
