import { describe, expect, test } from 'vitest'
import { enroll } from '../../support/agent.ts'
import { manualClock } from '../../support/clock.ts'
import { connectViewer, follow } from '../../support/hub-client.ts'
import { isNight } from '../../support/night.ts'
import { addServerAccount } from '../../support/people.ts'
import { account, integrator, useTestServer, type Visitor } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const hour = 60 * 60 * 1000
const day = 24 * hour

async function signedIn(staySignedIn: boolean) {
  const clock = manualClock()
  const server = await useTestServer({ clock })
  await server.owner()
  const visitor = server.visitor()
  await visitor.applianceSession.signIn({ body: { email: account.email, password: account.password, staySignedIn } })
  return { clock, server, visitor }
}

const isSignedIn = async (visitor: Visitor) => (await visitor.fetch('/api/auth/me')).status === 200

describe('sessions', () => {
  test('survive a restart', async () => {
    const { server, visitor } = await signedIn(false)
    await server.restart()
    expect(await isSignedIn(visitor)).toBe(true)
  })

  test.each([
    ['for the browser', false, day],
    ['to stay signed in', true, 30 * day],
  ])('%s end after their time without use, also in the database', async (_, isPersistent, lifetime) => {
    const { clock, server, visitor } = await signedIn(isPersistent)
    clock.advance(lifetime)
    expect(await isSignedIn(visitor)).toBe(false)
    await server.whileStopped(async (database) => {
      const rows = await database.all<{ isPersistent: number }>('SELECT * FROM sessions')
      expect(rows.filter((row) => Boolean(row.isPersistent) === isPersistent)).toEqual([])
    })
  })

  test('are prolonged when used after half of their life, and stay prolonged after a restart', async () => {
    const { clock, server, visitor } = await signedIn(false)
    for (let halfDays = 0; halfDays < 6; halfDays++) {
      clock.advance(13 * hour)
      expect(await isSignedIn(visitor)).toBe(true)
    }
    await server.restart()
    clock.advance(23 * hour)
    expect(await isSignedIn(visitor)).toBe(true)
    clock.advance(day)
    expect(await isSignedIn(visitor)).toBe(false)
  })

  test.runIf(isNight)(
    'are prolonged, also in the database, by pushed updates of devices that others change',
    async () => {
      const { clock, server, visitor } = await signedIn(false)
      const owner = await server.signIn()
      const { key } = await addServerAccount(owner)
      const { id } = await enroll(owner)
      const viewer = await connectViewer(visitor)
      await follow(viewer, [id])
      clock.advance(13 * hour)
      const { setAlias } = integrator(server.url, { 'x-api-key': key }).devices
      await setAlias({ params: { deviceId: id }, body: { alias: 'Cellar' } })
      await until(() => viewer.devices.length > 0)
      await server.restart()
      clock.advance(23 * hour)
      expect(await isSignedIn(visitor)).toBe(true)
    },
  )

  test('store no token in the database', async () => {
    const { server, visitor } = await signedIn(true)
    const token = visitor.cookie!.split('=')[1]!
    await server.whileStopped(async (database) => {
      expect(JSON.stringify(await database.all('SELECT * FROM sessions'))).not.toContain(token)
    })
  })
})

test('changing a password needs the current one and follows the rules', async () => {
  const server = await useTestServer()
  const owner = await server.owner()
  const change = { currentPassword: account.password, newPassword: 'short' }
  await expect(owner.auth.changePassword({ body: change })).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining('must have at least 8 characters'),
  })
})
