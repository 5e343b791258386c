import type { ChannelClient } from '../../shared/contract/ipc.ts'
import type { channels } from '../../shared/ipc.ts'

declare global {
  interface Window {
    desktop?: ChannelClient<typeof channels>
  }
}

/** The desktop shell; undefined in a browser, where everything else works the same. */
export const desktop = window.desktop
