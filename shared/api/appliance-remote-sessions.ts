import { z } from 'zod'
import { dto, id, listDto } from '../contract/fields.ts'
import { defineRoutes } from '../contract/route.ts'
import { RemoteSessionDto } from '../dtos/remote-session.ts'

/** Characters of a message to the person who has a session. */
export const maxSessionMessage = 400

/** Current sessions between users and devices. */
export const applianceRemoteSessions = defineRoutes('RemoteSessions', {
  list: {
    method: 'GET',
    path: '/api/appliance/v1/sessions',
    summary: 'Sessions on the devices that the caller may read, and its own, oldest first',
    isStable: true,
    access: { scope: 'device.read' },
    tenant: 'none',
    response: listDto(
      'RemoteSessionListDto',
      RemoteSessionDto,
      'Sessions that the caller may see, oldest first; not paged.',
    ),
  },
  message: {
    method: 'POST',
    path: '/api/appliance/v1/sessions/:sessionId/messages',
    summary: 'Show a message to the person who has a session',
    problems: {
      404: 'The session has ended, or the caller may not read its device.',
      409: 'The session has no viewer that could show a message.',
      429: 'More than 30 messages in 5 minutes.',
    },
    access: 'authenticated',
    tenant: 'none',
    params: z.object({ sessionId: id.describe('The session, by the `id` of `GET /api/appliance/v1/sessions`.') }),
    body: dto('SessionMessageDto', {
      text: z.string().trim().min(1).max(maxSessionMessage).describe('Shown with the name of the sender.'),
    }),
  },
  end: {
    method: 'POST',
    path: '/api/appliance/v1/sessions/:sessionId/end',
    summary: 'End a session on both sides at once',
    problems: {
      404: 'The session has ended; or it belongs to somebody else, and the caller lacks `tenant.permissions.write` in the tenant of the device.',
    },
    isStable: true,
    access: 'authenticated',
    tenant: 'none',
    params: z.object({ sessionId: id.describe('The session, by the `id` of `GET /api/appliance/v1/sessions`.') }),
    body: dto('EndRemoteSessionDto', {
      reason: z.string().trim().max(200).optional().describe('Shown to the owner of the session.'),
    }),
  },
})
