import { isIPv6 } from 'node:net'
import type { OwnInterface, ReadInterfaces } from './served-network.ts'

/** Bridges of containers and virtual machines, and tunnels: real addresses, but rarely reachable by other computers. */
const virtual =
  /^(docker|br-|veth|virbr|vmnet|vboxnet|lxc|lxd|cni|flannel|podman|tun|tap|wg|utun|zt|tailscale|vEthernet|llw|awdl|bridge)/i

const isLinkLocal = (address: string) => address.startsWith('169.254.') || /^fe[89ab]/i.test(address)

/** Ranks IPv4 before IPv6, which people rarely type, and link-local addresses last. */
const rank = (address: string) => (isLinkLocal(address) ? 2 : 0) + (isIPv6(address) ? 1 : 0)

/**
 * Interfaces that lead to other computers, most likely first. Omits link-local IPv6 addresses, which need the caller's
 * interface name.
 */
export function ownInterfaces(read: ReadInterfaces): OwnInterface[] {
  const found = Object.entries(read()).flatMap(([name, infos]) => {
    const addresses = (infos ?? [])
      .filter(({ address, internal }) => !internal && !(isIPv6(address) && isLinkLocal(address)))
      .map(({ address }) => address)
    return addresses.length > 0
      ? [{ name, addresses: addresses.toSorted((one, other) => rank(one) - rank(other)) }]
      : []
  })
  const order = ({ name, addresses }: OwnInterface) => (virtual.test(name) ? 4 : 0) + rank(addresses[0]!)
  return found.toSorted((one, other) => order(one) - order(other))
}
