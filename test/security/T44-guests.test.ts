import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { newUser } from '../../server/people/users.ts'
import { enroll } from '../support/agent.ts'
import { isNight } from '../support/night.ts'
import { useTestServer } from '../support/server.ts'
import { statusOf } from '../support/statuses.ts'

const maxGuests = 10_000
/** Fits into a statement. */
const rowsOfStatement = 500

test.runIf(isNight)(
  'a tenant has at most 10,000 guests: a new one is refused, known ones and those of others go on',
  async () => {
    const server = await useTestServer({ settings: { AppOptions__EnablePublicRegistration: 'true' } })
    const owner = await server.owner()
    const eve = await server.owner({ email: 'eve@example.org' })
    const linkOf = async (by: typeof owner) => {
      const { id: deviceId } = await enroll(by)
      return (userCorrelationId: string) =>
        statusOf(by.logonTokens.createForExternalUser({ body: { tenantId: by.tenantId, deviceId, userCorrelationId } }))
    }
    const [ofEve, ofOwner] = [await linkOf(eve), await linkOf(owner)]
    const guests = Array.from({ length: maxGuests - 1 }, (_, index) =>
      newUser({
        tenantId: eve.tenantId,
        accountType: 'External',
        userName: `ext-${index}`,
        email: `ext-${index}@local.invalid`,
        createdAt: 1,
        guestName: `Guest ${index}`,
      }),
    )
    for (let at = 0; at < guests.length; at += rowsOfStatement) {
      const rows = guests.slice(at, at + rowsOfStatement)
      await server.write((models, transaction) => models.User.bulkCreate(rows, { transaction }))
    }
    expect([await ofEve('new'), await ofEve('other'), await ofEve('new'), await ofEve('7')]).toEqual([
      200, 409, 200, 200,
    ])
    expect(await ofOwner('other')).toBe(200)
  },
)

test('a guest keeps 20 values and 20 preferences, and changes those', async () => {
  const server = await useTestServer()
  const owner = await server.owner()
  const { tenantId } = owner
  const { id: deviceId } = await enroll(owner)
  const { deviceAccessUrl } = await owner.logonTokens.createForExternalUser({
    body: { tenantId, deviceId, userCorrelationId: randomUUID() },
  })
  const guest = server.visitor()
  await guest.openLink(deviceAccessUrl)
  const keeps = {
    value: (key: string) => statusOf(guest.userStorage.set({ tenantId, body: { key, value: 'x' } })),
    preference: (name: string) => statusOf(guest.userPreferences.set({ tenantId, body: { name, value: 'x' } })),
  }
  for (const keep of [keeps.value, keeps.preference]) {
    for (let kept = 0; kept < 20; kept++) {
      expect(await keep(`some-${kept}`)).toBe(200)
    }
    expect([await keep('another'), await keep('some-7')]).toEqual([400, 200])
  }
})
