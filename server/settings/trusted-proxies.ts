import type { Config } from './config.ts'

/** Addresses and networks whose forwarded headers are trusted. */
export const trustedProxies = ({
  enableNetworkTrust,
  knownProxies,
  knownNetworks,
  dockerGatewayIp,
}: Config['appOptions']): readonly string[] | 'all' =>
  enableNetworkTrust ? 'all' : [...knownProxies, ...knownNetworks, ...(dockerGatewayIp ? [dockerGatewayIp] : [])]
