import { randomBytes } from 'node:crypto'
import { maxTerminalShares, type TerminalShareDto } from '../../../shared/api/appliance-terminal-shares.ts'
import type { Call } from '../../call/call.ts'
import { createExternalLogonToken, type NewLogonToken } from '../../credentials/logon-tokens.ts'
import type { DeviceState } from '../../fleet/device-state.ts'
import { conflict, limitReached, notFound } from '../../ground/errors.ts'
import { instant, instantOrNull } from '../../ground/instant.ts'
import { ownerOf } from '../../ground/principal.ts'
import type { Terminal } from './terminal-mirror.ts'
import { notifyViewers } from './viewers.ts'

/** An own terminal. Throws 404 also for one of somebody else (T30). */
function ownTerminal({ app, principal }: Call, device: DeviceState, id: string): Terminal {
  const terminal = app.terminals.find(device.id, id)
  if (terminal?.owner !== ownerOf(principal)) {
    throw notFound('terminal')
  }
  return terminal
}

interface ShareRow {
  id: string
  userId: string
  canType: number
  expiresAt: number
  consumedAt: number | null
  guestName: string | null
  userName: string
}

/** Links that have not expired. */
const sharesSql = `SELECT s.id, s.canType, t.expiresAt, t.consumedAt, t.userId, u.guestName, u.userName
  FROM terminal_shares AS s JOIN logon_tokens AS t ON t.id = s.id JOIN users AS u ON u.id = t.userId
  WHERE s.deviceId = ?1 AND s.terminalId = ?2 AND t.expiresAt > ?3
  ORDER BY t.createdAt, s.id`

/** Links of a terminal that work, or whose visit goes on. */
async function rowsOf({ app }: Call, { deviceId, id }: Terminal): Promise<ShareRow[]> {
  const rows = await app.database.all<ShareRow>(sharesSql, [deviceId, id, app.clock.now()])
  return rows.filter((row) => row.consumedAt === null || app.sessions.withGrant(row.id))
}

const present = (terminal: Terminal, { id, canType, guestName, userName, ...row }: ShareRow): TerminalShareDto => ({
  id,
  forName: guestName ?? userName,
  canType: Boolean(canType),
  isHere: [...terminal.guests.values()].some(({ shareId }) => shareId === id),
  expiresAt: instant(row.expiresAt),
  openedAt: instantOrNull(row.consumedAt),
})

export async function listTerminalShares(call: Call, device: DeviceState, id: string): Promise<TerminalShareDto[]> {
  const terminal = ownTerminal(call, device, id)
  return (await rowsOf(call, terminal)).map((row) => present(terminal, row))
}

interface NewShare {
  guestName: string
  canType: boolean
  expirationMinutes: number
}

/** Makes a link for one guest to a terminal of the caller. */
export async function shareTerminal(
  call: Call,
  device: DeviceState,
  id: string,
  { guestName, canType, expirationMinutes }: NewShare,
): Promise<{ share: TerminalShareDto; link: NewLogonToken }> {
  const { app, actor } = call
  const terminal = ownTerminal(call, device, id)
  if (terminal.isPty === false) {
    throw conflict('The agent of this device runs whole lines, so its terminals cannot be shared.')
  }
  const link = await createExternalLogonToken(call, {
    tenantId: device.tenantId,
    device,
    options: { expirationMinutes, sessionCorrelationId: null },
    userCorrelationId: `terminal-${randomBytes(6).toString('hex')}`,
    userDisplayName: guestName,
    sharing: {
      permission: 'device.terminal.use',
      async store(transaction, linkId) {
        if (app.terminals.find(device.id, id) !== terminal) {
          throw notFound('terminal')
        }
        if ((await rowsOf(call, terminal)).length >= maxTerminalShares) {
          throw limitReached(`This terminal has ${maxTerminalShares} links already. End one first.`)
        }
        const row = { id: linkId, deviceId: device.id, terminalId: id, canType }
        await app.models.TerminalShare.create(row, { transaction })
      },
    },
  })
  await app.audit.record(actor, {
    kind: 'session.terminal-shared',
    device,
    target: { kind: 'token', id: link.id, name: guestName },
    details: {
      guestMay: canType ? 'type' : 'watch',
      sessionId: terminal.session?.id,
      endsAt: instant(link.expiresAt),
    },
  })
  void notifyViewers(app, terminal, { isSharingChanged: true })
  const [row] = (await rowsOf(call, terminal)).filter((each) => each.id === link.id)
  if (!row) {
    throw notFound('terminal')
  }
  return { share: present(terminal, row), link }
}

/** Lets the guest of a link type, or only watch. */
export async function changeTerminalShare(
  call: Call,
  device: DeviceState,
  { terminalId, shareId, canType }: { terminalId: string; shareId: string; canType: boolean },
): Promise<void> {
  const { app, actor } = call
  const terminal = ownTerminal(call, device, terminalId)
  const row = (await rowsOf(call, terminal)).find(({ id }) => id === shareId)
  if (!row) {
    throw notFound('share')
  }
  await app.database.write(async (transaction) => {
    await app.models.TerminalShare.update({ canType }, { where: { id: shareId }, transaction })
    await app.audit.recordIn(transaction, actor, [
      {
        kind: 'session.terminal-share-changed',
        device,
        target: { kind: 'token', id: shareId, name: row.guestName ?? row.userName },
        details: { guestMay: canType ? 'type' : 'watch', sessionId: terminal.session?.id },
      },
    ])
  })
  void notifyViewers(app, terminal, { isSharingChanged: true })
}
