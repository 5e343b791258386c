import { z } from 'zod'
import { deviceId } from './references.ts'

export const DeviceAgentDto = z
  .object({
    deviceId,
    make: z
      .string()
      .nullable()
      .describe('As the agent reports it: empty when it names none, null before its first report. Not proved.'),
    isUpdatable: z.boolean().describe('False for agents of another make.'),
    isUpdateOffered: z
      .boolean()
      .describe('The agent is updatable, and its version differs from the one that this server offers.'),
  })
  .meta({ id: 'DeviceAgentDto' })
export type DeviceAgentDto = z.output<typeof DeviceAgentDto>
