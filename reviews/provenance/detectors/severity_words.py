"""The words by which it is told what a call does."""

import re
from enum import StrEnum
from typing import Final


class Effect(StrEnum):
    """What a call does, as a sentence about it goes on."""

    DELETES = "deletes, ends or overwrites something"
    PAYS = "moves or spends money"
    BOOKS = "books or reserves something"
    SENDS = "sends something outside"
    RUNS = "runs code or a query"
    GRANTS = "grants rights or access"
    STEERS = "steers what others depend on"
    FINAL = "cannot be undone"
    CRITICAL = "counts as critical in this workspace"
    RISKY = "is rated high risk by its developer"
    UNCLEAR = "has an effect that is not known"
    POSSIBLE = "may do something grave"
    READS = "reads"
    COMPUTES = "works something out"
    CHANGES = "changes what can be changed back"


MILD: Final = frozenset({Effect.READS, Effect.COMPUTES, Effect.CHANGES})
"""What a call is let off for, unless something else about it is grave."""


def _effects_by_word(**words: str) -> dict[str, Effect]:
    return {word: Effect[effect.upper()] for effect, listed in words.items() for word in listed.split()}


# Grave wherever they stand in a name: no mild tool is called after them.
ALWAYS: Final = _effects_by_word(
    deletes="delete erase purge wipe destroy truncate uninstall expunge deprovision decommission nuke shred unlink "
    "terminate kill obliterate eradicate",
    runs="exec execute eval shell bash powershell sql terminal subprocess sudo",
    pays="payout payroll",
)
# Grave as the verb of a name, of a clause of the description, or of an operation that an argument names. Most of them
# are nouns elsewhere: `get_order`, `list_transfers`, `find_reset_link`.
LEADING: Final = ALWAYS | _effects_by_word(
    deletes="remove trash discard clear drop reset format cancel revoke flush void expire overwrite prune evict "
    "dismiss dispose abort expel discharge unenroll rescind annul empty rollback revert restore replace clean "
    "unsubscribe withdraw retire scrap fire demolish detach reject deny",
    pays="pay transfer wire reimburse remit donate tip settle deposit repay refund charge invoice bill buy purchase "
    "order rent subscribe hire trade sell bid invest disburse credit debit fund lend borrow checkout redeem compensate",
    # What is applied may be a discount or a migration.
    unclear="apply",
    # Of a room no money need be spent; of a flight it is.
    books="book reserve",
    sends="send email mail reply respond forward notify inform tell message text ping announce broadcast post publish "
    "tweet share submit upload export push deliver dispatch contact call dial sms fax emit transmit release ship "
    "request invite report alert page ask remind disclose leak sync",
    runs="run invoke trigger launch deploy compile install migrate patch script command spawn",
    grants="grant authorize authorise permit allow approve promote elevate impersonate whitelist allowlist delegate "
    "certify sign enroll unlock unblock admit accept",
    steers="start stop restart reboot shutdown shut scale pause resume disable enable activate deactivate lock block "
    "freeze suspend quarantine isolate halt engage disengage arm disarm trip vent inject administer prescribe infuse "
    "sedate operate actuate energize steer reroute redirect divert override bypass force switch turn toggle calibrate "
    "evacuate control drive raise lower",
)
# Verbs of any call, in a name or as the first word of a description's clause.
VERBS: Final = LEADING | _effects_by_word(
    reads="search find list read show view display count retrieve fetch lookup look get check describe preview browse "
    "inspect return query verify see",
    # Of a wrong value comes a wrong answer, which somebody acts on: such values are not tried out as those of a search
    # are.
    computes="convert translate calculate compute determine estimate compare summarize summarise parse analyze analyse "
    "explain validate",
    changes="create generate draft open register draw plot chart record log plan schedule add insert append "
    "include save write note bookmark update change edit modify rename adjust correct amend revise set "
    "mark tag flag label extend shorten postpone move reschedule delay sort reorder archive assign "
    "reassign complete reopen pin star favorite highlight resize copy duplicate merge split arrange store "
    "sketch tidy comment annotate",
)
# Verbs that are the names of things as well: `get_order`, `list_open_trades`, `close_work_order`. Any other verb in its
# base form behind the first one is a second deed: `find_replace`.
ALSO_NOUNS: Final = frozenset(
    "order transfer message email mail text post report invoice bill charge refund deposit request contact call "
    "alert invite purchase book trade bid fund credit debit tip rent page reply tweet sms fax script command "
    "patch start trip scale draft register plot chart record log plan schedule note bookmark tag flag label pin "
    "star favorite highlight copy archive store sketch comment open new control".split()
)
# Verbs that put something before people: with a text that the agent words itself they publish it.
SHOWING: Final = frozenset({"show", "display", "describe"})
# What a change is grave to work on.
OBJECTS: Final = _effects_by_word(
    pays="payment payout payroll salary wage money fund refund wire transfer iban bank billing bonus loan mortgage "
    "payee purchase order charge",
    grants="permission role admin administrator access privilege password credential secret token acl owner ownership "
    "root oauth mfa firewall certificate sudo policy",
    steers="dose dosage medication medicine drug prescription infusion ventilator pacemaker allergy blood valve "
    "reactor rod pressure voltage breaker turbine boiler alarm brake pump interlock chlorine throttle radiation "
    "setpoint safety emergency dns nameserver production prod deployment cluster migration cron ssh bgp",
)
MADE_TO_SEND: Final = _effects_by_word(
    sends="message email mail post tweet sms broadcast notification announcement webhook"
)
MAKERS: Final = frozenset("create make write add new".split())
CONJUNCTIONS: Final = frozenset(("and", "or", "then"))
# Words that make a name ambiguous: `return_items` gives goods back, `check_out` and `check_in` settle something.
# Behind "and" or "for" stands a second deed, or what the first one is for: `list_item_for_sale`.
NOT_ONLY_READING: Final = CONJUNCTIONS | {"return", "returns", "out", "in", "off", "on", "for", "rid"}
# In a name they grant something; documents begin with them whatever a tool does.
LETTING: Final = frozenset({"allow", "permit"})
FILLERS: Final = frozenset(
    "this tool function will can may be is used use to it also and or then you please lets "
    "permanently immediately automatically directly".split()
)
# Names of arguments that hold code, as the last word of the name: `sql`, `shell_command`.
CODE: Final = frozenset("sql command cmd script shell bash statement program snippet cypher graphql".split())
# Names of arguments that say what a tool of many uses shall do.
DISPATCHING: Final = frozenset("action operation op method verb mode do event status state".split())
WRITING_METHODS: Final = frozenset(("POST", "PUT", "PATCH", "DELETE"))
# Arguments that take a safeguard away when they are true.
SWITCHES: Final = frozenset(
    "force forced permanent permanently hard recursive cascade overwrite override bypass".split()
)
CANNOT_BE_UNDONE: Final = re.compile(
    r"(?:can(?:not|.t| not)|(?:not|never) be|no way to|impossible to) (?:be )?"
    r"(?:undone|undo|reverted|revert|reversed?|recovered?)"
    r"|irreversibl[ey]|permanent(?:ly)?\b|\bno undo\b|\bfor good\b",
    re.IGNORECASE,
)
"""How documents say that a call is final. A phrase too many costs a look, one too few may cost the data."""
# Repetitions are bounded, so that no argument, however long, makes a search take more than linear time.
DANGEROUS: Final = tuple(
    (effect, re.compile(pattern, re.IGNORECASE))
    for effect, pattern in (
        (Effect.DELETES, r"\b(?:rm|del|rmdir|rd)\s{1,9}(?:-{1,2}[\w-]{1,20}\s{1,9}){0,4}(?:-{1,2}[\w-]{0,20}|/[sq]\b)"),
        (Effect.DELETES, r"\b(?:drop|truncate)\s{1,9}(?:table|database|schema|view|index|user|role|column)\b"),
        (Effect.DELETES, r"\bdelete\s{1,9}from\b|\bmkfs\b|\bdd\s{1,9}if=|\bgit\s{1,9}push\b[^\n]{0,80}\s-(?:f|-force)"),
        (Effect.DELETES, r"\bfind\b[^\n]{0,200}\s-delete\b|\bshred\s{1,9}-|>\s{0,9}/dev/(?:sd|nvme)"),
        (Effect.RUNS, r"\b(?:curl|wget)\b[^\n|]{0,500}\|\s{0,9}(?:sudo\s{1,9})?(?:ba|z|da)?sh\b"),
        (Effect.RUNS, r"\binsert\s{1,9}into\b|\bupdate\s{1,9}[\w.\"`\[\]]{1,80}\s{1,9}set\b"),
        (Effect.RUNS, r"\balter\s{1,9}(?:table|user|role)\b|\bsudo\s{1,9}\w|\bpowershell\b|<script\b"),
        (Effect.RUNS, r"\b(?:os\.system|subprocess\.\w|eval\(|exec\()"),
        (Effect.GRANTS, r"\bgrant\s{1,9}(?:all|select|insert|update|delete)\b"),
        (Effect.GRANTS, r"\bchmod\s{1,9}(?:-\w{1,9}\s{1,9})?[0-7]?777\b"),
        (Effect.STEERS, r"\b(?:shutdown|reboot|halt|poweroff)\s{1,9}(?:-|now\b)|\bkill(?:all)?\s{1,9}-"),
    )
)
