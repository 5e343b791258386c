import { z } from 'zod'
import { defineChannels } from './contract/ipc.ts'

/** State of the server in the shell's process. */
export const ServerState = z.object({
  state: z.enum(['starting', 'running', 'stopping', 'stopped', 'failed']),
  url: z.string().nullable(),
  setupCode: z
    .string()
    .nullable()
    .describe('What the first account needs from another device, as long as there is none.'),
  problem: z
    .string()
    .nullable()
    .describe('Why the start failed, and what to do; while the server runs, it only restores a backup.'),
  isService: z
    .boolean()
    .describe('True while the window is the client of a service, also of one that does not answer yet.'),
})
export type ServerState = z.infer<typeof ServerState>

/** All channels between the window and the shell. Product features use the server's API instead. */
export const channels = defineChannels({
  getServerState: { request: z.void(), response: ServerState },
  retryStart: { request: z.void(), response: ServerState },
  openDataFolder: { request: z.void(), response: z.void() },
  getDesktopInfo: {
    request: z.void(),
    response: z.object({ version: z.string(), platform: z.string(), startAtLogin: z.boolean() }),
  },
  setStartAtLogin: { request: z.boolean(), response: z.void() },
})
