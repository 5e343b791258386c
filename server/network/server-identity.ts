import type { ServerIdentityDto } from '../../shared/server-identity.ts'
import type { App } from '../call/call.ts'
import { secureAddresses, serverName } from './addresses.ts'

/** Address limit of a statement. */
const mostAddresses = 64

/** Identity statement of this server, signed by its authority: its encrypted addresses in order of preference. */
export async function describeServer(app: App): Promise<ServerIdentityDto> {
  const origins = new Set(secureAddresses(app).map((address) => new URL(address).origin))
  const releaseKeys = await app.releaseKeys.named()
  return (await app.tls()).statement([...origins].slice(0, mostAddresses), serverName(), releaseKeys)
}
