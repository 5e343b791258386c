import { randomUUID } from 'node:crypto'
import { permissions } from '../../shared/access.ts'
import { systemClock } from '../../server/ground/clock.ts'
import type { App } from '../../server/call/call.ts'
import { openDatabase } from '../../server/database/database.ts'
import { createLog } from '../../server/ground/log.ts'
import { migrations } from '../../server/database/migrations/index.ts'
import { bindModels } from '../../server/call/models.ts'
import { openMirrors } from '../../server/mirrors/index.ts'
import { deviceRight, permittedDevice } from '../../server/devices/rights.ts'
import type { Principal } from '../../server/ground/principal.ts'
import { simulatedReport } from '../simulate/facts.ts'
import { temporaryFolder } from '../simulate/temporary-folder.ts'
import { median, rounded } from './measure.ts'

const fleetSize = 10_000
const groups = 5
const checks = 200_000
const rounds = 7

/** Median microseconds per run of `work` over several rounds. */
function microseconds(runs: number, work: (index: number) => void): number {
  const samples = Array.from({ length: rounds }, () => {
    const started = performance.now()
    for (let index = 0; index < runs; index++) {
      work(index)
    }
    return ((performance.now() - started) * 1000) / runs
  })
  return rounded(median(samples))
}

/**
 * Measures a rights decision in the server's own code, for a user whose five groups hold every permission on device
 * groups.
 */
export async function rights() {
  await using folder = await temporaryFolder()
  const log = createLog({ default: 'None' })
  const database = await openDatabase({ directory: folder.path, migrations, log, appVersion: '0' })
  const models = bindModels(database.sequelize)
  const tenantId = randomUUID()
  const userId = randomUUID()
  const userGroups = Array.from({ length: groups }, () => randomUUID())
  const deviceGroups = Array.from({ length: groups }, () => randomUUID())
  const devices = Array.from({ length: fleetSize }, (_, index) => ({
    ...simulatedReport(index),
    id: randomUUID(),
    tenantId,
    createdAt: index,
    lastSeen: index,
  }))
  const rows = userGroups.flatMap((principalId, index) =>
    [...permissions.keys()].map((permissionName) => ({
      id: randomUUID(),
      owningTenantId: tenantId,
      principalKind: 'UserGroup' as const,
      principalId,
      permissionName,
      effect: 'Allow' as const,
      scopeKind: 'DeviceGroup' as const,
      scopeId: deviceGroups[index]!,
      isEnabled: true,
      createdAt: 0,
    })),
  )
  await database.write(async (transaction) => {
    const named = (id: string) => ({ id, tenantId, name: id, description: null, createdAt: 0 })
    await models.Tenant.create({ id: tenantId, name: 'Tenant', createdAt: 0 }, { transaction })
    const person = { id: userId, tenantId, userName: 'bench', email: 'bench', securityStamp: '', createdAt: 0 }
    await models.User.create(person, { transaction })
    await models.UserGroup.bulkCreate(userGroups.map(named), { transaction })
    await models.DeviceGroup.bulkCreate(deviceGroups.map(named), { transaction })
    await models.UserGroupMember.bulkCreate(
      userGroups.map((groupId) => ({ groupId, userId })),
      { transaction },
    )
    await models.Device.bulkCreate(devices, { transaction })
    await models.DeviceGroupMember.bulkCreate(
      devices.map(({ id }, index) => ({ deviceId: id, groupId: deviceGroups[index % groups]! })),
      { transaction },
    )
    await models.PermissionAssignment.bulkCreate(rows, { transaction })
  })
  const { mirrors, stop } = await openMirrors(
    { database, models, clock: systemClock, log },
    { changed() {}, removed() {}, connectionEnded() {}, credentialsChanged() {}, permissionsChanged() {} },
  )
  // Rights need only the mirrors of the server.
  const app = mirrors as App
  const principal: Principal = {
    kind: 'User',
    id: userId,
    tenantId,
    name: 'bench',
    isUnrestricted: false,
    credential: { kind: 'BearerToken', familyId: '' },
    isLive: () => true,
    use: () => true,
  }
  const ids = devices.map(({ id }) => id)
  const checkUs = microseconds(checks, (index) =>
    permittedDevice(app, principal, 'device.terminal.use', ids[index % fleetSize]!, { sight: 'readable' }),
  )
  const listUs = microseconds(20, () => {
    const mayRead = deviceRight(app, principal, 'device.read')
    for (const device of app.fleet.all) {
      mayRead(device)
    }
  })
  await stop()
  await database.close()
  return { assignments: rows.length, devices: fleetSize, checkUs, listMs: rounded(listUs / 1000) }
}
