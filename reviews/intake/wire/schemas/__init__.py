"""The shapes of requests, as pydantic models. Answers' shapes are `reviews.api.schemas`."""
