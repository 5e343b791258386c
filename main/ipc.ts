import { ipcMain, type IpcMainInvokeEvent } from 'electron'
import type { ChannelHandlers } from '../shared/contract/ipc.ts'
import { channels } from '../shared/ipc.ts'

/**
 * Handles the channels of shared/ipc.ts. A message from another frame, or with an invalid payload, is rejected without
 * running a handler.
 */
export function registerChannels(
  handlers: ChannelHandlers<typeof channels>,
  isTrusted: (event: IpcMainInvokeEvent) => boolean,
): void {
  for (const [name, { request, response }] of Object.entries(channels)) {
    // The table pairs each handler with its schemas; inside the loop this type is lost.
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
