import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { answeringAgent } from '../../../support/answering-agent.ts'
import { canJoin, isOnlineAt, joinedForFile } from '../../../support/joined-servers.ts'
import { addMember } from '../../../support/people.ts'
import { until } from '../../../support/until.ts'

const path = '/api/v1/device-file-system/contents'
const json = { 'content-type': 'application/json' }

describe.runIf(canJoin)('a request whose body names a device of another server', () => {
  const joined = joinedForFile({ settings: { AppOptions__UseHttpLogging: 'true' } })

  /** Requests for folders that the first server has answered. */
  const answered = () =>
    joined.one.log.lines.filter(
      ({ message, fields }) => message === 'Request.' && (fields as { path?: string }).path === path,
    ).length

  async function prepared() {
    const { owner, ownerAtTwo } = joined
    const { id: deviceId } = await answeringAgent(owner)
    await until(() => isOnlineAt(ownerAtTwo, deviceId))
    const text = JSON.stringify({ deviceId, directoryPath: '/Über' })
    return { text, address: `${path}?tenantId=${owner.tenantId}`, before: answered() }
  }

  test.for([
    ['packed', (text: string) => gzipSync(text), { ...json, 'content-encoding': 'gzip' }],
    [
      'in UTF-16',
      (text: string) => Buffer.from(text, 'utf16le'),
      { 'content-type': 'application/json; charset=utf-16le' },
    ],
    ['in chunks', (text: string) => new Blob([text]).stream(), json],
  ] as const)('is passed on, its body %s', async ([, encoded, headers]) => {
    const { text, address, before } = await prepared()
    const init = {
      method: 'POST',
      body: encoded(text) as NonNullable<RequestInit['body']>,
      headers,
      duplex: 'half' as const,
    }
    const answer = await joined.ownerAtTwo.fetch(address, init)
    expect([answer.status, await answer.json()]).toMatchObject([200, { directoryExists: true }])
    await until(() => answered() === before + 1)
  })

  test('is rejected where it arrived, for strangers and for what may not be read', async () => {
    const { ownerAtTwo, two, owner } = joined
    const { text, address, before } = await prepared()
    const send = async (fetch: typeof ownerAtTwo.fetch, body = text, headers: Record<string, string> = json) =>
      (await fetch(address, { method: 'POST', body, headers })).status
    const powerless = await addMember(two, owner.tenantId, ['device.read'])
    expect([
      await send(two.visitor().fetch),
      await send(powerless.fetch),
      await send(ownerAtTwo.fetch, text, { 'content-type': 'text/plain' }),
      await send(ownerAtTwo.fetch, `{"a":"${'x'.repeat(2 * 1024 * 1024)}"}`),
      await send(ownerAtTwo.fetch, '{}'),
    ]).toEqual([401, 403, 415, 413, 400])
    expect(answered()).toBe(before)
  })
})
