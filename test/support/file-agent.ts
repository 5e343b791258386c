import type { HubConnection } from '@microsoft/signalr'
import { Subject } from '@microsoft/signalr'
import type { HubClientHandlers } from '../../shared/contract/hub.ts'
import type { FileUploadHubDto } from '../../shared/dtos/file-system.ts'
import type { agentHub } from '../../shared/hubs/agent-hub.ts'
import type { z } from 'zod'
import { enroll, freshTimestamp, type AgentConnection, type TestAgent } from './agent.ts'
import type { ManualClock } from './clock.ts'
import type { Member } from './server.ts'

export type AgentHandlers = Partial<HubClientHandlers<typeof agentHub>>
type UploadRequest = z.output<typeof FileUploadHubDto>

/** Device whose agent answers as scripted. */
export interface FileAgent extends AgentConnection {
  id: string
  agent: TestAgent
  /** Sends a stream like real agents, without waiting for an answer. */
  send(method: string, args: unknown[], items: Iterable<unknown>, error?: Error): void
  /** Fetches an upload up to its end or its error. */
  fetch(request: UploadRequest): Promise<Buffer>
}

export const base64 = (text: string | Uint8Array) => Buffer.from(text).toString('base64')

/** Cuts content into pieces of the size that real agents send. */
export function* pieces(content: Uint8Array, length = 30_720): Generator<string> {
  for (let at = 0; at < content.length; at += length) {
    yield base64(content.subarray(at, at + length))
  }
}

export function sendStream(
  connection: HubConnection,
  method: string,
  args: unknown[],
  items: Iterable<unknown>,
  error?: Error,
): void {
  const subject = new Subject<unknown>()
  void connection.send(method, ...args, subject).catch(() => {})
  for (const item of items) {
    subject.next(item)
  }
  if (error) {
    subject.error(error)
  } else {
    subject.complete()
  }
}

function fetchStream(connection: HubConnection, request: UploadRequest): Promise<Buffer> {
  const chunks: Buffer[] = []
  return new Promise((resolve, reject) => {
    connection.stream<string>('GetFileStreamFromViewer', request).subscribe({
      next: (chunk) => void chunks.push(Buffer.from(chunk, 'base64')),
      error: reject,
      complete: () => resolve(Buffer.concat(chunks)),
    })
  })
}

/** Enrolls a device and connects its agent. */
export async function connectFileAgent(
  owner: Member,
  handlers: AgentHandlers = {},
  clock?: ManualClock,
  { isShared = false } = {},
): Promise<FileAgent> {
  const agent = await enroll(owner)
  const connected = await agent.open(owner.url, handlers, { isShared })
  const timestamp = clock && { timestamp: freshTimestamp(clock.now()) }
  const answer = await connected.UpdateDeviceSigned(agent.signed(agent.report(), timestamp))
  if (!answer.isSuccess) {
    throw new Error(`The first update was refused: ${answer.reason}`)
  }
  const { connection } = connected
  return {
    ...connected,
    id: agent.id,
    agent,
    send: (method, args, items, error) => sendStream(connection, method, args, items, error),
    fetch: (request) => fetchStream(connection, request),
  }
}
