"""Which addresses a webhook may be sent to: public ones, and networks that the operator names.

A workspace's administrator chooses the name, and whoever answers for it in the DNS chooses the address: without this,
either could have the installation speak to its own database. The address that was looked at is the one that is
connected to; a name that is resolved again could give another one by then.
"""

import asyncio
import socket
from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Final, TypeAlias

Address: TypeAlias = IPv4Address | IPv6Address

# All that is given to anybody. The library takes for public whatever it knows nothing of, such as addresses of a site
# (fec0::/10), and those that only hold an IPv4 address (::/96).
PUBLIC_IPV6: Final = IPv6Network("2000::/3")
# NAT64, 6to4 and Teredo: a gateway on the way would make an IPv4 address of them, which may be a private one.
TRANSLATED: Final = tuple(map(IPv6Network, ("64:ff9b::/96", "64:ff9b:1::/48", "2002::/16", "2001::/32")))


class AddressRefusedError(Exception):
    """Nothing is sent there; `str()` says why."""


async def resolve_host(host: str, port: int, *, allowed: Sequence[str] = ()) -> Address:
    """The address to connect to. `allowed` are networks of the operator's that are not public.

    Raises `AddressRefusedError`, also where only one of several addresses is not public.
    """
    try:
        answers = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise AddressRefusedError("Its name does not resolve.") from None
    addresses = [ip_address(str(answer[4][0])) for answer in answers]
    if not addresses:
        raise AddressRefusedError("Its name does not resolve.")
    if not all(is_permitted(address, allowed) for address in addresses):
        raise AddressRefusedError("It resolves to an address that is not public.")
    return addresses[0]


def is_permitted(address: Address, allowed: Sequence[str] = ()) -> bool:
    """Whether a webhook may be sent to this address."""
    if isinstance(address, IPv6Address) and address.ipv4_mapped:
        address = address.ipv4_mapped
    if any(address in ip_network(network) for network in allowed):
        return True
    if isinstance(address, IPv6Address) and address not in PUBLIC_IPV6:
        return False
    if isinstance(address, IPv6Address) and any(address in network for network in TRANSLATED):
        return False
    return address.is_global and not address.is_multicast
