import type { ChannelClient } from '../../shared/contract/ipc.ts'
import type { channels } from '../../shared/ipc.ts'

declare global {
  interface Window {
    desktop?: ChannelClient<typeof channels>
  }
}

/** Bridge to the desktop shell; undefined in a browser. */
export const desktop = window.desktop
