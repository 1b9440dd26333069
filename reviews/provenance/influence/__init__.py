"""Which text had a part in a proposed call, and which of it is out of place (ARGUS)."""
