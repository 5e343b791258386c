import { createHmac } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

interface Received {
  path: string
  headers: NodeJS.Dict<string | string[]>
  body: string
}

/** A receiver of webhooks on this machine: a real HTTP server that the test can make fail. */
export interface WebhookReceiver {
  url: string
  received: Received[]
  /** Answers with these statuses, then with 200. */
  statuses: number[]
  /** Header of redirects. */
  location: string | undefined
  close(): Promise<void>
}

export async function webhookReceiver(port = 0): Promise<WebhookReceiver> {
  const receiver = await startWebhookReceiver(port)
  onTestFinished(receiver.close)
  return receiver
}

/** A receiver that its test closes. */
export async function startWebhookReceiver(port = 0): Promise<WebhookReceiver> {
  const server: Server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      receiver.received.push({ path: request.url ?? '', headers: request.headers, body })
      response.writeHead(receiver.statuses.shift() ?? 200, receiver.location ? { location: receiver.location } : {})
      response.end('seen')
    })
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const close = () =>
    new Promise<void>((resolve) => {
      server.closeAllConnections()
      server.close(() => resolve())
    })
  const { port: own } = server.address() as AddressInfo
  const receiver: WebhookReceiver = {
    url: `http://127.0.0.1:${own}/hook`,
    received: [],
    statuses: [],
    location: undefined,
    close,
  }
  return receiver
}

/** Verifies a request as Standard Webhooks describes it, with one secret. */
export function isSignedWith(secret: string, { headers, body }: Received): boolean {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const text = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`
  const wanted = `v1,${createHmac('sha256', key).update(text).digest('base64')}`
  return String(headers['webhook-signature']).split(' ').includes(wanted)
}
