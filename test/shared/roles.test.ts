import { describe, expect, test } from 'vitest'
import { presets } from '../../shared/access.ts'
import { plural } from '../../shared/plural.ts'
import { roles, rolesIn } from '../../shared/roles.ts'

describe('roles among permissions', () => {
  test('are the largest at the scope, and the permissions beyond them', () => {
    const held = [...roles.Technician.permissions, 'device.delete'] as const
    expect(rolesIn(held, 'CustomerTenant')).toEqual({ roles: ['Technician'], beyond: ['device.delete'] })
  })

  test('two reading permissions at the tenant are no server administrator, a whole preset at the server is', () => {
    const reading = ['tenant.permissions.read', 'tenant.authorization-logs.read'] as const
    expect(rolesIn(reading, 'Tenant')).toEqual({ roles: [], beyond: [...reading] })
    const atServer = presets['Server Administrator'].filter((name) => name.startsWith('server.'))
    expect(rolesIn(atServer, 'Server')).toEqual({ roles: ['Server Administrator'], beyond: [] })
  })

  test('permissions of wider roles are left out', () => {
    expect(rolesIn(['tenant.permissions.read'], 'Tenant', ['Server Administrator'])).toEqual({ roles: [], beyond: [] })
  })
})

test.each([
  [0, '0 accounts'],
  [1, '1 account'],
  [1204, '1,204 accounts'],
])('%i with its noun is "%s"', (count, text) => {
  expect(plural(count, 'account', 'accounts')).toBe(text)
})
