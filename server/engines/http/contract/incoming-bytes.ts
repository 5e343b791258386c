import type { IncomingMessage, ServerResponse } from 'node:http'
import { PassThrough } from 'node:stream'
import type { IncomingBytes } from '../../../../shared/contract/transfer.ts'
import { AppError, badRequest } from '../../../ground/errors.ts'
import { allowSlowBody } from '../web/http-server.ts'

const isBytes = (contentType: string) => /^application\/octet-stream\s*(;|$)/i.test(contentType)

const tooLong = (maxBytes: number) => badRequest(`The body has more than ${maxBytes} bytes.`)

/** The raw, unread body of a request. Throws 415 for another content type. */
export function incomingBytes(request: IncomingMessage, response: ServerResponse): IncomingBytes {
  const { 'content-type': type = '', 'content-length': announced } = request.headers
  if (!isBytes(type)) {
    throw new AppError(415, 'Send the body as application/octet-stream.')
  }
  const length = announced === undefined ? undefined : Number(announced)
  // Cancelling discards the remaining body, and the response can be sent on the same connection.
  const held = new PassThrough()
  held.on('error', () => {})
  async function* counted(maxBytes: number): AsyncIterable<Uint8Array> {
    let size = 0
    for await (const chunk of held as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > maxBytes) {
        throw tooLong(maxBytes)
      }
      yield chunk
    }
  }
  return {
    length,
    read(maxBytes) {
      if (length !== undefined && length > maxBytes) {
        throw tooLong(maxBytes)
      }
      allowSlowBody(request, response)
      request.on('error', () => held.destroy(badRequest('The body was cut off.'))).pipe(held)
      return counted(maxBytes)
    },
    cancel(reason) {
      request.unpipe(held)
      held.destroy(reason)
      // The rest is discarded, but a client reads the response only after sending its body.
      request.resume()
    },
  }
}
