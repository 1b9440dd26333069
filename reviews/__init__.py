"""The product: one package a concern. Settings, processes and servers are in `guardapp`."""
