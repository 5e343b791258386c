import { randomUUID } from 'node:crypto'
import { createClient } from '@redis/client'
import { describe, expect, onTestFinished, test } from 'vitest'
import { applianceRemoteSessions } from '../../shared/api/appliance-remote-sessions.ts'
import { canJoin, joinedForFile } from '../support/joined-servers.ts'
import type { TestServer } from '../support/server.ts'

const { list, end } = applianceRemoteSessions.routes

describe.runIf(canJoin)('a stranger at one of two servers', () => {
  const joined = joinedForFile({ settings: { AppOptions__UseHttpLogging: 'true' } })

  const requestsAt = ({ log }: TestServer, path: string) =>
    log.lines.filter(({ message, fields }) => message === 'Request.' && 'path' in fields && fields.path === path).length

  test('an unauthenticated list of sessions is not passed on; an authenticated one is', async () => {
    const { one, two, owner } = joined
    const answer = await fetch(one.url + list.path, { headers: { cookie: owner.cookie!.replace(/=.*/, '=wrong') } })
    expect([answer.status, requestsAt(two, list.path)]).toEqual([401, 0])
    await owner.applianceRemoteSessions.list({})
    expect(requestsAt(two, list.path)).toBe(1)
  })

  test('an unauthenticated end of a session asks no other server; an authenticated one does', async () => {
    const { one, owner, redis } = joined
    const client = createClient({ url: redis.url })
    await client.connect()
    onTestFinished(() => client.destroy())
    const questions: string[] = []
    await client.pSubscribe('*:to:*', (text) => void questions.push(text))
    const path = end.path.replace(/:\w+/, randomUUID())
    const answer = await fetch(one.url + path, { method: 'POST', body: '{}', headers: { origin: one.url } })
    expect([answer.status, questions]).toEqual([401, []])
    const known = await owner.fetch(path, {
      method: 'POST',
      body: '{}',
      headers: { 'content-type': 'application/json' },
    })
    expect([known.status, questions.length > 0]).toEqual([404, true])
  })
})
