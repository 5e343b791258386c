import { ipcMain, type IpcMainInvokeEvent } from 'electron'
import type { ChannelHandlers } from '../shared/contract/ipc.ts'
import { channels } from '../shared/ipc.ts'

/** Answers the channels of shared/ipc.ts. A message from another frame or with another payload gets an error and runs nothing. */
export function registerChannels(
  handlers: ChannelHandlers<typeof channels>,
  isTrusted: (event: IpcMainInvokeEvent) => boolean,
): void {
  for (const [name, { request, response }] of Object.entries(channels)) {
    // The table ties each handler to its own schemas; inside the loop only the name does.
    const handle = handlers[name as keyof typeof channels] as (payload: unknown) => unknown
    ipcMain.handle(name, async (event, payload: unknown) => {
      if (!isTrusted(event)) {
        throw new Error(`${name} is refused to this frame.`)
      }
      const parsed = request.safeParse(payload)
      if (!parsed.success) {
        throw new Error(`${name} does not take this payload.`)
      }
      return response.parse(await handle(parsed.data))
    })
  }
}
