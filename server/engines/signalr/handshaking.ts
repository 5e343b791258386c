import { describe } from './errors.ts'
import type { HubOptions } from './options.ts'
import { maxProtocolVersion, parseHandshake, type HandshakeRequest } from './protocol/handshake.ts'
import { jsonProtocol } from './protocol/json.ts'
import { messagePackProtocol } from './protocol/messagepack.ts'
import type { HubProtocol } from './protocol/messages.ts'
import type { ReceiveBuffer } from './protocol/receive-buffer.ts'
import { MessageTooLarge, readTextFrame } from './protocol/text-frames.ts'
import type { Transport } from './transports/transport.ts'

const protocols: readonly HubProtocol[] = [jsonProtocol, messagePackProtocol]

/** Reads the handshake request from `input` and accepts or rejects it; undefined while the request is incomplete. */
export function readHandshake(
  input: ReceiveBuffer,
  transport: Transport,
  options: HubOptions,
  maxBytes: number | null,
): { protocol: HubProtocol } | { error: string } | undefined {
  try {
    const text = readTextFrame(input, maxBytes ?? options.applicationBufferBytes)
    return text === undefined ? undefined : choose(parseHandshake(text), transport, options)
  } catch (thrown) {
    if (thrown instanceof MessageTooLarge) {
      return { error: 'Handshake was canceled.' }
    }
    return {
      error: describe('An unexpected error occurred during connection handshake.', thrown, options.detailedErrors),
    }
  }
}

function choose(
  request: HandshakeRequest,
  transport: Transport,
  options: HubOptions,
): { protocol: HubProtocol } | { error: string } {
  const name = request.protocol.toLowerCase()
  const protocol = protocols.find((candidate) => candidate.name === name && options.protocols.includes(candidate.name))
  if (!protocol) {
    return { error: `The protocol '${request.protocol}' is not supported.` }
  }
  if (request.version > maxProtocolVersion) {
    return { error: `The server does not support version ${request.version} of the '${request.protocol}' protocol.` }
  }
  if (protocol.format === 'Binary' && !transport.carriesBinary) {
    return {
      error: `Cannot use the '${protocol.name}' protocol on the current transport. The transport does not support 'Binary' transfer format.`,
    }
  }
  return { protocol }
}
