import { beforeAll, expect, test } from 'vitest'
import { serverForFile, type Member } from '../support/server.ts'
import { answersProblems, pathOf, rows, someRows } from './routes.ts'

let careless: Member

/** Server whose tenant requires the second factor that its signed-in user does not have. */
const server = serverForFile({ settings: { AppOptions__EnableInteractiveBearerLogin: 'true' } })
beforeAll(async () => {
  careless = await server.owner()
  await server.changeRow('tenants', careless.tenantId, 'secondFactorFrom = 1')
  await server.restart()
})

const call = async (definition: Parameters<typeof pathOf>[0]) => {
  const response = await careless.fetch(pathOf(definition), { method: definition.method })
  return { status: response.status, text: await response.text() }
}

test.each(someRows(({ access, whileSecondFactorMissing }) => access !== 'anonymous' && !whileSecondFactorMissing))(
  '%s is 403 while a required second factor is missing',
  async (_, definition) => {
    const { status, text } = await call(definition)
    expect(status).toBe(403)
    expect(text).toMatch(
      answersProblems(definition) ? /"code":"second-factor-required"/ : /^$|"second-factor-required"/,
    )
  },
)

test('only what sets up a second factor, signs out or draws the page is allowed without one', () => {
  expect(rows(({ whileSecondFactorMissing }) => whileSecondFactorMissing === true).map(([name]) => name)).toEqual([
    'GET /api/v1/user-preferences/:name',
    'POST /api/auth/manage/2fa',
    'GET /api/auth/me',
    'POST /api/auth/logout',
    'POST /api/auth/change-password',
    'GET /api/appliance/v1/account',
    'POST /api/appliance/v1/account/two-factor/setup',
    'POST /api/appliance/v1/account/two-factor',
    'GET /api/appliance/v1/account/passkeys',
    'POST /api/appliance/v1/account/passkeys/options',
    'POST /api/appliance/v1/account/passkeys',
    'POST /api/appliance/v1/session/proof',
    'POST /api/appliance/v1/session/proof/passkey-options',
    'GET /api/appliance/v1/session/permissions',
    'GET /api/user-preferences/:name',
  ])
})
