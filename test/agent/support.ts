import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { WebSocketServer, type WebSocket } from 'ws'
import type { Clock } from '../../agent/base/clock.ts'
import type { CommandLine } from '../../agent/base/command-line.ts'
import type { Log } from '../../agent/base/log.ts'
import { steppedClock } from '../support/clock.ts'

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'farhand-agent-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export interface ManualClock extends Clock {
  advance(ms: number): void
}

/** Clock that the test advances. */
export function manualClock(startMs = Date.UTC(2026, 0, 2)): ManualClock {
  const { clock, steps } = steppedClock(startMs)
  return { ...clock, advance: (ms) => void [...steps(ms)] }
}

export interface CollectedLog extends Log {
  lines: string[]
}

export function collectingLog(): CollectedLog {
  const lines: string[] = []
  const add = (fields: object, message: string) => void lines.push(`${message} ${JSON.stringify(fields)}`)
  return { lines, debug: add, info: add, warn: add, error: add }
}

/** Ends each message of the hub protocol. */
export const separator = '\x1e'

/** Starts a scripted hub: performs the handshake and answers each message with the result of `answer`. */
export async function scriptedHub(
  answer: (message: { type: number; [name: string]: unknown }) => unknown = () => undefined,
) {
  const sockets: WebSocket[] = []
  const received: { type: number; [name: string]: unknown }[] = []
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', path: '/hubs/agent' })
  server.on('connection', (socket) => {
    sockets.push(socket)
    socket.on('message', (data: Buffer) => {
      for (const text of data
        .toString('utf8')
        .split(separator)
        .filter((part) => part !== '')) {
        const message = JSON.parse(text)
        const reply = message.protocol ? {} : answer(message)
        if (!message.protocol && message.type !== 6) {
          received.push(message)
        }
        if (reply !== undefined) {
          socket.send(JSON.stringify(reply) + separator)
        }
      }
    })
  })
  await new Promise((resolve) => server.once('listening', resolve))
  onTestFinished(() => {
    sockets.forEach((socket) => socket.terminate())
    server.close()
  })
  const send = (message: object) => sockets.at(-1)?.send(JSON.stringify(message) + separator)
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sockets, received, send }
}

/** Records installers in place of starting them; none ends. */
export function recordingStart() {
  const started: CommandLine[] = []
  const start = async (command: CommandLine) => {
    started.push(command)
    return { ended: new Promise<string>(() => {}) }
  }
  return { started, start }
}
