import type { DesktopSession } from '../../shared/dtos/desktop-session.ts'
import { success, successOf } from '../../shared/dtos/hub-result.ts'
import { agentHub } from '../../shared/hubs/agent-hub.ts'
import { enroll, freshTimestamp, type AgentConnection, type TestAgent } from './agent.ts'
import type { ManualClock } from './clock.ts'
import type { Member } from './server.ts'

/** Desktop as listed by agents. */
export const desktop = (systemSessionId: number): DesktopSession => ({
  areRemoteControlPermissionsGranted: true,
  desktopName: 'Default',
  name: `Console ${systemSessionId}`,
  processId: 4710 + systemSessionId,
  systemSessionId,
  type: 0,
  username: 'person',
})

/** Device whose agent accepts every call, and records the calls. */
export interface RecordingAgent extends AgentConnection {
  id: string
  /** Address of the server. */
  url: string
  agent: TestAgent
  /** Recorded calls: method and arguments. */
  told: unknown[][]
  /** Answers that replace the default, by method. */
  answers: Record<string, (...args: never[]) => unknown>
  /** Clears recorded calls and answers. */
  reset(): void
}

const agreements: Record<string, unknown> = {
  CreateTerminalSession: { ...success, isPty: true, shell: '/bin/bash' },
  GetActiveDesktopSessions: [desktop(1), desktop(2)],
  GetPwshCompletions: successOf({
    replacementIndex: 0,
    replacementLength: 5,
    completionMatches: [{ completionText: 'Get-ChildItem', listItemText: 'Get-ChildItem', matchType: 2, toolTip: '' }],
    hasMorePages: false,
    totalCount: 1,
    currentPage: 0,
  }),
}

interface Options {
  clock?: ManualClock
  isShared?: boolean
  agent?: TestAgent
  /** Headers of the connection. */
  headers?: Record<string, string>
}

export async function recordingAgent(
  owner: Member,
  { clock, isShared = false, agent, headers = {} }: Options = {},
): Promise<RecordingAgent> {
  const enrolled = agent ?? (await enroll(owner))
  const told: unknown[][] = []
  const answers: RecordingAgent['answers'] = {}
  const connected = await enrolled.open(owner.url, {}, { isShared, headers })
  for (const [method, { returns }] of Object.entries(agentHub.client as Record<string, { returns?: unknown }>)) {
    connected.connection.off(method)
    connected.connection.on(method, (...args: unknown[]) => {
      told.push([method, ...args])
      const answer = answers[method] as ((...args: unknown[]) => unknown) | undefined
      return returns ? (answer ? answer(...args) : (agreements[method] ?? success)) : undefined
    })
  }
  const timestamp = clock && { timestamp: freshTimestamp(clock.now()) }
  const answer = await connected.UpdateDeviceSigned(enrolled.signed(enrolled.report(), timestamp))
  if (!answer.isSuccess) {
    throw new Error(`The first update was refused: ${answer.reason}`)
  }
  return {
    ...connected,
    id: enrolled.id,
    url: owner.url,
    agent: enrolled,
    told,
    answers,
    reset() {
      told.length = 0
      for (const method of Object.keys(answers)) {
        delete answers[method]
      }
    },
  }
}
