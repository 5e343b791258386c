import { networkInterfaces } from 'node:os'
import type { Config } from '../../config.ts'

const isLoopback = (host: string) =>
  host === 'localhost' || host === '[::1]' || host === '::1' || host.startsWith('127.')

/** Whether any address that we listen on can be reached from another machine. */
export const isReachableFromNetwork = (config: Config) => config.urls.some(({ host }) => !isLoopback(host))

const everyInterface = new Set(['*', '0.0.0.0', '::'])

/** The address of this machine that its network most likely knows it by. */
const networkAddress = () =>
  Object.values(networkInterfaces())
    .flat()
    .find((address) => address?.family === 'IPv4' && !address.internal)?.address

/**
 * The address that agents are given, from the one that the page was opened at. A person at this machine opens
 * `localhost`, which does not work from another one: when the network is served, its address is used instead.
 */
export function agentUrl(config: Config, origin: string): string {
  const url = new URL(origin)
  const served = config.urls.find(({ scheme, host }) => scheme === 'http' && !isLoopback(host))
  if (config.branding.publicUrl !== undefined || !isLoopback(url.hostname) || !served) {
    return origin
  }
  const host = everyInterface.has(served.host) ? networkAddress() : served.host
  return host === undefined ? origin : `${served.scheme}://${host}:${served.port || url.port}`
}
