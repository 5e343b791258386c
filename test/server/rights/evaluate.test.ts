import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { scopeKinds, type PermissionName, type ScopeKind } from '../../../shared/access.ts'
import type { Rule } from '../../../server/rights/rule-mirror.ts'
import { evaluator, type Holder, type Resource } from '../../../server/rights/evaluate.ts'
import { buildRule } from '../../support/factories.ts'

const device: Resource = {
  kind: 'Device',
  id: 'device-1',
  tenantId: 'tenant-1',
  customerId: 'customer-1',
  groupIds: ['group-1'],
}
const lone: Resource = { kind: 'Device', id: 'device-2', tenantId: 'tenant-1', customerId: null, groupIds: [] }
const customer: Resource = { kind: 'CustomerTenant', id: 'customer-1', tenantId: 'tenant-1' }
const deviceGroup: Resource = { kind: 'DeviceGroup', id: 'group-1', tenantId: 'tenant-1' }
const userGroup: Resource = { kind: 'UserGroup', id: 'people-1', tenantId: 'tenant-1' }
const tenant: Resource = { kind: 'Tenant', tenantId: 'tenant-1' }
const server: Resource = { kind: 'Server' }

const on = (scopeKind: ScopeKind, scopeId: string | null, changes: Partial<Rule> = {}) =>
  buildRule({ scopeKind, scopeId, ...changes })
const may = (rules: Rule[], permission: PermissionName, resource: Resource, holder?: Holder) =>
  evaluator(
    rules.map((rule) => ({ ...rule, permissionName: rule.permissionName === 'other' ? 'other' : permission })),
    permission,
    holder,
  )(resource)

describe('whether an allow covers a resource:', () => {
  test.each<[string, ScopeKind, string | null, PermissionName, Resource, boolean]>([
    ['no device, at the server', 'Server', null, 'device.read', device, false],
    ['a device of its tenant', 'Tenant', 'tenant-1', 'device.read', device, true],
    ['no device of another tenant', 'Tenant', 'tenant-2', 'device.read', device, false],
    ['a device of its customer', 'CustomerTenant', 'customer-1', 'device.read', device, true],
    ['no device without a customer', 'CustomerTenant', 'customer-1', 'device.read', lone, false],
    ['a device of its group', 'DeviceGroup', 'group-1', 'device.read', device, true],
    ['no device outside of its group', 'DeviceGroup', 'group-1', 'device.read', lone, false],
    ['that device', 'Device', 'device-1', 'device.read', device, true],
    ['no other device', 'Device', 'device-1', 'device.read', lone, false],
    ['that customer', 'CustomerTenant', 'customer-1', 'device.read', customer, true],
    ['no customer by one of its groups', 'DeviceGroup', 'group-1', 'device.read', customer, false],
    ['the group itself', 'DeviceGroup', 'group-1', 'device-group.assign-devices', deviceGroup, true],
    ['every group, at the tenant', 'Tenant', 'tenant-1', 'device-group.assign-devices', deviceGroup, true],
    ['that user group', 'UserGroup', 'people-1', 'user-group.assign-users', userGroup, true],
    ['its tenant', 'Tenant', 'tenant-1', 'tenant.users.read', tenant, true],
    ['no other tenant', 'Tenant', 'tenant-2', 'tenant.users.read', tenant, false],
    ['the server', 'Server', null, 'server.tenants.read', server, true],
    [
      'nothing at an illegal scope: a tenant permission at the server',
      'Server',
      null,
      'tenant.users.read',
      tenant,
      false,
    ],
    [
      'nothing at an illegal scope: a server permission at the tenant',
      'Tenant',
      'tenant-1',
      'server.tenants.read',
      server,
      false,
    ],
    [
      'nothing at an illegal scope: a device permission at a user group',
      'UserGroup',
      'device-1',
      'device.read',
      device,
      false,
    ],
    ['no customer by a missing id', 'CustomerTenant', null, 'device.read', lone, false],
  ])('%s', (_, scopeKind, scopeId, permission, resource, expected) => {
    expect(may([on(scopeKind, scopeId)], permission, resource)).toBe(expected)
  })
})

describe('an allow at the server counts', () => {
  test.each<[Holder, PermissionName, Resource, boolean]>([
    ['ServerServiceAccount', 'device.read', device, true],
    ['ServerServiceAccount', 'server.tenants.read', server, true],
    ['ServerServiceAccount', 'tenant.users.read', tenant, false],
    ['User', 'device.read', device, false],
    ['User', 'server.tenants.read', server, true],
    ['TenantServiceAccount', 'device.read', device, false],
    ['TenantServiceAccount', 'server.tenants.read', server, false],
    ['LogonToken', 'device.read', device, false],
    ['LogonToken', 'server.tenants.read', server, false],
  ])('for %s and %s', (holder, permission, resource, expected) => {
    expect(may([on('Server', null)], permission, resource, holder)).toBe(expected)
  })

  test.each<Holder>(['User', 'TenantServiceAccount', 'ServerServiceAccount', 'LogonToken'])(
    'for nobody where the server denies: %s',
    (holder) => {
      const rules = [on('Device', 'device-1'), on('Server', null), on('Server', null, { effect: 'Deny' })]
      expect(may(rules, 'device.read', device, holder)).toBe(false)
    },
  )

  test('for a logon token only at a device', () => {
    expect(may([on('Tenant', 'tenant-1')], 'device.read', device, 'LogonToken')).toBe(false)
    expect(may([on('Device', 'device-1')], 'device.read', device, 'LogonToken')).toBe(true)
  })
})

