/** T44: wrong answers of one person end no lock of another. */
import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import type { ApiError } from '../../shared/contract/client.ts'
import { some } from '../support/night.ts'
import { addMember } from '../support/people.ts'
import { account, ownerForFile, serverForFile, type Member } from '../support/server.ts'

const server = serverForFile()
const owner = ownerForFile(server)
let victim: Member
let flooder: Member
beforeAll(async () => {
  victim = await addMember(server, owner.tenantId, [])
  flooder = await addMember(server, owner.tenantId, [])
})

/** More than any limit of all rows that there has been. */
const many = 10_000

const ways = {
  browser: (by: Member, password: string) =>
    by.applianceSession.signIn({ body: { email: by.user.email, password } }).then((answer) => answer.isLockedOut),
  credential: (by: Member, password: string) =>
    by.applianceSession.prove({ body: { password } }).then(
      () => false,
      (error: ApiError) => JSON.stringify(error.problem).includes('was wrong too often'),
    ),
}

test.each(some(['credential', 'browser'] as const, 2))(
  'a lock of a %s holds after many wrong answers of another user, whose oldest counts are removed',
  async (kind) => {
    const attempt = ways[kind]
    for (let count = 0; count < 5; count++) {
      await attempt(victim, 'Wrong-Horse-7')
    }
    expect(await attempt(victim, account.password)).toBe(true)
    await server.whileStopped((database, models) =>
      database.write((transaction) =>
        models.WrongAnswer.bulkCreate(
          Array.from({ length: many }, () => ({
            id: randomUUID(),
            kind,
            userId: flooder.user.id,
            failedSignIns: 1,
            lockedUntil: null,
            changedAt: Date.now(),
          })),
          { transaction },
        ),
      ),
    )
    await attempt(flooder, 'Wrong-Horse-7')
    expect(await attempt(victim, account.password)).toBe(true)
    const where = 'kind = ? AND userId = ?'
    expect(await server.rows(`SELECT 1 FROM wrong_answers WHERE ${where}`, kind, flooder.user.id)).toHaveLength(100)
  },
)
