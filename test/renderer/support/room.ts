import type { RealDevice } from '../../support/real-device.ts'
import { test as base, usePage } from './fixtures.ts'

/** Server, first user and this machine as a device, which the tests of a process share: they leave them as they are. */
export const test = base.extend<{ device: RealDevice }>({
  server: ({ room }, use) => use(room.server),
  owner: async ({ room, context }, use) => {
    await usePage(context, room.owner)
    await use(room.owner)
  },
  device: ({ room, owner: _ }, use) => use(room.device),
})
