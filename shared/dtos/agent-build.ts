import { z } from 'zod'
import { dateTime, dto } from '../contract/fields.ts'
import { RuntimeId } from './agent-bundle.ts'

/** Progress and outcome of building the agent for one system on the server. */
export const AgentBuildDto = dto('AgentBuildDto', {
  runtime: RuntimeId.describe('System that the agent is built for.'),
  state: z.enum(['running', 'done', 'failed']).describe('`running`, or how the last build ended.'),
  startedAt: dateTime.describe('When this build started.'),
  step: z.number().int().describe('Number of the current step; 0 before the first.'),
  steps: z.number().int().describe('Number of steps; 0 while unknown.'),
  text: z.string().describe('Current step in words, or the reason of the failure.'),
})
export type AgentBuildDto = z.output<typeof AgentBuildDto>

export const StartAgentBuildDto = dto(
  'StartAgentBuildDto',
  { runtime: RuntimeId.exclude(['win-x86']).describe('System to build for.') },
  { description: 'There is no Node for 32-bit Windows, so no agent either.' },
)
export type BuildableRuntime = z.output<typeof StartAgentBuildDto>['runtime']
