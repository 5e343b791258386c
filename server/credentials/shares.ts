import type { ShareDto } from '../../shared/api/appliance-shares.ts'
import type { Call } from '../call/call.ts'
import { mapInSlices } from '../ground/clock.ts'
import { notFound } from '../ground/errors.ts'
import { instant, instantOrNull } from '../ground/instant.ts'
import type { DeviceList } from '../fleet/device-list.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import type { LogonTokenRow } from './tables.ts'
import { deviceRight } from '../fleet/rights.ts'
import { givenName, joinChosenName } from '../people/account-mirror.ts'
import { nameOfAccount } from '../people/names.ts'
import { standsLink } from './link-rights.ts'
import { recordChange } from '../rights/authorization-log.ts'

interface SharedRow extends LogonTokenRow {
  userName: string
  accountType: string
  givenName: string | null
}

/** Tokens that have not expired. */
const sharesSql = `SELECT t.*, u.userName, u.accountType, ${givenName} AS givenName
  FROM logon_tokens AS t JOIN users AS u ON u.id = t.userId
  ${joinChosenName}
  WHERE t.expiresAt > ?1 AND ifnull(t.deviceId = ?2, TRUE)
  ORDER BY t.createdAt DESC, t.id`

/** Describes a link; undefined for one that its maker may not make any more, or whose session was signed out. */
function present({ app }: Call, device: DeviceState | undefined, row: SharedRow): ShareDto | undefined {
  if (!device || !standsLink(app, row) || (row.consumedAt !== null && !app.sessions.withGrant(row.id))) {
    return undefined
  }
  const shared = app.terminalShares.find(row.id)
  return {
    id: row.id,
    deviceId: device.id,
    deviceName: device.alias || device.name,
    forName: row.givenName ?? row.userName,
    isGuest: row.accountType === 'External',
    byName: nameOfAccount(app, row.makerId),
    permissions: app.rules
      .of(row.id)
      .map(({ permissionName }) => permissionName)
      .toSorted(),
    desktopSessionIds:
      row.allowedDesktopSessionIds === null ? null : (JSON.parse(row.allowedDesktopSessionIds) as number[]),
    terminal: shared ? (shared.canType ? 'type' : 'watch') : null,
    createdAt: instant(row.createdAt),
    expiresAt: instant(row.expiresAt),
    openedAt: instantOrNull(row.consumedAt),
  }
}

/** Lists links to devices that have not ended. */
export async function listShares(call: Call, devices: DeviceList, deviceId?: string): Promise<ShareDto[]> {
  const { app } = call
  const params = [app.clock.now(), deviceId ?? null]
  const rows = await app.database.all<SharedRow>(sharesSql, params)
  const shares = await mapInSlices(rows, (row) => present(call, devices.get(row.deviceId), row))
  return shares.filter((share) => share !== undefined)
}

/**
 * Deletes a link with its session and its rights, which ends what runs in the session. One entry in the logs: the rights
 * are a part of the link. Throws 404 also for a link that the caller may not end.
 */
export async function endShare(call: Call, id: string): Promise<void> {
  const { app, principal } = call
  const { LogonToken, PermissionAssignment, Session } = app.models
  await app.database.write(async (transaction) => {
    const token = (await LogonToken.findByPk(id, { transaction }))?.get({ plain: true })
    const device = token && app.fleet.get(token.deviceId)
    const isTheirs =
      device !== undefined &&
      deviceRight(app, principal, 'device.read')(device) &&
      deviceRight(app, principal, 'device.logon-token.create')(device)
    if (!token || !isTheirs || token.expiresAt <= app.clock.now()) {
      throw notFound('share')
    }
    await Session.destroy({ where: { logonTokenId: id }, transaction })
    await PermissionAssignment.destroy({ where: { principalKind: 'LogonToken', principalId: id }, transaction })
    await LogonToken.destroy({ where: { id }, transaction })
    const { secretHash: _, ...before } = token
    await recordChange(call, transaction, {
      actionType: 'credential-scope-removed',
      targetType: 'LogonToken',
      targetId: id,
      tenantId: token.tenantId,
      before,
    })
  })
}
