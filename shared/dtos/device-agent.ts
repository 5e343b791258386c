import { z } from 'zod'
import { id } from '../contract/fields.ts'

export const DeviceAgentDto = z
  .object({
    deviceId: id,
    make: z.string().nullable().meta({
      description: 'As the agent reports it: empty when it names none, null before its first report. Not proved.',
    }),
    isUpdatable: z.boolean().meta({ description: 'False for agents of another make.' }),
    isUpdateOffered: z.boolean().meta({
      description: 'The agent is updatable, and its version differs from the one that this server offers.',
    }),
  })
  .meta({ id: 'DeviceAgentDto' })
export type DeviceAgentDto = z.output<typeof DeviceAgentDto>
