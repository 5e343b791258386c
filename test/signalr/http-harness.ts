import { afterEach } from 'vitest'
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { WebSocket } from 'ws'
import type { Log } from '../../server/ground/log.ts'
import { startTestHub, type RunningTestHub, type TestHubSettings } from '../support/test-hub.ts'
import { createTestClock, type TestClock } from '../support/wire.ts'

/** The test hub over real HTTP with a stopped clock: one per test, closed after the test. */
export let running: RunningTestHub | undefined
export let clock: TestClock
afterEach(async () => {
  if (running) {
    const stopped = running.stop()
    await clock.advance(0)
    await stopped
    running = undefined
  }
})

export async function start(options: TestHubSettings['options'] = {}, log?: Log) {
  clock = createTestClock()
  return (running = await startTestHub({ options: { shutdownTimeoutMs: 0, ...options }, clock, ...(log && { log }) }))
}

export const url = (query = '') => `${running?.url}${query}`
export const handshake = '{"protocol":"json","version":1}\x1e'

export async function negotiate(query = '?negotiateVersion=1') {
  const response = await fetch(url(`/negotiate${query}`), { method: 'POST' })
  return { response, json: (await response.json()) as Record<string, string> }
}

export const newToken = async () => (await negotiate()).json['connectionToken'] as string

export async function ask(method: string, query: string, init: RequestInit = {}) {
  const response = await fetch(url(query), { method, ...init })
  return { status: response.status, type: response.headers.get('content-type'), body: await response.text() }
}

/** Resolves with the next request, and its response, once the hub has it. */
export const nextRequest = () => once(running!.http, 'request') as Promise<[IncomingMessage, ServerResponse]>

export const plain = (status: number, body = '') => ({ status, type: 'text/plain', body })

/** Opens a WebSocket; resolves with the socket, or with the status and body of the rejection. */
export function openSocket(query: string) {
  const socket = new WebSocket(url(query).replace('http', 'ws'))
  return new Promise<{ socket: WebSocket; status?: number; body?: string; frames: string[] }>((resolve) => {
    const frames: string[] = []
    socket.on('message', (data, isBinary) => frames.push(`${isBinary ? 'binary' : 'text'} ${String(data)}`))
    socket.on('open', () => resolve({ socket, frames }))
    socket.on('error', () => {})
    socket.on('unexpected-response', (_request, response: IncomingMessage) => {
      void response.toArray().then((chunks) => {
        resolve({ socket, frames, status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() })
      })
    })
  })
}
