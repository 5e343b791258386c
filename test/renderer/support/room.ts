import type { RealDevice } from '../../support/real-device.ts'
import { test as base } from './stage.ts'

/** This machine as a device of the server that tests share: they leave both as they are. */
export const test = base.extend<{ device: RealDevice }>({
  device: ({ room }, use) => use(room),
})
