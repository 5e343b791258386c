import { z } from 'zod'
import { dto, textOrNull } from '../contract/fields.ts'
import { deviceId } from './references.ts'

export const DeviceAgentDto = dto('DeviceAgentDto', {
  deviceId,
  make: textOrNull.describe(
    'As reported by the agent, unverified: empty if the agent names none, null before its first report.',
  ),
  isUpdatable: z.boolean().describe('False for agents of another make.'),
  isUpdateOffered: z
    .boolean()
    .describe('The agent is updatable, and its version differs from the one that this server offers.'),
})
export type DeviceAgentDto = z.output<typeof DeviceAgentDto>
