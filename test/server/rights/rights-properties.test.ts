import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { scopeKinds, type ScopeKind } from '../../../shared/access.ts'
import type { DeviceState } from '../../../server/fleet/device-state.ts'
import { deviceRight, permittedDevice } from '../../../server/fleet/rights.ts'
import { deviceOf, everybody, openRights, principals, type RightsRow, type Who } from '../../support/rights.ts'
import { isNight, runs } from '../../support/night.ts'

const { appWith, close } = await openRights()
afterAll(close)

/** The rules of docs/rights.md on scopes, principals and evaluation, implemented a second time in the simplest way. */
function mayByTheBook(
  who: Who,
  rows: readonly RightsRow[],
  permission: 'device.read' | 'device.delete',
  on: DeviceState,
) {
  const matches = (row: RightsRow) =>
    row.scopeKind === 'Server' ||
    (row.scopeKind === 'Tenant' && row.scopeId === on.tenantId) ||
    (row.scopeKind === 'Device' && row.scopeId === on.id) ||
    (row.scopeKind === 'DeviceGroup' && on.groupIds.includes(row.scopeId!)) ||
    (row.scopeKind === 'CustomerTenant' && on.customerId !== null && row.scopeId === on.customerId)
  const evaluate = (ids: string[], legal: ScopeKind[]) => {
    const matching = rows.filter(
      (row) => ids.includes(row.principalId) && row.isEnabled && row.permissionName === permission && matches(row),
    )
    if (matching.some((row) => row.effect === 'Deny')) {
      return false
    }
    return matching.some((row) => row.effect === 'Allow' && legal.includes(row.scopeKind!))
  }
  const usual: ScopeKind[] = ['Device', 'DeviceGroup', 'CustomerTenant', 'Tenant']
  const isOwnTenant = on.tenantId === 'tenant-1'
  switch (who) {
    case 'unrestricted':
      return true
    case 'serverAccount':
      return evaluate(['server-account'], [...usual, 'Server'])
    case 'tenantAccount':
      return isOwnTenant && evaluate(['tenant-account'], usual)
    case 'logonToken':
      return isOwnTenant && on.id === 'd1' && evaluate(['logon'], ['Device'])
    case 'restrictedToken':
      return isOwnTenant && evaluate(['token'], usual) && evaluate(['user', 'people'], usual)
    default:
      return isOwnTenant && evaluate(['user', 'people'], usual)
  }
}

describe('properties', () => {
  const holders = ['user', 'people', 'strangers', 'token', 'logon', 'tenant-account', 'server-account']
  const targets: Record<ScopeKind, (string | null)[]> = {
    Server: [null],
    Tenant: ['tenant-1', 'tenant-2'],
    CustomerTenant: ['customer-1', 'customer-2'],
    DeviceGroup: ['group-1', 'group-2'],
    Device: ['d1', 'd2', 'd3'],
    UserGroup: ['people', 'group-1', 'd1'],
  }
  const scope = fc.constantFrom(
    ...scopeKinds.flatMap((scopeKind) => targets[scopeKind].map((scopeId) => ({ scopeKind, scopeId }))),
  )
  const row = fc
    .record({
      principalId: fc.constantFrom(...holders),
      permissionName: fc.constantFrom('device.read' as const, 'device.delete' as const),
      effect: fc.constantFrom('Allow' as const, 'Allow' as const, 'Deny' as const),
      isEnabled: fc.oneof({ weight: 4, arbitrary: fc.constant(true) }, { weight: 1, arbitrary: fc.constant(false) }),
      scope,
    })
    .map(({ scope: at, ...rest }): RightsRow => ({ ...rest, ...at }))
  // As in the table: one principal has a row only once, enabled or not.
  const rows = fc.uniqueArray(row, {
    maxLength: 25,
    selector: (one) => [one.principalId, one.permissionName, one.effect, one.scopeKind, one.scopeId].join(' '),
  })
  const devices = fc
    .array(
      fc.record({
        tenantId: fc.constantFrom('tenant-1', 'tenant-1', 'tenant-2'),
        customerId: fc.constantFrom('customer-1', 'customer-2', null),
        groupIds: fc.subarray(['group-1', 'group-2']),
      }),
      { minLength: 1, maxLength: 6 },
    )
    .map((all) => all.map((one, index) => deviceOf(`d${index + 1}`, one.tenantId, one.customerId, one.groupIds)))

  test('lists, single devices and the published rules agree for every principal', async () => {
    await fc.assert(
      fc.asyncProperty(rows, devices, async (given, fleet) => {
        const app = await appWith(given, fleet)
        for (const who of everybody) {
          const principal = principals[who]
          const expected = fleet.filter((one) => mayByTheBook(who, given, 'device.read', one))
          expect([who, fleet.filter(deviceRight(app, principal, 'device.read'))]).toEqual([who, expected])
          for (const one of fleet) {
            const statusOf = () => {
              try {
                permittedDevice(app, principal, 'device.delete', one.id, { sight: 'readable' })
                return 200
              } catch (error) {
                return (error as { status: number }).status
              }
            }
            const mayDelete = mayByTheBook(who, given, 'device.delete', one)
            expect([who, one.id, statusOf()]).toEqual([
              who,
              one.id,
              expected.includes(one) ? (mayDelete ? 200 : 403) : 404,
            ])
          }
        }
      }),
      { numRuns: runs(50) },
    )
  })
})

describe('work', () => {
  const fleetOf = (count: number) =>
    Array.from({ length: count }, (_, index) =>
      deviceOf(`device-${index}`, 'tenant-1', `customer-${index % 50}`, [`group-${index % 20}`, `group-${index % 7}`]),
    )
  const rowsOn = (principalId: string, scopeKind: ScopeKind, count: number, effect: 'Allow' | 'Deny') =>
    Array.from({ length: count }, (_, index) => ({
      principalId,
      scopeKind,
      scopeId: `${scopeKind === 'Device' ? 'device' : 'group'}-${index}`,
      effect,
    }))
  /** Fastest of several runs, in time of the processor: other programs use it too. */
  const bestOf = (work: () => unknown) =>
    Math.min(
      ...Array.from({ length: 15 }, () => {
        const start = process.cpuUsage()
        work()
        const { user, system } = process.cpuUsage(start)
        return user + system
      }),
    )
  /** Listing all devices, and asking for each alone, by a user with `rows` rows on devices. */
  const costs = async (devices: number, rows: number) => {
    const fleet = fleetOf(devices)
    const app = await appWith(
      [
        ...rowsOn('user', 'Device', rows, 'Allow'),
        ...rowsOn('people', 'DeviceGroup', 10, 'Allow'),
        ...rowsOn('people', 'Device', rows / 2, 'Deny'),
      ],
      fleet,
    )
    const list = () => fleet.filter(deviceRight(app, principals.user, 'device.read'))
    expect(list().length).toBeGreaterThan(devices / 10)
    const ask = () => fleet.forEach((one) => deviceRight(app, principals.user, 'device.read')(one))
    return { list: bestOf(list), ask: bestOf(ask) }
  }

  test.runIf(isNight)(
    'ten times the devices with ten times the rows make lists and checks about ten times as slow',
    async () => {
      const small = await costs(2_000, 200)
      const large = await costs(20_000, 2_000)
      // Work that grows with devices times rows would cost a hundred times as much.
      expect(large.list / small.list).toBeLessThan(40)
      expect(large.ask / small.ask).toBeLessThan(40)
    },
  )
})
