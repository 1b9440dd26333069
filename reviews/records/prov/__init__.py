"""A proposal's provenance as a W3C PROV document: where each value came from, why the guard judged as it did.

Three kinds of provenance in one graph. Where: an argument value wasDerivedFrom a span, which wasQuotedFrom a source
at exact offsets. Why: a verdict wasDerivedFrom its findings, a finding from its subject and evidence. How: each
derivation of a value says by which grounding (copy, normalize, derive, resolve).
"""

from reviews.records.prov.account import Account, Checked, Decided, EditedValue, Party
from reviews.records.prov.graph import build_document, to_json

__all__ = ["Account", "Checked", "Decided", "EditedValue", "Party", "build_document", "to_json"]