describe('a deny wins', () => {
  const allow = on('Device', 'device-1')
  test.each<[string, Rule]>([
    ['at the same scope', on('Device', 'device-1', { effect: 'Deny' })],
    ['at a wider one', on('Tenant', 'tenant-1', { effect: 'Deny' })],
    ['at a narrower one', on('DeviceGroup', 'group-1', { effect: 'Deny' })],
    ['at the server', on('Server', null, { effect: 'Deny' })],
  ])('%s', (_, deny) => {
    expect(may([allow, deny], 'device.read', device)).toBe(false)
  })

  test('at a scope where an allow would be illegal', () => {
    const rules = [on('Tenant', 'tenant-1'), on('Server', null, { effect: 'Deny' })]
    expect(may(rules, 'tenant.users.read', tenant)).toBe(false)
  })

  test('but not when it is disabled, at another scope, or of another permission', () => {
    const others = [
      on('Device', 'device-1', { effect: 'Deny', isEnabled: false }),
      on('Device', 'device-2', { effect: 'Deny' }),
      on('Device', 'device-1', { effect: 'Deny', permissionName: 'other' }),
    ]
    expect(may([allow, ...others], 'device.read', device)).toBe(true)
  })
})

test('no rows, a disabled allow and an allow of another permission permit nothing', () => {
  expect(evaluator([], 'device.read')(device)).toBe(false)
  expect(may([on('Tenant', 'tenant-1', { isEnabled: false })], 'device.read', device)).toBe(false)
  expect(evaluator([buildRule({ permissionName: 'device.delete' })], 'device.read')(device)).toBe(false)
})

test('an unknown permission is never held', () => {
  const name = 'device.everything' as PermissionName
  expect(evaluator([buildRule({ permissionName: name, scopeKind: 'Server', scopeId: null })], name)(device)).toBe(false)
})

describe('properties of random sets of rows:', () => {
  const names = ['device.read', 'device.delete', 'tenant.users.read'] as const
  const id = fc.constantFrom('tenant-1', 'tenant-2', 'customer-1', 'group-1', 'people-1', 'device-1', null)
  const rule: fc.Arbitrary<Rule> = fc.record({
    permissionName: fc.constantFrom(...names),
    effect: fc.constantFrom('Allow', 'Deny'),
    scopeKind: fc.constantFrom(...scopeKinds),
    scopeId: id,
    isEnabled: fc.boolean(),
  })
  const rules = fc.array(rule, { maxLength: 8 })
  const permission = fc.constantFrom(...names)
  const resource = fc.constantFrom(device, lone, customer, deviceGroup, userGroup, tenant, server)
  const answer = (given: Rule[], name: PermissionName, thing: Resource) => evaluator(given, name)(thing)

  test('adding a deny never widens rights', () => {
    fc.assert(
      fc.property(rules, rule, permission, resource, (given, extra, name, thing) => {
        const after = answer([...given, { ...extra, effect: 'Deny' }], name, thing)
        expect(after && !answer(given, name, thing)).toBe(false)
      }),
    )
  })

  test('adding an allow never narrows rights', () => {
    fc.assert(
      fc.property(rules, rule, permission, resource, (given, extra, name, thing) => {
        const after = answer([...given, { ...extra, effect: 'Allow' }], name, thing)
        expect(!after && answer(given, name, thing)).toBe(false)
      }),
    )
  })

  test('a row that is disabled or of another permission changes nothing', () => {
    fc.assert(
      fc.property(rules, rule, permission, resource, (given, extra, name, thing) => {
        const unrelated = extra.permissionName === name ? { ...extra, isEnabled: false } : extra
        expect(answer([...given, unrelated], name, thing)).toBe(answer(given, name, thing))
      }),
    )
  })

  test('the order of rows and duplicates do not matter', () => {
    fc.assert(
      fc.property(rules, permission, resource, (given, name, thing) => {
        const expected = answer(given, name, thing)
        expect(answer(given.toReversed(), name, thing)).toBe(expected)
        expect(answer([...given, ...given], name, thing)).toBe(expected)
      }),
    )
  })
})

describe('an allow that a token made', () => {
  const bound = (...boundTo: string[]) => buildRule({ boundTo })
  const answer = (rules: Rule[], alive: string[]) =>
    evaluator(rules, 'device.read', 'User', (tokenId) => alive.includes(tokenId))(device)

  test('counts while every token it depends on still allows the same', () => {
    expect(answer([bound('one')], ['one'])).toBe(true)
    expect(answer([bound('one')], [])).toBe(false)
    expect(answer([bound('one', 'two')], ['one'])).toBe(false)
    expect(answer([bound('one', 'two')], ['one', 'two'])).toBe(true)
    expect(answer([bound('one'), bound('two')], ['two'])).toBe(true)
  })

  test('does not count without a check of the token, and does not affect allows granted by users', () => {
    expect(evaluator([bound('one')], 'device.read')(device)).toBe(false)
    expect(answer([bound('one'), buildRule()], [])).toBe(true)
  })

  test('is denied like any other allow', () => {
    expect(answer([bound('one'), buildRule({ effect: 'Deny' })], ['one'])).toBe(false)
  })
})
