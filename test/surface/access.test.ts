import { beforeAll, describe, expect, test } from 'vitest'
import { isPermissionName } from '../../shared/access.ts'
import { agentHub } from '../../shared/hubs/agent-hub.ts'
import { viewerHub } from '../../shared/hubs/viewer-hub.ts'
import { serverForFile, type Visitor } from '../support/server.ts'
import { answersProblems, declared, pathOf, rows } from './routes.ts'

let visitor: Visitor

const server = serverForFile({ settings: { AppOptions__EnableInteractiveBearerLogin: 'true' } })
beforeAll(async () => {
  visitor = server.visitor()
})

const describeAccess = (access: unknown) =>
  typeof access === 'string' ? access : Object.values(access as object).join(' ')

test('the access matrix equals the reviewed snapshot', () => {
  const routes = declared.map(
    ({ definition: { method, path, access } }) => `${method} ${path}: ${describeAccess(access)}`,
  )
  const methods = [agentHub, viewerHub].flatMap(({ path, methods }) =>
    Object.entries(methods).map(([name, { access }]) => `${path} ${name}: ${describeAccess(access)}`),
  )
  expect([...routes, ...methods].toSorted()).toMatchSnapshot()
})

test('every permission of a route is a published one', () => {
  const names = declared.flatMap(({ definition: { access } }) =>
    typeof access === 'string' ? [] : ['scope' in access ? access.scope : access.permission],
  )
  expect(names.filter((name) => !isPermissionName(name))).toEqual([])
})

// Otherwise a server service account with the permission in some tenant would hold the permission in all.
test('a permission on a tenant or a group is checked only where a tenant is known', () => {
  const open = declared.filter(({ definition: { access, tenant } }) => {
    const on = typeof access === 'object' && 'on' in access ? access.on : undefined
    return tenant === 'none' && (on === 'tenant' || on === 'deviceGroup' || on === 'userGroup')
  })
  expect(open.map(({ name }) => name)).toEqual([])
})

describe('without a credential', () => {
  const isOpen = (access: unknown) => access === 'anonymous'

  test.each(rows(({ access }) => !isOpen(access)))('%s is 401, whatever else is invalid', async (_, definition) => {
    const response = await visitor.fetch(pathOf(definition), { method: definition.method })
    expect(response.status).toBe(401)
    if (!answersProblems(definition)) {
      expect(await response.text()).toBe('')
      return
    }
    expect(response.headers.get('content-type')).toBe('application/problem+json')
    expect(await response.json()).toEqual({
      type: 'https://tools.ietf.org/html/rfc9110#section-15.5.2',
      title: 'Unauthorized',
      status: 401,
      detail: 'Sign in first.',
      traceId: response.headers.get('x-request-id'),
    })
  })

  test.each(rows(({ access }) => isOpen(access)))('%s is not 401', async (_, definition) => {
    const response = await visitor.fetch(pathOf(definition), { method: definition.method })
    expect(response.status).not.toBe(401)
  })

  test.each(rows(({ access }) => !isOpen(access)))('%s refuses an invalid cookie', async (_, definition) => {
    const headers = {
      cookie: `.Farhand.Identity.${new URL(server.url).port}=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA`,
    }
    const response = await visitor.fetch(pathOf(definition), { method: definition.method, headers })
    expect(response.status).toBe(401)
  })
})
