import { expect } from 'vitest'
import { makeTicket, type RelayTicket } from '../../tools/simulate/relay-ticket.ts'
import type { HubResult } from '../../shared/dtos/hub-result.ts'
import { fullPolicy } from '../../shared/remote-control/policy.ts'
import { connectViewer, type Viewer } from './hub-client.ts'
import type { RecordingAgent } from './recording-agent.ts'
import { joinRelay, type JoinedEnd } from './relay.ts'
import { Visitor, type TestServer } from './server.ts'

export type SessionKind = 'remote-control' | 'vnc'
export const sessionKinds: readonly SessionKind[] = ['remote-control', 'vnc']

/** Viewer hub connection, with the headers of its relay sockets. */
export interface Caller {
  viewer: Viewer
  headers: Record<string, string>
}

/** Caller for a signed-in page. */
export const callerOf = async (visitor: Visitor): Promise<Caller> => ({
  viewer: await connectViewer(visitor),
  headers: visitor.headers,
})

/** Caller for a program with a credential in a header. */
export const programCaller = async (server: TestServer, headers: Record<string, string>): Promise<Caller> => ({
  viewer: await connectViewer(new Visitor(server.url), { headers }),
  headers,
})

/** Agent methods that start a session, by kind. */
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
        policy: fullPolicy,
      })
}

/** Arguments of the agent's last session request of a kind. */
export const requestTold = ({ told }: RecordingAgent, kind: SessionKind = 'remote-control') =>
  told.findLast(([method]) => method === agentMethods[kind])![1] as Record<string, unknown> & { websocketUri: string }

export interface RunningSession {
  ticket: RelayTicket
  viewerEnd: JoinedEnd
  deviceEnd: JoinedEnd
}

/** Starts a session with both ends connected. */
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
