import type { ServerIdentityDto } from '../../../shared/server-identity.ts'
import type { App } from '../../call.ts'
import { secureAddresses, serverName } from '../network/addresses.ts'

/** More than a statement may hold no machine needs. */
const mostAddresses = 64

/** What this server proves itself with, signed by its authority: its encrypted addresses, the best first. */
export async function describeServer(app: App): Promise<ServerIdentityDto> {
  const origins = new Set(secureAddresses(app).map((address) => new URL(address).origin))
  const releaseKeys = await app.releaseKeys.named()
  return (await app.tls()).statement([...origins].slice(0, mostAddresses), serverName(), releaseKeys)
}
