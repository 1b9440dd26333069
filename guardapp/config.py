"""Configuration by environment variables, validated at start. The README's table is checked against this class."""

import json
import re
from functools import cache
from ipaddress import ip_network
from typing import Annotated, Any, ClassVar, Final, Literal, TypeAlias, TypeVar
from urllib.parse import urlsplit

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from guardapp import config_checks

# 32 random characters are 128 bits even if they are hexadecimal digits: nobody can try them out.
MIN_SECRET_LENGTH: Final = 32
# As browsers send it: in lower case, the default port left out. Neither `*` nor `null`, which anybody's page can be.
_ORIGIN: Final = re.compile(r"https?://(?:[a-z0-9.-]+|\[[0-9a-f:]+\])(?::[0-9]{1,5})?")
Address = TypeVar("Address", str, SecretStr | None)
# Endless is no time that anybody waits, and none that a clock or a socket takes.
Seconds: TypeAlias = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class ConfigurationError(Exception):
    """The environment does not describe a runnable product; the message names each variable."""


class Price(BaseModel):
    """US dollars for a million tokens of one model."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    prompt: float = Field(ge=0, allow_inf_nan=False)
    completion: float = Field(ge=0, allow_inf_nan=False)


class JudgeModelOptions(BaseModel):
    """How one model is asked, where its endpoint takes other parameters than most."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    # Zero: the same question is to have the same answer. Null for models that take none.
    temperature: float | None = Field(default=0.0, ge=0, le=2, allow_inf_nan=False)
    reasoning_effort: Literal["", "none", "minimal", "low", "medium", "high"] = ""
    token_limit: Literal["max_completion_tokens", "max_tokens"] = "max_completion_tokens"  # noqa: S105  # a name
    response_format: Literal["json_schema", "json_object", "text"] = "json_schema"
    # As `reviews.provenance.judges.model_options.ANSWER_TOKENS`; the tokens of a model's reasoning count as well.
    answer_tokens: int = Field(default=2048, ge=64, le=1_000_000)
    logprobs: bool = True


class SingleSignOn(BaseModel):
    """One provider that the operator trusts to say who somebody is, including their e-mail address."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    # It stands in the address that the provider sends people back to.
    id: str = Field(pattern=r"^[a-z0-9-]{1,40}$")
    name: str = Field(min_length=1, max_length=40)
    client_id: str = ""
    """The provider's name for this site; not used by SAML."""
    secret: SecretStr = SecretStr("")
    # Not shown: SAML's advanced ones hold a private key.
    settings: dict[str, Any] = Field(default_factory=dict, repr=False)
    """As django-allauth's documentation describes them for the kind of provider."""


def _json_field(empty: str) -> BeforeValidator:
    """Read a variable as JSON, so that one which is none is named like any other that is wrong.

    Where nothing is set, `empty` is read.
    """
    return BeforeValidator(lambda variable: json.loads(variable or empty) if isinstance(variable, str) else variable)


