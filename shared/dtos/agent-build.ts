import { z } from 'zod'
import { dateTime } from '../contract/fields.ts'
import { RuntimeId } from './agent-bundle.ts'

/** Building the agent for one system on the server, while it goes on and after. */
export const AgentBuildDto = z
  .object({
    runtime: RuntimeId,
    state: z.enum(['running', 'done', 'failed']),
    startedAt: dateTime,
    step: z.number().int().meta({ description: 'The one that goes on; 0 before the first.' }),
    steps: z.number().int().meta({ description: 'How many there are; 0 while that is not known.' }),
    text: z.string().meta({ description: 'What it does, or why it failed.' }),
  })
  .meta({ id: 'AgentBuildDto' })
export type AgentBuildDto = z.output<typeof AgentBuildDto>

export const StartAgentBuildDto = z
  .object({ runtime: RuntimeId.exclude(['win-x86']) })
  .meta({ id: 'StartAgentBuildDto', description: 'There is no Node for 32-bit Windows, so no agent either.' })
export type BuildableRuntime = z.output<typeof StartAgentBuildDto>['runtime']
