import { z } from 'zod'
import { dateTime, dto, id, listDto } from '../contract/fields.ts'
import { defineRoutes } from '../contract/route.ts'
import { deviceId } from '../dtos/references.ts'

export const ShareDto = dto('ShareDto', {
  id: id.describe('The link.'),
  deviceId,
  deviceName: z.string().describe('Alias of the device, else the name that its agent reports.'),
  forName: z.string().describe('Person whom the link is for.'),
  isGuest: z.boolean().describe('Whether the person has no account here.'),
  byName: z.string().nullable().describe('Principal that made the link; null for one that no longer exists.'),
  permissions: z.array(z.string()).describe('Permissions on the device.'),
  desktopSessionIds: z.array(z.number().int()).nullable().describe('Desktops that may be reached; null: all.'),
  terminal: z
    .enum(['watch', 'type'])
    .nullable()
    .describe('Of a link to one terminal without permissions: what its guest may do there; null for others.'),
  createdAt: dateTime.describe('When the link was made.'),
  expiresAt: dateTime.describe('When the link, and the session that it opened, ends.'),
  openedAt: dateTime.nullable().describe('When the link was opened; null: not yet.'),
})
export type ShareDto = z.output<typeof ShareDto>

/** Devices that are shared through logon tokens. */
export const applianceShares = defineRoutes('Shares', {
  list: {
    method: 'GET',
    path: '/api/appliance/v1/shares',
    summary: 'Links that open one device and have not ended, of the devices that the caller may share; newest first',
    access: { scope: 'device.logon-token.create' },
    tenant: 'none',
    query: z.object({ deviceId: deviceId.optional().describe('Only links of this device.') }),
    response: listDto('ShareListDto', ShareDto, 'Links that work, or whose session is open; not paged.'),
  },
  end: {
    method: 'DELETE',
    path: '/api/appliance/v1/shares/:shareId',
    summary: 'End a link, and the session that it opened, at once',
    problems: { 404: 'It has ended, or the caller lacks `device.logon-token.create` on its device.' },
    access: 'authenticated',
    tenant: 'none',
    params: z.object({ shareId: id.describe('The link, by the `id` of `GET /api/appliance/v1/shares`.') }),
  },
})
