import type { Listener } from './response.ts'

/**
 * Takes the requests of one connection one after the other. Node would hand over at once what a peer sends ahead, a
 * thousand requests in one go, and hold all their answers: nobody else would be served meanwhile.
 */
export const pipelined =
  (listener: Listener): Listener =>
  (request, response) => {
    // A response gets its socket when those before it are finished.
    if (response.socket) {
      listener(request, response)
    } else {
      response.once('socket', () => setImmediate(() => listener(request, response)))
    }
  }
