import { InvalidDataException } from '../errors.ts'
import { recordSeparator } from './text-frames.ts'

/** The first message of a client. Always JSON, whichever protocol the client requests. */
export interface HandshakeRequest {
  readonly protocol: string
  readonly version: number
}

export const maxProtocolVersion = 2

export function parseHandshake(text: string): HandshakeRequest {
  let json: { readonly protocol?: unknown; readonly version?: unknown } | null
  try {
    json = JSON.parse(text)
  } catch {
    throw new InvalidDataException('Error reading JSON.')
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw new InvalidDataException('Unexpected JSON token. Expected a JSON Object.')
  }
  const { protocol, version } = json
  if (protocol === undefined) {
    throw missing('protocol', text)
  }
  if (typeof protocol !== 'string') {
    throw new InvalidDataException("Expected 'protocol' to be of type String.")
  }
  if (version === undefined) {
    throw missing('version', text)
  }
  if (!Number.isInteger(version)) {
    throw new InvalidDataException("Expected 'version' to be of type Number.")
  }
  return { protocol, version: version as number }
}

export const handshakeAccepted = `{}${recordSeparator}`

export const handshakeRefused = (error: string): string => `${JSON.stringify({ error })}${recordSeparator}`

const missing = (name: string, text: string) =>
  new InvalidDataException(`Missing required property '${name}'. Message content: ${text}`)
