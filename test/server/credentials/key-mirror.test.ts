import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { newUser } from '../../../server/people/users.ts'
import { hashSecret } from '../../../server/engines/secrets/hashes.ts'
import { openTestMemory, tenantId } from '../../support/memory.ts'

test('tokens that have expired leave the memory, stay in the database, and do not come back with a write', async () => {
  const user = newUser({ tenantId, email: 'ada@example.org', createdAt: 0, lastLogin: 0 })
  const token = (expiresAt: number | null) => ({
    id: randomUUID(),
    userId: user.id,
    name: 'script',
    secretHash: hashSecret('secret'),
    permissionMode: 'InheritOwner' as const,
    createdAt: 0,
    lastUsed: null,
    expiresAt,
    madeWith: null,
  })
  const [ended, later, endless] = [token(1_000), token(Date.now() + 60_000), token(null)]
  const { memory, database, models, differences, close } = await openTestMemory({
    async fill({ User, PersonalAccessToken }, transaction) {
      await User.create(user, { transaction })
      await PersonalAccessToken.bulkCreate([ended, later, endless], { transaction })
    },
  })
  onTestFinished(close)
  const { personalAccessTokens } = memory
  expect(personalAccessTokens.expiresAt(ended.id)).toBe(1_000)
  personalAccessTokens.dropExpired(2_000)
  // An earlier time brings nothing back.
  personalAccessTokens.dropExpired(500)
  await database.write((transaction) =>
    models.PersonalAccessToken.update({ name: 'renamed' }, { where: { userId: user.id }, transaction }),
  )
  expect(personalAccessTokens.expiresAt(ended.id)).toBeNull()
  expect(personalAccessTokens.open({ id: later.id, secret: 'secret' })?.id).toBe(user.id)
  expect(personalAccessTokens.principalOfHolder(user.id)?.id).toBe(user.id)
  expect(personalAccessTokens.open({ id: endless.id, secret: 'secret' })?.id).toBe(user.id)
  expect(await models.PersonalAccessToken.count()).toBe(3)
  expect(await differences()).toEqual([])
})
