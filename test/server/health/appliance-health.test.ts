import { expect, test } from 'vitest'
import { manualClock } from '../../support/clock.ts'
import { addMember, addTenantAccount } from '../../support/people.ts'
import { isOnPostgres } from '../../support/postgres.ts'
import { ownerForFile, serverForFile } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const hourMs = 60 * 60_000
const time = manualClock()
/** Distance of the wall clock from the time that passed: another one is a jump. */
let shiftMs = 0
const clock = { ...time, now: () => time.now() + shiftMs }
const server = serverForFile({ clock })
const owner = ownerForFile(server)

const rowOf = async (id: string) => {
  const { checks } = await owner.applianceHealth.report({})
  return checks.find((check) => check.id === id)
}

test('the report has a row for each subject, each wrong one with what to do', async () => {
  const { checks, state, lastEnd } = await owner.applianceHealth.report({})
  expect(checks.map(({ id }) => id)).toEqual([
    'disk',
    'database',
    'log',
    'last-end',
    'backup',
    'ports',
    'connections',
    'certificate',
    'mail',
    'memory',
    'event-loop',
    'clock',
    'secrets',
    'agents',
    'refused',
    'blocked-keys',
  ])
  expect(checks.filter((check) => check.state !== 'ok' && check.advice === null)).toEqual([])
  expect(checks.find(({ id }) => id === 'backup')).toMatchObject({ state: 'warning' })
  expect(lastEnd).toBeNull()
  expect(state).toBe(checks.some((check) => check.state === 'problem') ? 'problem' : state)
})

test('people without server.telemetry.read get no report', async () => {
  const member = await addMember(server, owner.tenantId, ['device.read'])
  expect((await member.fetch('/api/appliance/v1/health-report')).status).toBe(403)
  expect((await member.fetch('/api/appliance/v1/health-report/diagnostics')).status).toBe(403)
})

test('rejections are counted by kind', async () => {
  await server
    .visitor()
    .applianceSession.signIn({ body: { email: owner.user.email, password: 'wrong' } })
    .catch(() => {})
  expect(await rowOf('refused')).toMatchObject({ summary: expect.stringMatching(/^1 attempt: .*sign-in/) })
})

test('wrong API keys that block their address are named, with the account of the key', async () => {
  const account = await addTenantAccount(owner)
  const [keyId] = account.key.split(':')
  for (let attempt = 0; attempt < 5; attempt++) {
    const response = await fetch(`${server.url}/api/v1/tags`, { headers: { 'x-api-key': `${keyId}:wrong` } })
    expect(response.status).toBe(401)
  }
  const { name } = (await owner.tenantServiceAccounts.list({ params: { tenantId: owner.tenantId } })).items[0]!
  const row = await rowOf('blocked-keys')
  expect(row).toMatchObject({ state: 'warning', summary: `Wrong keys block 127.0.0.1 (a key of ${name}, 5 minutes)` })
  time.advance(5 * 60_000)
  expect(await rowOf('blocked-keys')).toMatchObject({ state: 'ok', summary: 'None' })
})

test('a clock jump by hours is reported, in both directions, and the server keeps working', async () => {
  shiftMs -= 3 * hourMs
  time.advance(30_000)
  expect(await rowOf('clock')).toMatchObject({
    state: 'warning',
    summary: expect.stringContaining('set back by 3 hours'),
  })
  shiftMs += 5 * hourMs
  time.advance(30_000)
  expect(await rowOf('clock')).toMatchObject({ state: 'ok', summary: expect.stringContaining('forward by 5 hours') })
})

test('the whole database is checked a week after the last check', async ({ skip }) => {
  skip(isOnPostgres, 'The server checks the file of SQLite alone.')
  const checkedAt = async () => {
    const [state] = await server.rows<{ integrityCheckedAt: number | null }>(
      'SELECT integrityCheckedAt FROM server_state',
    )
    return state!.integrityCheckedAt
  }
  expect(await checkedAt()).toBeNull()
  time.advance(8 * 24 * hourMs)
  const first = await until(checkedAt)
  time.advance(24 * hourMs)
  expect(await checkedAt()).toBe(first)
})
