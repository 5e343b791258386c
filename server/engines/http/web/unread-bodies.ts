import type { IncomingMessage } from 'node:http'
import { freeChunk } from '../../flow/chunk-blocks.ts'
import type { Listener } from './response.ts'

/** Time for the rest of a body after its response is sent. */
const lingerMs = 2_000

const hasBody = ({ headers }: IncomingMessage) =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined

/**
 * Closes the connection of a client that keeps sending a body after its response: many clients read the response only
 * when they cannot send any more, and would show the progress of a failed upload.
 */
export const endUnread =
  (listener: Listener): Listener =>
  (request, response) => {
    if (hasBody(request)) {
      // Before Node's own listener, which would discard the body out of reach.
      response.prependOnceListener('finish', () => {
        if (!request.complete) {
          request.read(0)
          // The garbage of a flood of bodies would fill memory (T40).
          request.on('data', freeChunk)
          const timer = setTimeout(() => request.socket.destroy(), lingerMs)
          request.once('close', () => clearTimeout(timer))
        }
      })
    }
    listener(request, response)
  }
