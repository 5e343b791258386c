import { startRealAgent, type RealAgent } from '../../tools/simulate/real-agent.ts'
import { agentProgram } from './built-programs.ts'
import type { Member } from './server.ts'

export type RealDevice = RealAgent

/**
 * Registers this machine and waits until it is online; the caller calls `stop`. The agent runs in this environment,
 * with `environment` added.
 */
export const startRealDevice = (owner: Member, environment?: NodeJS.ProcessEnv): Promise<RealDevice> =>
  startRealAgent(owner.url, owner, {
    program: agentProgram,
    words: ['--as-service'],
    ...(environment && { environment }),
  })
