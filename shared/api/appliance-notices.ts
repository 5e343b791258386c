import { z } from 'zod'
import { dateTime, dto, id, listDto, ownId } from '../contract/fields.ts'
import { defineRoutes } from '../contract/route.ts'

const NoticeKind = z
  .enum([
    'password-reset',
    'access-token-created',
    'added-to-group',
    'password-changed',
    'email-changed',
    'two-factor-enabled',
    'two-factor-disabled',
    'recovery-codes-renewed',
    'own-token-created',
    'token-revoked',
    'passkey-added',
    'passkey-removed',
    'provider-linked',
    'provider-unlinked',
    'contact-method-added',
    'password-reset-by-command',
    'two-factor-disabled-by-command',
    'administrator-made-by-command',
    'backup-old',
    'server-updated',
    'server-update-failed',
    'server-went-back',
  ])
  .meta({
    id: 'NoticeKind',
    description:
      'What changed in the account. The kinds that end with `by-command` are changes that a command at the computer of the server made to any account; `backup-old` and the three about the server tell administrators that no backup was made for two days, and of updates of the server.',
  })
export type NoticeKind = z.output<typeof NoticeKind>

export const NoticeDto = dto('NoticeDto', {
  id: ownId,
  kind: NoticeKind.describe('What was changed.'),
  byName: z.string().describe('Who did it, by the name of that moment.'),
  subject: z
    .string()
    .nullable()
    .describe(
      'Name of the token, the group, the passkey, the linked account or the contact method, the new address, the address of the account that a command changed, or the version of the server, with the reason of a failure; null for other changes.',
    ),
  createdAt: dateTime.describe('When it was done.'),
})
export type NoticeDto = z.output<typeof NoticeDto>

/** Notices of changes to the caller's account, by others and by other sessions of the caller. */
export const applianceNotices = defineRoutes('Notices', {
  list: {
    method: 'GET',
    path: '/api/appliance/v1/notices',
    summary:
      "Changes of the caller's account that it has not dismissed, newest first, without those that the session of the request made",
    problems: { 403: 'The caller is no person who signed in: a token reads no notices.' },
    access: 'authenticated',
    tenant: 'none',
    response: listDto('NoticeListDto', NoticeDto, 'Notices that the user has not dismissed, newest first; not paged.'),
  },
  dismiss: {
    method: 'POST',
    path: '/api/appliance/v1/notices/dismissals',
    summary: 'Dismiss notices that were read',
    problems: { 403: 'The caller is no person who signed in: a token dismisses no notices.' },
    access: 'authenticated',
    tenant: 'none',
    body: dto('DismissNoticesDto', {
      noticeIds: z.array(id).min(1).max(100).describe('1 to 100 notices; unknown ones are ignored.'),
    }),
  },
})
