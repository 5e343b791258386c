import { z } from 'zod'
import { dto } from '../contract/fields.ts'

const right = (description: string) => z.boolean().default(true).describe(description)

/**
 * Rights of a session's viewer besides watching; enforced by the device. A missing member permits, but for sound, which
 * servers and viewers of other makes do not know.
 */
export const SessionPolicy = dto('SessionPolicy', {
  canInteract: right('Move the pointer, press buttons and keys, type text.'),
  canReadClipboard: right('Receive the text that is on the clipboard of the device.'),
  canWriteClipboard: right('Put text on the clipboard of the device.'),
  canBlockInput: right("Keep the person's own pointer and keyboard from acting, and blank the screens."),
  canUseSecureDesktop: right('See and use sign-in, lock screens and questions for an administrator.'),
  canHear: z.boolean().default(false).describe('Hear what the device plays.'),
})
export type SessionPolicy = z.output<typeof SessionPolicy>

/** Policy of a request without a policy: everything is permitted but sound. */
export const openPolicy: SessionPolicy = SessionPolicy.parse({})

/** Policy that a viewer asks for to have all that its rights permit. */
export const fullPolicy: SessionPolicy = { ...openPolicy, canHear: true }

/** Policy of a viewer who only watches and listens: enforced by the device, whatever the viewer sends. */
export const watchingPolicy: SessionPolicy = {
  ...fullPolicy,
  canInteract: false,
  canReadClipboard: false,
  canWriteClipboard: false,
  canBlockInput: false,
}
