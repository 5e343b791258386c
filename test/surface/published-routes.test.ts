import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Access } from '../../shared/access.ts'
import { successOf } from '../../shared/contract/route.ts'
import { declared } from './routes.ts'

interface PublishedRoute {
  surface: string
  method: string
  path: string
  permission: string | null
  scope: string
  tenantParam: string
  success: number
  cacheSeconds: number | null
  deprecated: boolean
  replacement: string | null
}

const published = JSON.parse(
  readFileSync(new URL('../fixtures/routes.json', import.meta.url), 'utf8'),
) as PublishedRoute[]

/** Published notation of an access; `self` and `authenticated` are the same to us. */
function inWordsOf(access: Access): Pick<PublishedRoute, 'permission' | 'scope'> {
  if (typeof access === 'string') {
    return { permission: null, scope: access }
  }
  if ('scope' in access) {
    // Being in scope is not a permission of its own there.
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

const templateOf = (path: string) => path.replace(/:(\w+)/g, '{$1}')
const ours = declared.filter(({ surface, definition }) => surface !== 'appliance' && !definition.unlisted)

describe('published routes', () => {
  test.each(ours.map(({ definition }) => [`${definition.method} ${definition.path}`, definition] as const))(
    '%s is declared as it was published',
    (_, definition) => {
      const { method, path, access, tenant, cacheSeconds = null, successor } = definition
      const row = published.find((candidate) => candidate.method === method && candidate.path === templateOf(path))
      const ownThings = row?.permission == null ? 'authenticated' : 'tenant'
      const scope = row?.scope === 'self' ? ownThings : row?.scope
      expect({
        ...inWordsOf(access),
        // The caller's own tenant is not named by the request.
        tenantParam: tenant === 'claim' ? 'none' : tenant,
        success: successOf(definition),
        cacheSeconds,
        replacement: successor ? templateOf(successor) : null,
      }).toEqual({
        permission: row?.permission,
        scope,
        tenantParam: row?.tenantParam,
        success: row?.success,
        cacheSeconds: row?.cacheSeconds,
        replacement: row?.replacement,
      })
    },
  )

  test('are all declared, in their document', () => {
    const apart = new Set(['docs', 'page'])
    // The six session routes are part of the internal surface.
    const surfaceOf = (row: PublishedRoute) => (row.surface === 'auth' ? 'internal' : row.surface)
    const wanted = published
      .filter(({ surface }) => !apart.has(surface))
      .map((row) => `${surfaceOf(row)} ${row.method} ${row.path}`)
    const found = ours.map(({ surface, definition: { method, path } }) => `${surface} ${method} ${templateOf(path)}`)
    expect(found.toSorted()).toEqual(wanted.toSorted())
  })

  test('are 130 in 31 groups, and 79 for older clients, 71 of them deprecated', () => {
    const of = (name: string) => ours.filter(({ surface }) => surface === name)
    expect(of('v1').length).toBe(130)
    expect(new Set(of('v1').map(({ definition }) => definition.path.split('/')[3])).size).toBe(31)
    expect(of('internal').length).toBe(79)
    expect(of('internal').filter(({ definition }) => definition.successor).length).toBe(71)
    expect([of('identity').length, of('agent').length]).toEqual([10, 4])
  })

  test('of our own page have a separate prefix', () => {
    const apart = declared.filter(({ surface }) => surface === 'appliance').map(({ definition }) => definition.path)
    expect(apart.filter((path) => !path.startsWith('/api/appliance/v1/'))).toEqual([])
  })
})
