import type { Listener } from './response.ts'

/**
 * Serializes the pipelined requests of one connection. Node would process all requests that a peer sends ahead at once,
 * a thousand in one go, and buffer all their responses: other clients would starve.
 */
export const pipelined =
  (listener: Listener): Listener =>
  (request, response) => {
    // A response gets its socket when the previous responses are finished.
    if (response.socket) {
      listener(request, response)
    } else {
      response.once('socket', () => setImmediate(() => listener(request, response)))
    }
  }