class Config(BaseSettings):
    """What an operator may set. Every field is the variable of the same name in capitals."""

    # An environment holds much that is not ours. A variable that a container hands on without a value is one that was
    # not set.
    model_config = SettingsConfigDict(env_prefix="", env_ignore_empty=True, extra="ignore", frozen=True)

    # Django's settings ask each value for this whenever it is read, and a model takes long to find that it has none.
    _mask_wrapped: ClassVar[bool] = True

    secret_key: SecretStr
    """Signs sessions and CSRF tokens; at least 32 characters."""
    secret_key_fallbacks: Annotated[tuple[SecretStr, ...], NoDecode] = ()
    """Earlier secrets that are still believed, comma separated; nothing new is signed with them."""
    # Neither address is shown: their passwords stand in them.
    database_url: str = Field(pattern=r"^postgres(ql)?://", repr=False)
    """PostgreSQL, as postgresql://user:password@host:port/name."""
    redis_url: str = Field(pattern=r"^(rediss?|unix)://", repr=False)
    """Broker and wake-up channel."""
    allowed_hosts: Annotated[tuple[str, ...], NoDecode] = ("localhost", "127.0.0.1")
    """Host names the site answers to, comma separated."""
    # Nobody: whoever reaches the site directly could otherwise claim any address, and that the line was encrypted.
    trusted_proxies: Annotated[tuple[str, ...], NoDecode] = ()
    """Addresses or networks whose X-Forwarded-For and X-Forwarded-Proto are believed, comma separated."""
    # None: an agent key in a browser is in the hands of whoever uses that browser.
    cors_origins: Annotated[tuple[str, ...], NoDecode] = ()
    """Sites whose pages may call the API from a browser, as https://app.example, comma separated."""
    # The safe one by default: whoever forgets the variable gets redirects that do not work, not cookies in plain text.
    https: bool = True
    """Secure cookies, HSTS and redirect; switch off only for local work."""
    # A browser's list keeps a domain for months, with all its subdomains: nobody gets on it by accident.
    hsts_preload: bool = False
    """Ask browsers to put the domain on their preload list."""
    debug: bool = False
    """Django's debug pages and the style guide."""
    demo: bool = False
    """Demonstration mode: the style guide is served and the sign-in page says so."""

    # None: receivers are chosen by administrators of a workspace, who need not be the operator.
    webhook_networks: Annotated[tuple[str, ...], NoDecode] = ()
    """Networks that are not public and that webhooks may reach nevertheless, comma separated."""

    public_url: str = "http://localhost:8000"
    """Where people reach the site, without a path: what links in mails and on the console begin with."""
    smtp_url: SecretStr | None = None
    """Mail server, as smtp://user:password@host:587 (STARTTLS) or smtps://…:465; without one mails go to the log."""
    mail_from: str = "ProvenanceGuard Review <noreply@localhost>"
    """Sender of mails."""
    oidc_providers: Annotated[tuple[SingleSignOn, ...], NoDecode, _json_field("[]")] = ()
    """OpenID Connect, as a JSON list of `SingleSignOn`; its settings hold `server_url`."""
    saml_providers: Annotated[tuple[SingleSignOn, ...], NoDecode, _json_field("[]")] = ()
    """SAML, as a JSON list of `SingleSignOn`; its settings hold `idp` with `entity_id` and `metadata_url`."""

    openai_api_key: SecretStr | None = None
    """Key of the judge's endpoint."""
    openai_api_key_second: SecretStr | None = None
    """A second key, used where the first is refused (401): set it before the first is withdrawn."""
    openai_base_url: str | None = None
    """Any OpenAI-compatible endpoint; the package's default otherwise."""
    # A small one: it answers narrow questions about quoted texts, and an agent waits for the answer.
    guard_model: str = "gpt-4.1-mini"
    """Model that answers the judge's questions."""
    # Several times what an answer takes; a check may ask a handful of questions, and its agent waits for all.
    judge_timeout_seconds: Seconds = 30
    """Longest wait for one answer of the judge."""
    guard_prices: Annotated[dict[str, Price], NoDecode, _json_field("{}")] = Field(default_factory=dict)
    """US dollars for a million tokens of each model, as JSON: {"a-model": {"prompt": 0.4, "completion": 1.6}}."""
    guard_model_options: Annotated[dict[str, JudgeModelOptions], NoDecode, _json_field("{}")] = Field(
        default_factory=dict
    )
    """How models are asked that take other parameters than most, as JSON: {"a-model": {"temperature": null}}."""
    # A conversation repeats its questions within minutes and a replay within days; a model's new release should count
    # after a while.
    judge_cache_seconds: int = Field(default=7 * 24 * 3600, ge=0)
    """How long an answer of the judge is kept for the same question; 0 keeps none."""
    # One failure is chance, five in a row without a success are an outage.
    judge_breaker_failures: int = Field(default=5, gt=0)
    """Consecutive failures after which nobody asks the judge for a while."""
    # At most half an hour: a breaker that stays open longer would outlive the outage it was opened for.
    judge_breaker_seconds: Seconds = Field(default=30, le=1800)
    """How long the judge is then left alone before one question tries it."""

    # The bounds below admit long conversations of real agents and keep one submission from taking a worker's memory.
    max_body_bytes: int = Field(default=1024 * 1024, gt=0)
    """Largest request body on the API."""
    # A few screenshots, which agents that use a computer send with every turn.
    max_media_body_bytes: int = Field(default=8 * 1024 * 1024, gt=0)
    """Largest request body whose conversation holds inline images or files."""
    max_tools: int = Field(default=256, gt=0)
    """Most tools in one submission."""
    max_history: int = Field(default=512, gt=0)
    """Most history steps in one submission."""
    # What is continued is checked whole and costs nothing to send. A model reads less: a million tokens are some 4 MB.
    max_history_bytes: int = Field(default=5 * 1024 * 1024, gt=0)
    """Largest stored history that a submission continues."""
    # Twenty a second from one agent, and five agents that busy in one workspace: a loop that runs away is above it.
    submissions_per_key: int = Field(default=1_200, gt=0)
    """Most submissions of one agent key in a minute."""
    submissions_per_workspace: int = Field(default=6_000, gt=0)
    """Most submissions of a workspace in a minute."""
    # 200 MB and 1 GB: the same ratio, and about 170 kB for each of that many submissions.
    kilobytes_per_key: int = Field(default=204_800, gt=0)
    """Most kilobytes that one agent key submits in a minute; a hundred values count as one more."""
    kilobytes_per_workspace: int = Field(default=1_024_000, gt=0)
    """Most kilobytes that a workspace submits in a minute."""
    # Far below Python's recursion limit, a thousand, which code behind this bound may rely on.
    max_nesting: int = Field(default=32, gt=0, le=200)
    """Deepest nesting of any JSON value."""
    # Enough for the largest body over a line of 40 kB a second.
    max_body_seconds: Seconds = 30
    """Longest time that a request's body may take to come."""
    # Proxies and load balancers commonly cut a silent connection after a minute.
    max_wait_seconds: int = Field(default=60, gt=0)
    """Longest long-poll."""

    # Each is a socket and some kilobytes; a fleet's controller needs one, and a second while it is replaced.
    max_event_streams_per_key: int = Field(default=8, gt=0)
    """Most open event streams of one agent key at one web process."""
    max_event_streams: int = Field(default=256, gt=0)
    """Most open event streams at one web process."""

    # A worker renews its lease three times within this span, so that a slow question does not look like a dead worker.
    check_lease_seconds: int = Field(default=20, gt=0)
    """A check whose worker has given no sign for this long is resumed by another."""
    # With the delays below, which add up to half a minute: after that an agent waits for a person rather than for luck.
    check_max_attempts: int = Field(default=5, gt=0)
    """Attempts before an unfinished check becomes Undetermined."""
    check_retry_seconds: Seconds = 2
    """First delay after judge trouble; it doubles each time."""
    check_processes: int = Field(default=0, ge=0)
    """Processes for checks of one worker; each runs one, beside others that wait for their judge. 0 is two a core, and
    at least four."""
    # An ordinary check takes a tenth of it.
    check_megabytes: int = Field(default=2048, ge=512)
    """Address space of one such process; a check that asks for more fails alone."""
    # A person waits for the answer.
    edit_seconds: Seconds = 10
    """Longest check of a call that a reviewer edits, and of one call in a profile's preview."""
    # A hundred times what the largest record of a public collection takes, on a busy machine.
    import_record_seconds: Seconds = 20
    """Longest reading of one record of an imported file; one that takes longer is left out and named."""
    # Twice the longest deadline of rules alone: then not even a poisoned neighbour explains the wait.
    check_stall_seconds: Seconds = 60
    """A check that waits longer than this for its first attempt makes the site unready."""
    # What a lost message costs at worst; the sweep itself is a few indexed queries.
    sweep_seconds: Seconds = 5
    """How often lost work, expiries and stale claims are looked for."""

    # 256 bits: it opens figures of every workspace.
    metrics_token: SecretStr | None = None
    """Opens /metrics of the site to Prometheus; without it there is no such page."""
    metrics_port: int = Field(default=0, ge=0, le=65535)
    """Port on which a worker serves what it counted, to the inner network alone; 0 for none."""
    metrics_directory: str | None = None
    """Where the processes of one container add up what they count; emptied by whoever starts the container."""
    # The site in a container is one of several that share the host's cores; a worker's bound is CHECK_PROCESSES.
    web_processes: int = Field(default=0, ge=0)
    """Processes of the web server; 0 is one a core, at most four."""
    # One machine's folder by default; several machines mount a shared one there.
    files_folder: str = ".run/files"
    """Folder for uploaded collections and for exports; relative to the product's own."""
    # The largest public collection of recorded calls, packed, has a tenth of it.
    max_upload_megabytes: int = Field(default=512, gt=0)
    """Largest collection that may be uploaded."""

    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"
    """Least severe log line written."""

    @model_validator(mode="before")
    @classmethod
    def _split_lists(cls, values: dict[str, object]) -> dict[str, object]:
        for name in ("allowed_hosts", "cors_origins", "trusted_proxies", "webhook_networks", "secret_key_fallbacks"):
            listed = values.get(name)
            if isinstance(listed, str):
                values[name] = tuple(item.strip() for item in listed.split(",") if item.strip())
        return values

    @field_validator("trusted_proxies", "webhook_networks")
    @classmethod
    def _require_addresses(cls, networks: tuple[str, ...]) -> tuple[str, ...]:
        for network in networks:
            # Raises ValueError. A name, or `*`, would be believed from anywhere.
            ip_network(network)
        return networks

    @field_validator("cors_origins")
    @classmethod
    def _require_origins(cls, origins: tuple[str, ...]) -> tuple[str, ...]:
        for origin in origins:
            if not _ORIGIN.fullmatch(origin):
                raise ValueError(f"{origin!r} is no origin, such as https://app.example; each is named, without a path")
        return origins

    @field_validator("allowed_hosts")
    @classmethod
    def _require_hosts(cls, hosts: tuple[str, ...]) -> tuple[str, ...]:
        config_checks.check_hosts(hosts)
        return hosts

    @field_validator("mail_from")
    @classmethod
    def _require_a_mailbox(cls, sender: str) -> str:
        config_checks.check_mailbox(sender)
        return sender

    @field_validator("oidc_providers", "saml_providers")
    @classmethod
    def _require_names_of_their_own(cls, providers: tuple[SingleSignOn, ...]) -> tuple[SingleSignOn, ...]:
        if len({provider.id for provider in providers}) != len(providers):
            raise ValueError("two providers have the same id, which stands in their addresses")
        return providers

    @field_validator("oidc_providers")
    @classmethod
    def _require_reachable_providers(cls, providers: tuple[SingleSignOn, ...]) -> tuple[SingleSignOn, ...]:
        for provider in providers:
            config_checks.check_openid_connect(provider.settings, provider.client_id)
        return providers

    @field_validator("saml_providers")
    @classmethod
    def _require_known_signers(cls, providers: tuple[SingleSignOn, ...]) -> tuple[SingleSignOn, ...]:
        for provider in providers:
            config_checks.check_saml(provider.settings)
        return providers

    @field_validator("secret_key_fallbacks")
    @classmethod
    def _require_real_fallbacks(cls, secrets: tuple[SecretStr, ...]) -> tuple[SecretStr, ...]:
        if any(len(secret.get_secret_value()) < MIN_SECRET_LENGTH for secret in secrets):
            raise ValueError(f"each secret must have at least {MIN_SECRET_LENGTH} characters")
        return secrets

    @field_validator("database_url", "redis_url", "smtp_url")
    @classmethod
    def _require_readable_addresses(cls, address: Address) -> Address:
        """Raises ValueError, without the part of the password that a parser would quote."""
        try:
            # What is special in a password, such as a slash, moves the rest of it to where a port is expected.
            _ = urlsplit(address.get_secret_value() if isinstance(address, SecretStr) else address or "").port
        except ValueError:
            raise ValueError("is no address; percent-encode what is special in its password") from None
        return address

    @field_validator("database_url")
    @classmethod
    def _require_a_database(cls, address: str) -> str:
        if not urlsplit(address).path.strip("/"):
            raise ValueError("names no database: it ends with /NAME")
        return address

    @field_validator("redis_url")
    @classmethod
    def _require_a_numbered_database(cls, address: str) -> str:
        parts = urlsplit(address)
        # The site would read a name as 0, and a worker would not start with it.
        if parts.scheme != "unix" and not re.fullmatch(r"/?[0-9]*", parts.path):
            raise ValueError("counts its databases: it ends with /0, or without a path")
        return address

    @field_validator("public_url")
    @classmethod
    def _require_a_place_for_paths(cls, address: str) -> str:
        config_checks.check_site_address(address)
        return address

    @field_validator("smtp_url")
    @classmethod
    def _require_a_mail_server(cls, address: SecretStr | None) -> SecretStr | None:
        if address is not None:
            config_checks.check_address(address.get_secret_value(), ("smtp", "smtps"))
        return address

    @field_validator("openai_base_url")
    @classmethod
    def _require_an_endpoint(cls, address: str | None) -> str | None:
        if address is not None:
            config_checks.check_web_address(address)
        return address

    @field_validator("metrics_token")
    @classmethod
    def _require_a_long_token(cls, token: SecretStr | None) -> SecretStr | None:
        if token is not None and len(token.get_secret_value()) < MIN_SECRET_LENGTH:
            raise ValueError(f"must have at least {MIN_SECRET_LENGTH} characters")
        return token

    @field_validator("openai_api_key", "openai_api_key_second", "metrics_token")
    @classmethod
    def _require_what_a_header_can_hold(cls, key: SecretStr | None) -> SecretStr | None:
        """Raises ValueError. The client would quote the whole header when it refuses it."""
        if key is not None and not re.fullmatch(r"[\x21-\x7e]+", key.get_secret_value()):
            raise ValueError("holds a line end, a space or another character that no header may have")
        return key

    @field_validator("metrics_token", "openai_api_key", "openai_api_key_second", "metrics_directory", mode="before")
    @classmethod
    def _nothing_for_empty(cls, value: object) -> object:
        """A variable that a container hands on without a value is one that was not set."""
        # Files that secrets are read from end with a line end.
        value = value.strip() if isinstance(value, str) else value
        return None if value == "" else value

    @model_validator(mode="after")
    def _require_a_place_to_add_up(self) -> "Config":
        if (self.metrics_token or self.metrics_port) and self.metrics_directory is None:
            raise ValueError("METRICS_DIRECTORY must be set where METRICS_TOKEN or METRICS_PORT is")
        return self

    @model_validator(mode="after")
    def _require_links_that_lead_here(self) -> "Config":
        # The first thing an operator does is open a printed link, and the default leads to their own machine.
        if self.https and "public_url" not in self.model_fields_set and "localhost" not in self.allowed_hosts:
            raise ValueError("PUBLIC_URL must be set where ALLOWED_HOSTS is: printed links begin with it")
        # Who follows such a link sends what it opens in plain text, before the site leads on to the encrypted line.
        if self.https and "public_url" in self.model_fields_set and self.public_url.startswith("http://"):
            raise ValueError("PUBLIC_URL must begin with https:// where HTTPS is on: its links let somebody in")
        return self

    @model_validator(mode="after")
    def _require_a_real_secret(self) -> "Config":
        if len(self.secret_key.get_secret_value().strip()) < MIN_SECRET_LENGTH:
            raise ValueError(f"SECRET_KEY must have at least {MIN_SECRET_LENGTH} characters, spaces around them aside")
        return self


@cache
def config() -> Config:
    """The validated environment. Raises `ConfigurationError` naming every variable that is missing or wrong."""
    try:
        return Config()
    except ValidationError as error:
        lines = "\n".join(_describe_problem(detail["loc"], detail["msg"]) for detail in error.errors())
        raise ConfigurationError(f"The environment is not complete:\n{lines}") from None


def _describe_problem(place: tuple[int | str, ...], message: str) -> str:
    """The variable, and what is wrong with it. What is checked on the whole names its variables itself."""
    variable = ".".join(map(str, place)).upper()
    return "  " + ": ".join(filter(None, (variable, message.removeprefix("Value error, "))))
