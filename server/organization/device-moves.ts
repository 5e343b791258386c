import type { Transaction } from 'sequelize'
import type { Call } from '../call/call.ts'
import { deviceResource } from '../fleet/rights.ts'
import { checkTokenHolds, restrictingTokenOf, type Use } from '../rights/restricting-token.ts'

/** Devices that join or leave a customer or a group. */
export interface Move {
  scopeId: string
  deviceIds: readonly string[]
  direction: 'into' | 'out of'
}

/**
 * Throws 403 where a restricted token moves devices so that a principal gets a right which the token does not hold: by
 * an allow rule on the destination, or by leaving a denial behind. `use` is the permission of the
 * route.
 */
export async function checkTokenMayMove(
  { app, principal }: Call,
  use: Use,
  moves: readonly Move[],
  transaction: Transaction,
): Promise<void> {
  const maker = restrictingTokenOf(app, principal, [use])
  if (maker === null) {
    return
  }
  for (const { scopeId, deviceIds, direction } of moves) {
    const effect = direction === 'into' ? 'Allow' : 'Deny'
    const rows = await app.models.PermissionAssignment.findAll({
      where: { scopeId, effect, isEnabled: true },
      transaction,
    })
    const permissions = [...new Set(rows.map(({ permissionName }) => permissionName))]
    const devices = deviceIds.flatMap((id) => app.fleet.get(id) ?? [])
    for (const on of devices.map(deviceResource)) {
      checkTokenHolds(
        app,
        maker,
        permissions.map((permission) => ({ permission, on })),
      )
    }
  }
}
