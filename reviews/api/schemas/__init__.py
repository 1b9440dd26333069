"""What answers and query parameters look like in the OpenAPI document.

Requests' shapes are in `reviews.intake.wire`.
"""
