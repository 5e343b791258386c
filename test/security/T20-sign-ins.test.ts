import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import type { Models } from '../../server/call/models.ts'
import { rowLimits } from '../../shared/row-limits.ts'
import { copyRow } from '../support/copied-rows.ts'
import { account, serverForFile, type Visitor } from '../support/server.ts'
import { statusOf } from '../support/statuses.ts'

const server = serverForFile({
  settings: { AppOptions__EnablePublicRegistration: 'true', AppOptions__EnableInteractiveBearerLogin: 'true' },
})

const count = (name: keyof Models) =>
  server.write((models, transaction) => (models[name] as Models['Tenant']).count({ transaction }))

const isSignedIn = async (visitor: Visitor) => (await visitor.fetch('/api/auth/me')).status === 200

/** Makes sign-ins of a user up to the limit, used in the year 1970. */
const addOld = (name: 'Session' | 'TokenFamily', key: 'tokenHash' | 'id') =>
  server.write(async (models, transaction) => {
    const model = models[name] as Models['TokenFamily']
    const rows = await model.findAll({ order: [['createdAt', 'DESC']], transaction })
    const newest = rows[0]!.get({ plain: true })
    const added = rowLimits['sign-ins of a person'] - rows.length
    const copies = Array.from({ length: added }, (_, index) => ({
      ...newest,
      [key]: randomUUID(),
      lastSeenAt: index,
    }))
    await model.bulkCreate(copies, { transaction })
    return copies[0]![key as 'id']
  })

test('T20: beyond the limit of sessions of a person, the one that was not used for longest ends', async () => {
  const owner = await server.owner()
  const oldest = await addOld('Session', 'tokenHash')
  const most = await count('Session')
  expect(most).toBe(rowLimits['sign-ins of a person'])
  const next = await server.signIn()
  expect(await count('Session')).toBe(most)
  expect(await server.rows(`SELECT 1 FROM sessions WHERE tokenHash = '${oldest}'`)).toEqual([])
  expect([await isSignedIn(owner), await isSignedIn(next)]).toEqual([true, true])
  expect(await server.differences()).toEqual([])
})

test('T20: beyond the limit of bearer sign-ins of a person, the one that was not used for longest ends', async () => {
  const { email, password } = account
  const signIn = () => server.visitor().identity.login({ query: {}, body: { email, password } })
  await signIn()
  const oldest = await addOld('TokenFamily', 'id')
  await signIn()
  expect(await count('TokenFamily')).toBe(rowLimits['sign-ins of a person'])
  expect(await server.rows(`SELECT 1 FROM token_families WHERE id = '${oldest}'`)).toEqual([])
  expect(await server.differences()).toEqual([])
})

test('T20: nobody registers an organization beyond the limit, and people still sign in', async () => {
  await copyRow(server, 'Tenant', { copies: rowLimits['organizations of a server'] - (await count('Tenant')) })
  const { applianceSession } = server.visitor()
  const register = () => applianceSession.register({ body: { ...account, email: 'grace@example.org' } })
  await expect(register()).rejects.toMatchObject({
    status: 409,
    message: 'The limit is 10,000 organizations of a server. Ask an administrator for an account.',
  })
  expect(await statusOf(server.signIn())).toBe(200)
  await server.write(({ Tenant }, transaction) =>
    Tenant.sequelize!.query("DELETE FROM tenants WHERE name LIKE '% 17'", { transaction }),
  )
  expect(await statusOf(register())).toBe(200)
})
