"""Tenants: workspaces, members, invitations, second factors, keys. Who may do what is `reviews.access`."""
