import type { InviteResponseDto } from '../../shared/dtos/invite.ts'
import { isLoopbackHost } from '../machine.ts'
import type { InviteRow } from '../models/invite.ts'

const loopbackNotice =
  'This link opens only on the computer that the server runs on. Turn on "Serve my network" on the Network page, or set ' +
  'Service_Branding__PublicUrl. Then pass on the path of this link with the new address, which the list of invites names.'

/** `origin` starts the link. Only a new invite includes its code. */
export const presentInvite = (row: InviteRow, origin: string, activationCode?: string): InviteResponseDto => ({
  id: row.id,
  createdAt: new Date(row.createdAt).toISOString(),
  inviteeEmail: row.inviteeEmail,
  inviteUrl: `${origin}/invite-confirmation${activationCode === undefined ? '' : `/${activationCode}`}`,
  ...(isLoopbackHost(new URL(origin).hostname) && { inviteUrlNotice: loopbackNotice }),
})
