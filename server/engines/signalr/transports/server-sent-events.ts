import type { ServerResponse } from 'node:http'
import type { Payload } from '../protocol/messages.ts'
import type { Transport, TransportPeer } from './transport.ts'

const headers = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache,no-store',
  Pragma: 'no-cache',
  'Content-Encoding': 'identity',
  'X-Accel-Buffering': 'no',
}

/** Sends output over one endless response; the client sends by POST. Text only. */
export class ServerSentEventsTransport implements Transport {
  readonly name = 'ServerSentEvents'
  readonly carriesBinary = false
  readonly isContinuous = true
  readonly isReachable = true
  format: 'Text' | 'Binary' = 'Text'
  readonly #response: ServerResponse

  constructor(response: ServerResponse, peer: TransportPeer) {
    this.#response = response
    response.on('close', () => peer.transportClosed(true))
    response.on('error', () => {})
    response.on('drain', () => peer.drained())
    response.writeHead(200, headers)
    response.write(':\r\n')
  }

  get bufferedBytes(): number {
    return this.#response.writableNeedDrain ? this.#response.writableLength : 0
  }

  get writeMark(): number | undefined {
    const buffered = this.#response.writableLength
    return buffered > 0 ? (this.#response.socket?.bytesWritten ?? 0) - buffered : undefined
  }

  write(payload: Payload): void {
    this.#response.write(toEvent(payload.toString()))
  }

  end(): void {
    this.#response.end()
  }

  destroy(): void {
    this.#response.destroy()
  }
}

/** Encodes one event. A line break inside the payload would end the field, so every line gets its own field. */
export function toEvent(payload: string): string {
  if (!payload.includes('\n')) {
    return `data: ${payload}\r\n\r\n`
  }
  const lines = payload.split('\n').map((line, i, all) => {
    const isLast = i === all.length - 1
    return `data: ${!isLast && line.endsWith('\r') ? line.slice(0, -1) : line}\r\n`
  })
  return `${lines.join('')}\r\n`
}
