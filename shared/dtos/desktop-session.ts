import { z } from 'zod'
import { id, numberEnum } from '../contract/fields.ts'

export const DesktopSessionType = numberEnum('DesktopSessionType', { Console: 0, Rdp: 1 })

/** A desktop of a device that can be viewed. */
export const DesktopSession = z
  .object({
    areRemoteControlPermissionsGranted: z.boolean().default(false),
    desktopName: z.string().default(''),
    name: z.string().default(''),
    processId: z.number().int().meta({ description: 'Process of the desktop client: names the session in all calls.' }),
    systemSessionId: z.number().int().default(0).meta({ description: 'Session number of the operating system.' }),
    type: DesktopSessionType.default(0),
    username: z.string().default(''),
  })
  .meta({ id: 'DesktopSession' })
export type DesktopSession = z.output<typeof DesktopSession>

export const DesktopPreviewRequestDto = z
  .object({ requesterId: id, streamId: id, targetProcessId: z.number().int() })
  .meta({ id: 'DesktopPreviewRequestDto' })
