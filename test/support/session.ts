import { expect } from 'vitest'
import { makeTicket, type RelayTicket } from '../../scripts/simulate/relay-ticket.ts'
import type { HubResult } from '../../shared/dtos/hub-result.ts'
import { connectViewer, type Viewer } from './hub-client.ts'
import type { RecordingAgent } from './recording-agent.ts'
import { joinRelay, type JoinedEnd } from './relay.ts'
import { Visitor, type TestServer } from './server.ts'

export type SessionKind = 'remote-control' | 'vnc'
export const sessionKinds: readonly SessionKind[] = ['remote-control', 'vnc']

/** Somebody at the viewer hub, with what its sockets to the relay show. */
export interface Caller {
  viewer: Viewer
  headers: Record<string, string>
}

/** A page that is signed in. */
export const callerOf = async (visitor: Visitor): Promise<Caller> => ({
  viewer: await connectViewer(visitor),
  headers: visitor.headers,
})

/** A program with a credential in a header. */
export const programCaller = async (server: TestServer, headers: Record<string, string>): Promise<Caller> => ({
  viewer: await connectViewer(new Visitor(server.url), { headers }),
  headers,
})

/** Which method of the agent hears of a session, by its kind. */
export const agentMethods = { 'remote-control': 'CreateRemoteControlSession', vnc: 'CreateVncSession' } as const

export function requestSession(
  { viewer }: Caller,
  deviceId: string,
  { sessionId, responder: websocketUri }: Pick<RelayTicket, 'sessionId' | 'responder'>,
  kind: SessionKind = 'remote-control',
): Promise<HubResult> {
  return kind === 'vnc'
    ? viewer.RequestVncSession2({ sessionId, websocketUri, deviceId })
    : viewer.RequestRemoteControlSession2({
        sessionId,
        websocketUri,
        deviceId,
        targetSystemSession: 1,
        targetProcessId: 4711,
      })
}

/** What the agent was told of the last session of a kind. */
export const requestTold = ({ told }: RecordingAgent, kind: SessionKind = 'remote-control') =>
  told.findLast(([method]) => method === agentMethods[kind])![1] as Record<string, unknown> & { websocketUri: string }

export interface RunningSession {
  ticket: RelayTicket
  viewerEnd: JoinedEnd
  deviceEnd: JoinedEnd
}

/** A session in which both ends are joined. */
export async function startSession(
  caller: Caller,
  agent: RecordingAgent,
  kind: SessionKind = 'remote-control',
): Promise<RunningSession> {
  const ticket = makeTicket(agent.url)
  expect(await requestSession(caller, agent.id, ticket, kind)).toMatchObject({ isSuccess: true })
  const [viewerEnd, deviceEnd] = await Promise.all([
    joinRelay(ticket.requester, caller.headers),
    joinRelay(requestTold(agent, kind).websocketUri),
  ])
  return { ticket, viewerEnd, deviceEnd }
}
