import { z } from 'zod'
import { dto, id, numberEnum } from '../contract/fields.ts'

export const DesktopSessionType = numberEnum('DesktopSessionType', { Console: 0, Rdp: 1 })

/** A desktop of a device that can be viewed. */
export const DesktopSession = dto('DesktopSession', {
  areRemoteControlPermissionsGranted: z
    .boolean()
    .default(false)
    .describe(
      'Whether the system lets the agent show and control this desktop; false on macOS until a person grants it.',
    ),
  asksPerson: z
    .boolean()
    .optional()
    .describe('Whether the system asks the person at the desktop before the next session; ours alone.'),
  desktopName: z.string().default('').describe('Desktop environment or window manager; empty where it is not known.'),
  name: z.string().default('').describe('Title for people, such as `Console - X11: :0`.'),
  processId: z.number().int().describe('Process of the desktop client: names the session in all calls.'),
  systemSessionId: z.number().int().default(0).describe('Session number of the operating system.'),
  type: DesktopSessionType.default(0).describe('`Console`, or `Rdp` for a remote desktop session of Windows.'),
  username: z.string().default('').describe('User whose desktop it is; empty at a sign-in screen.'),
})
export type DesktopSession = z.output<typeof DesktopSession>

export const DesktopPreviewRequestDto = dto('DesktopPreviewRequestDto', {
  requesterId: id,
  streamId: id,
  targetProcessId: z.number().int(),
})
