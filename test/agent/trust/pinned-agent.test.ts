import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { fingerprintWords } from '../../../shared/fingerprint.ts'
import { installerKey } from '../../support/agent.ts'
import { leafOf, newAuthority, newRsaKey } from '../../support/identity-server.ts'
import { identityOf, pinnedOptions, pinOfPem, settingsIn, startPinnedDevice } from '../../support/pinned-device.ts'
import { registerOwner, useTestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import { runAgent, startAgent } from '../agent-process.ts'
import { temporaryFolder } from '../support.ts'
import { isNight } from '../../support/night.ts'

const listenOn = 'https://127.0.0.1:0;http://127.0.0.1:0'

describe('an agent with the pin of its server', () => {
  test.runIf(isNight)('registers, stores the key of the authority, and reconnects by that key alone', async () => {
    const server = await useTestServer({ listenOn })
    const owner = await server.owner()
    const device = await startPinnedDevice(server, owner)
    const { pin, statement } = await identityOf(server.url)
    expect(device.settings()).toMatchObject({
      ServerIdentity: pin,
      ServerUri: server.url,
      ServerAddresses: { Origins: [server.url], ServerPin: statement.serverPin, IssuedAt: statement.issuedAt },
    })
    expect(pin).toBe(pinOfPem(server.authorityPem ?? ''))
    expect(statSync(join(device.folder, 'appsettings.json')).mode & 0o777).toBe(0o600)
    device.agent.child.kill('SIGTERM')
    await device.agent.ended
    await until(async () => !(await device.isOnline()))

    const again = startAgent('run', '--data-dir', device.folder)
    await until(device.isOnline)
    await server.restart()
    await until(device.isOnline)
    const { stdout, status } = await runAgent('status', '--data-dir', device.folder)
    expect(stdout).toContain(`with the fingerprint "${fingerprintWords(pin)}" and connects to no other server`)
    expect(stdout).toMatch(/Server https:\/\/127\.0\.0\.1:\d+, device id [\s\S]*Online as .+ since /)
    expect(status).toBe(0)
    again.child.kill('SIGTERM')
    await again.ended
  })

  test.runIf(isNight)('stays connected when its server shows a custom certificate, RSA and then EC', async () => {
    const server = await useTestServer({ listenOn })
    // The server's next certificate is untrusted by this process.
    const owner = await registerOwner(server.urls[1] ?? '')
    const device = await startPinnedDevice(server, owner)
    const elsewhere = await newAuthority()
    for (const key of [newRsaKey(), undefined]) {
      const own = await leafOf(elsewhere, key && { key })
      const file = join(server.directory, 'own.pem')
      writeFileSync(file, own.certificate + own.key.export({ type: 'pkcs8', format: 'pem' }).toString())
      server.settings['Tls__CertificatePath'] = file
      await server.restart()
      const ownPin = pinOfPem(own.certificate)
      await until(device.isOnline)
      await until(() => device.settings().ServerAddresses.ServerPin === ownPin)
    }
    expect(device.agent.output()).not.toContain('Another server')
  })

  test('does not register at a server whose key differs from that of the install command', async () => {
    const server = await useTestServer({ listenOn })
    const owner = await server.owner()
    const folder = temporaryFolder()
    const wrong = `sha256//${Buffer.alloc(32, 7).toString('base64')}`
    const options = await pinnedOptions(owner, server.url, wrong)
    const { status, stderr } = await runAgent('run', '--data-dir', folder, ...options)
    const { statement } = await identityOf(server.url)
    expect(status).toBe(1)
    expect(stderr).toContain(`Another server than that of the install command answers at ${server.url}`)
    expect(stderr).toContain(`expected the key ${wrong}, seen a certificate for CN=`)
    expect(stderr).toContain(`with the key ${statement.serverPin}. Nothing was sent to it.`)
    expect(await owner.devices.list({})).toEqual([])
  })
})

test('an agent without a pin trusts the certificates that its system trusts', async () => {
  const server = await useTestServer({ listenOn })
  const owner = await server.owner()
  const key = await installerKey(owner)
  const folder = temporaryFolder()
  const authority = join(server.directory, 'authority.pem')
  writeFileSync(authority, server.authorityPem ?? '')
  const options = ['-s', server.url, '-t', owner.tenantId, '-ki', key.id, '-ks', key.keySecret, '--data-dir', folder]
  const refused = await runAgent('run', ...options)
  expect(refused.stderr).toContain('name its certificate file in NODE_EXTRA_CA_CERTS')
  vi.stubEnv('NODE_EXTRA_CA_CERTS', authority)
  onTestFinished(() => void vi.unstubAllEnvs())
  const agent = startAgent('run', ...options)
  await until(() => agent.output().includes('Connected'))
  expect(settingsIn(folder).ServerIdentity).toBeUndefined()
})
