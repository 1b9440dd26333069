"""The endpoints, one module a resource. Rights are decided in `reviews.access`, work is done by the use cases."""
