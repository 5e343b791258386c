import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Access } from '../../shared/access.ts'
import { declared } from './routes.ts'

interface ContractRoute {
  surface: string
  method: string
  path: string
  permission: string | null
  scope: string
  tenantParam: string
  success: number
  cacheSeconds: number | null
}

const contract = JSON.parse(
  readFileSync(new URL('../fixtures/routes.json', import.meta.url), 'utf8'),
) as ContractRoute[]

/** The contract's words for an access; `self` and `authenticated` are one to us. */
function inWordsOf(access: Access): Pick<ContractRoute, 'permission' | 'scope'> {
  if (typeof access === 'string') {
    return { permission: null, scope: access }
  }
  if ('scope' in access) {
    // Being in reach is no permission of its own to the contract.
    return { permission: access.scope === 'device.read' ? null : access.scope, scope: 'device' }
  }
  const scope = {
    server: 'server',
    tenant: 'tenant',
    device: 'device',
    deviceGroup: 'device-group',
    userGroup: 'user-group',
  }
  return { permission: access.permission, scope: scope[access.on] }
}

const ours = declared.filter(({ surface }) => surface !== 'appliance')

describe('routes of the contract', () => {
  test.each(ours.map(({ definition }) => [`${definition.method} ${definition.path}`, definition] as const))(
    '%s is declared as the contract has it',
    (_, { method, path, access, tenant, status = 200, cacheSeconds = null }) => {
      const shape = path.replace(/:(\w+)/g, '{$1}')
      const row = contract.find((candidate) => candidate.method === method && candidate.path === shape)
      const ownThings = row?.permission == null ? 'authenticated' : 'tenant'
      const scope = row?.scope === 'self' ? ownThings : row?.scope
      expect({ ...inWordsOf(access), tenantParam: tenant, success: status, cacheSeconds }).toEqual({
        permission: row?.permission,
        scope,
        tenantParam: row?.tenantParam,
        success: row?.success,
        cacheSeconds: row?.cacheSeconds,
      })
    },
  )

  test('routes of our own live apart', () => {
    const apart = declared.filter(({ surface }) => surface === 'appliance').map(({ definition }) => definition.path)
    expect(apart.filter((path) => !path.startsWith('/api/appliance/v1/'))).toEqual([])
  })
})
