import type { IncomingMessage } from 'node:http'
import type { Listener } from './response.ts'

/** Time for the rest of a body once its answer is sent. */
const lingerMs = 2_000

const hasBody = ({ headers }: IncomingMessage) =>
  headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined

/**
 * Ends the connection of a client that goes on sending a body whose answer has been sent: many read it only when they can
 * send no more, and somebody would watch the progress of an upload that failed long ago.
 */
export const endUnread =
  (listener: Listener): Listener =>
  (request, response) => {
    if (hasBody(request)) {
      response.once('finish', () => {
        if (!request.complete) {
          const timer = setTimeout(() => request.socket.destroy(), lingerMs)
          request.once('close', () => clearTimeout(timer))
        }
      })
    }
    listener(request, response)
  }
