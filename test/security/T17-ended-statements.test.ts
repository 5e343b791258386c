/** A replaced key in an attacker's hands: accepted only by an agent that was away for a short time. */
import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { enrollmentOf } from '../../agent/trust/enrollment.ts'
import { readIdentity } from '../../agent/trust/identity-document.ts'
import { startAgent } from '../agent/agent-process.ts'
import { temporaryFolder } from '../agent/support.ts'
import { isNight } from '../support/night.ts'
import { documentOf, leafOf, newAuthority, startIdentityServer } from '../support/identity-server.ts'
import { identityOf, startPinnedDevice } from '../support/pinned-device.ts'
import { useTestServer } from '../support/server.ts'
import { until } from '../support/until.ts'

const dayMs = 24 * 3_600_000

/** Real agent that last saw its server the given number of days ago, and an attacker with the old key and statement. */
async function agentThatWasAwayFor(days: number) {
  const [authority, elsewhere] = [await newAuthority(), await newAuthority()]
  const leaked = await leafOf(elsewhere)
  const recorded = documentOf(authority, leaked, { issuedAt: Date.now() - days * dayMs })
  const standIn = await startIdentityServer(leaked, recorded)
  const folder = temporaryFolder()
  const { privateKey } = generateKeyPairSync('ed25519')
  const settings = {
    AppOptions: {
      DeviceId: randomUUID(),
      PrivateKey: privateKey.export({ type: 'pkcs8', format: 'der' }).subarray(-32).toString('base64'),
      ServerUri: standIn.url,
      TenantId: randomUUID(),
      ...enrollmentOf(readIdentity(recorded), standIn.url),
    },
  }
  writeFileSync(join(folder, 'appsettings.json'), JSON.stringify(settings), { mode: 0o600 })
  const agent = startAgent('run', '--data-dir', folder)
  const saysWhoItIs = () => standIn.upgrades.length > 0 || standIn.requests.some((text) => text.includes('/hubs/'))
  return { agent, standIn, saysWhoItIs }
}

test(
  'T17: an agent that was away does not believe a leaked key by a statement that has ended',
  { timeout: 60_000 },
  async () => {
    const { agent, standIn, saysWhoItIs } = await agentThatWasAwayFor(3.1)
    await until(() => agent.output().includes('a key that your server has replaced'))
    await until(() => standIn.requests.length >= 2)
    expect(standIn.requests.filter((request) => !request.startsWith('GET /.well-known/farhand-identity\n'))).toEqual([])
    expect(saysWhoItIs()).toBe(false)
  },
)

test.runIf(isNight)(
  'T17: the same agent would have come by a statement that has not, so the one above tells something',
  { timeout: 60_000 },
  async () => {
    const { saysWhoItIs } = await agentThatWasAwayFor(1.9)
    await until(saysWhoItIs)
  },
)

test('T17: what a real server signs ends, and a real agent keeps when', { timeout: 60_000 }, async () => {
  const server = await useTestServer({ listenOn: 'https://127.0.0.1:0;http://127.0.0.1:0' })
  const device = await startPinnedDevice(server, await server.owner())
  const { statement } = await identityOf(server.url)
  expect(Date.parse(statement.expiresAt ?? '') - Date.parse(statement.issuedAt)).toBe(2 * dayMs)
  expect(device.settings().ServerAddresses.ExpiresAt).toBe(statement.expiresAt)
})
