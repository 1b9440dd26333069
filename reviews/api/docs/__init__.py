"""The OpenAPI document and its page. What each endpoint says of itself stands at the endpoint."""
