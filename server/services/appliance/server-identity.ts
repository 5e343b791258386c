import { hostname } from 'node:os'
import type { ServerIdentityDto } from '../../../shared/server-identity.ts'
import type { App } from '../../call.ts'
import { addressesOfMachine, isEveryInterface, isLoopbackHost } from '../../machine.ts'

const inUrl = (address: string) => (address.includes(':') ? `[${address}]` : address)

/** Origins by which other machines reach this server, the configured one first. */
function addressesOf({ config, listeners }: App): string[] {
  const { publicUrl } = config.branding
  const served = listeners
    .list()
    .filter(({ problem, host }) => problem === null && !isLoopbackHost(host))
    .flatMap(({ scheme, host, port }) => {
      const hosts = isEveryInterface(host) ? [`${hostname()}.local`, ...addressesOfMachine()] : [host]
      return hosts.map((name) => `${scheme}://${inUrl(name)}:${port}`)
    })
  return [...new Set([...(publicUrl === undefined ? [] : [new URL(publicUrl).origin]), ...served])]
}

/** What this server proves itself with, signed by its authority. */
export async function describeServer(app: App): Promise<ServerIdentityDto> {
  const tls = await app.tls()
  return tls.statement(addressesOf(app), hostname())
}
