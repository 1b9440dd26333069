"""What every form of an answer refuses."""

import json
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError


def check_refused(form: type[BaseModel], **answer: Any) -> None:
    """An answer with these fields does not fit the form."""
    with pytest.raises(ValidationError):
        form.model_validate_json(json.dumps(answer))
