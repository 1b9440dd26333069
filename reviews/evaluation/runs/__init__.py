"""Running detectors over cases, resumable, with a ledger of what was asked. What is measured then is `measures`."""
