"""What a message says, under whichever name a framework keeps it; words that stand elsewhere are wrong."""

from typing import Final

from reviews.provenance.formats.content import message_text, refuse_unread
from reviews.provenance.formats.json_nodes import Node, name_set

# Whoever writes the name comes behind it. The first is also meant where none is given.
_WORDS: Final = (
    "content",  # OpenAI, Anthropic
    "contents",  # Agent Framework
    "parts",  # Google, AI SDK
    "blocks",  # LlamaIndex
    "items",  # Semantic Kernel
    "text",
    "message",
)
# What frameworks and providers add to a message that is neither said by whoever speaks nor a call.
_BESIDE: Final = name_set("""
    _id additional_kwargs additional_properties ai_model_id annotations author author_name cache_control citations
    compressed_content content_type conversation_id createdAt created_at encoding end_turn finish_reason from_history
    id index internal kind logprobs message_id metadata metrics model model_id model_name name phase provider_data
    provider_details provider_name provider_response_id provider_specific_fields raw response_metadata role run_id
    source status stop_reason stop_sequence temporary timestamp token_usage tool_name type usage usage_metadata
    user_id weight
""")
# What a model thought, and what a reader of the role looks into by itself.
_SILENT: Final = name_set("""
    reasoning reasoning_content reasoning_details redacted_reasoning_content thinking thinking_blocks thought
""")
_READ: Final = frozenset(
    {"artifact", "audio", "from", "invalid_tool_calls", "refusal", "tool_args", "tool_call_id", "tool_calls"}
)
_READ_NAMES: Final = _BESIDE.union(_SILENT, _READ, _WORDS)
# Roles whose every word counts, so that not even one may be passed over.
_TRUSTED: Final = ("user", "system", "developer")


def words_at(message: Node) -> Node:
    """Where a message has its words. Two such places, other fields with words, and none at all are wrong."""
    members = message.given(*_WORDS)
    members_with_words = [member for member in members if member.value not in ("", [])]
    refuse_unread(message, _READ_NAMES, every_word=message.member("role").value in _TRUSTED)
    for member in members_with_words[1:]:
        # Some keep the same text in two fields.
        if message_text(member) != message_text(members_with_words[0]):
            member.note_problem("The message says something else in another field; one of the two must go.")
    return next(iter((*members_with_words, *members)), message.member(_WORDS[0]))


def said_in(message: Node) -> str:
    """What a message says, as text. A message that says nothing has an empty text; one without any is wrong."""
    return message_text(words_at(message).require_present())
