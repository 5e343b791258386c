import { z } from 'zod'
import type { App } from '../call/call.ts'
import { sealedFor, unsealedFor } from '../credentials/tickets.ts'

/** Code at the end of the mailed link of an invite. Inviters never see it: only who reads the mailbox has it (T44). */
export const mailProofOf = (app: App, inviteId: string): string =>
  Buffer.from(sealedFor(app, 'invite-mail', { inviteId })).toString('base64url')

export const isMailProof = (app: App, inviteId: string, proof: string): boolean =>
  unsealedFor(
    app,
    'invite-mail',
    z.object({ inviteId: z.literal(inviteId) }),
    Buffer.from(proof, 'base64url').toString(),
  ) !== undefined
