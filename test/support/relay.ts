import { onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import type { TestServer } from './server.ts'
import { until } from './until.ts'

/** End of a session, with its received messages. */
export interface JoinedEnd {
  socket: WebSocket
  messages: Buffer[]
  /** Resolves with code and reason. */
  closed: Promise<[number, string]>
}

/** Resolves when both ends are connected; rejects with `Unexpected server response: <status>`. */
export function joinRelay(address: string, headers: Record<string, string> = {}): Promise<JoinedEnd> {
  const socket = new WebSocket(address, { headers, perMessageDeflate: false })
  onTestFinished(() => socket.terminate())
  const messages: Buffer[] = []
  socket.on('message', (message: Buffer) => void messages.push(message))
  const closed = new Promise<[number, string]>((resolve) =>
    socket.on('close', (code, reason) => resolve([code, reason.toString()])),
  )
  return new Promise((resolve, reject) => {
    socket.on('open', () => resolve({ socket, messages, closed }))
    socket.on('error', reject)
  })
}

/** Waits until the given number of a session's peers are connected to the relay. */
export const arrivedPeers = ({ log }: TestServer, sessionId: string, count: number) =>
  until(() => {
    const isArrival = ({ fields, message }: TestServer['log']['lines'][number]) =>
      message === 'A relay peer connected.' && (fields as { sessionId: string }).sessionId === sessionId
    return log.lines.filter(isArrival).length >= count
  })

/** Status with which the server rejects an end; fails when the end is accepted. */
export async function refusedWith(address: string, headers: Record<string, string> = {}): Promise<number> {
  const error = await joinRelay(address, headers).then(
    () => new Error('It was let in.'),
    (refusal: Error) => refusal,
  )
  const status = /Unexpected server response: (\d+)/.exec(error.message)?.[1]
  if (status === undefined) {
    throw error
  }
  return Number(status)
}
