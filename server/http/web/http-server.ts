import { Server, type IncomingMessage, type ServerOptions, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { pipelined } from './pipelined.ts'
import { endUnread } from './unread-bodies.ts'
import { Response, type Listener } from './response.ts'

/** Connections whose present request may take longer to arrive than others. */
const patient = new WeakSet<Duplex>()

/** Lifts the time limit of a request until it is answered; its reader has a limit of its own. */
export function allowSlowBody({ socket }: IncomingMessage, response: ServerResponse): void {
  patient.add(socket)
  response.once('close', () => patient.delete(socket))
}

/** Whether an event of a server is the end of a request that takes too long to arrive, and that was allowed. */
export function isForgiven(event: string, args: readonly unknown[]): boolean {
  const [error, socket] = args as [NodeJS.ErrnoException?, Duplex?]
  return (
    event === 'clientError' && error?.code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket !== undefined && patient.has(socket)
  )
}

/** Node's server with our responses. It ends a request that takes too long to arrive, unless that was allowed. */
export class HttpServer extends Server<typeof IncomingMessage, typeof Response> {
  constructor(options: ServerOptions, listener: Listener) {
    super({ ...options, ServerResponse: Response }, pipelined(endUnread(listener)))
  }

  override emit(event: string, ...args: unknown[]): boolean {
    return isForgiven(event, args) || super.emit(event, ...(args as []))
  }
}
