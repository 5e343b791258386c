import { z } from 'zod'

/**
 * What a viewer may do in a session. The server decides it, and the device holds to it: a viewer that is changed cannot
 * go beyond. Devices of other makers ignore it.
 */
export const SessionPolicy = z
  .object({
    canInteract: z.boolean().meta({ description: 'Pointer and keyboard; without it the session is view only.' }),
    canReadClipboard: z.boolean().meta({ description: 'Text of the clipboard of the device goes to the viewer.' }),
    canWriteClipboard: z.boolean().meta({ description: 'Text of the viewer goes to the clipboard of the device.' }),
    canBlockInput: z.boolean().meta({ description: "The person's own pointer and keyboard can be switched off." }),
  })
  .meta({ id: 'SessionPolicy' })
export type SessionPolicy = z.output<typeof SessionPolicy>

/** Of a session whose request has no policy. */
export const unrestricted: SessionPolicy = {
  canInteract: true,
  canReadClipboard: true,
  canWriteClipboard: true,
  canBlockInput: true,
}
