import { expect, test } from 'vitest'
import { pageMember } from '../support/passkeys.ts'
import { createUser } from '../support/people.ts'
import { account, useTestServer } from '../support/server.ts'

test('a user who asks for thousands of tickets is limited, and evicts those of nobody else', async () => {
  const server = await useTestServer()
  const owner = await server.owner()
  const { email } = await createUser(owner, { password: account.password })
  const [member, greedy] = [await pageMember(server), await pageMember(server, email)]
  const { ticket } = await member.applianceSession.issueTicket({})
  const issue = () =>
    greedy.applianceSession.issueTicket({}).then(
      () => 200,
      (error: { status: number }) => error.status,
    )
  const statuses = new Set<number>()
  for (let round = 0; round < 6; round++) {
    const group = await Promise.all(Array.from({ length: 100 }, issue))
    group.forEach((status) => statuses.add(status))
  }
  expect(statuses).toEqual(new Set([200, 429]))
  member.pageKey = undefined
  expect((await member.fetch(`/api/auth/me?pageTicket=${ticket}`)).status).toBe(200)
})
