import { z } from 'zod'

const right = (description: string) => z.boolean().default(true).describe(description)

/** What the viewer of a session may do beside looking; the device enforces it. A member that is not there permits. */
export const SessionPolicy = z
  .object({
    canInteract: right('Move the pointer, press buttons and keys, type text.'),
    canReadClipboard: right('Receive the text that is on the clipboard of the device.'),
    canWriteClipboard: right('Put text on the clipboard of the device.'),
    canBlockInput: right("Keep the person's own pointer and keyboard from acting."),
  })
  .meta({ id: 'SessionPolicy' })
export type SessionPolicy = z.output<typeof SessionPolicy>

/** Everything is permitted: what holds when a request names no policy. */
export const openPolicy: SessionPolicy = SessionPolicy.parse({})
