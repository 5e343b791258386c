import type { InviteResponseDto } from '../../shared/dtos/invite.ts'
import type { InviteRow } from '../models/invite.ts'

/** `origin` starts the link; whoever may not invite sees it without its code. */
export const presentInvite = (row: InviteRow, origin: string, maySeeCode: boolean): InviteResponseDto => ({
  id: row.id,
  createdAt: new Date(row.createdAt).toISOString(),
  inviteeEmail: row.inviteeEmail,
  inviteUrl: `${origin}/invite-confirmation${maySeeCode ? `/${row.activationCode}` : ''}`,
})
