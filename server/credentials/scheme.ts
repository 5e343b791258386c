import type { IncomingMessage } from 'node:http'
import type { RemoteAddressOf } from '../engines/http/web/remote-address.ts'
import type { Origins } from '../engines/http/web/origins.ts'
import type { Principal } from '../ground/principal.ts'

/** True if a request has a non-empty header: an empty header is no credential. */
export const hasHeader = ({ headers }: IncomingMessage, name: string): boolean =>
  String(headers[name] ?? '').trim() !== ''

export interface Scheme {
  /** True if the request has this kind of credential, valid or not. */
  handles(request: IncomingMessage): boolean
  authenticate(request: IncomingMessage): Principal | undefined | Promise<Principal | undefined>
}

export interface SchemeOptions {
  remoteAddressOf: RemoteAddressOf
  origins: Origins
}
