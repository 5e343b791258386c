import { beforeAll, expect, test } from 'vitest'
import { serverForFile, type Member } from '../support/server.ts'
import { answersProblems, pathOf, rows, someRows } from './routes.ts'

let pending: Member

/** Server with a signed-in user who has to change the password. */
const server = serverForFile({ settings: { AppOptions__EnableInteractiveBearerLogin: 'true' } })
beforeAll(async () => {
  pending = await server.owner()
  await server.changeRow('users', pending.user.id, 'isPasswordChangeRequired = TRUE')
  await server.restart()
})

const call = async (definition: Parameters<typeof pathOf>[0]) => {
  const response = await pending.fetch(pathOf(definition), { method: definition.method })
  return { status: response.status, text: await response.text() }
}

test.each(someRows(({ access, whilePasswordChangePending }) => access !== 'anonymous' && !whilePasswordChangePending))(
  '%s is 403 while a password change is pending',
  async (_, definition) => {
    const { status, text } = await call(definition)
    expect(status).toBe(403)
    expect(text).toContain('Password change required.')
    expect(JSON.parse(text)).toMatchObject(answersProblems(definition) ? { status: 403 } : { error: expect.anything() })
  },
)

test.each(someRows(({ access, whilePasswordChangePending }) => access === 'anonymous' || !!whilePasswordChangePending))(
  '%s is allowed while a password change is pending',
  async (_, definition) => {
    expect((await call(definition)).text).not.toContain('Password change required.')
  },
)

test('only the change itself is allowed while a password change is pending', () => {
  expect(rows(({ whilePasswordChangePending }) => whilePasswordChangePending === true).map(([name]) => name)).toEqual([
    'POST /api/auth/change-password',
  ])
})
