import { z } from 'zod'
import { dateTime, dto } from '../contract/fields.ts'
import { RuntimeId } from './agent-bundle.ts'

/** The agent offered for a system. */
export const AgentReleaseDto = dto('AgentReleaseDto', {
  runtime: RuntimeId.describe('System that the agent is for.'),
  build: z.number().int().describe('Its place among everything this server has signed.'),
  version: z.string().describe('Of the agent.'),
  signedAt: dateTime.describe('When this server signed it first, or let agents go back to it.'),
  newer: z
    .object({
      version: z.string().describe('Version of the later agent.'),
      signedAt: dateTime.describe('When the later agent was signed.'),
    })
    .nullable()
    .describe('A later release that was offered before: agents refuse to go back from it.'),
})
export type AgentReleaseDto = z.output<typeof AgentReleaseDto>
