import { z } from 'zod'

/** Messages of a server to the process that supervises it. */
export const ServerMessage = z.discriminatedUnion('farhand', [
  z.object({ farhand: z.literal('listening'), urls: z.array(z.string()) }),
  z.object({ farhand: z.literal('agents-back'), count: z.number() }),
])
export type ServerMessage = z.output<typeof ServerMessage>

/** Message of the supervising process: the update is settled. */
export const settledMessage = { farhand: 'update-settled' } as const

export const isSettledMessage = (message: unknown): boolean =>
  typeof message === 'object' && message !== null && 'farhand' in message && message.farhand === settledMessage.farhand
