import type { InviteResponseDto } from '../../shared/dtos/invite.ts'
import type { InviteRow } from '../models/invite.ts'

/** `origin` starts the link. Only a new invite includes its code. */
export const presentInvite = (row: InviteRow, origin: string, activationCode?: string): InviteResponseDto => ({
  id: row.id,
  createdAt: new Date(row.createdAt).toISOString(),
  inviteeEmail: row.inviteeEmail,
  inviteUrl: `${origin}/invite-confirmation${activationCode === undefined ? '' : `/${activationCode}`}`,
})
