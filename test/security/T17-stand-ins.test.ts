import { describe, expect, test } from 'vitest'
import { fingerprintWords } from '../../shared/fingerprint.ts'
import { pinOf } from '../../server/engines/tls/keys.ts'
import { documentOf, leafOf, newAuthority, startIdentityServer } from '../support/identity-server.ts'
import { identityOf, startPinnedDevice } from '../support/pinned-device.ts'
import { useTestServer } from '../support/server.ts'
import { until } from '../support/until.ts'
import { runAgent } from '../agent/agent-process.ts'

/** Only request that an unverified server may receive: the identity question. */
const onlyQuestion =
  /^GET \/\.well-known\/farhand-identity\n(?:(?:host: 127\.0\.0\.1:\d+|accept: .*|connection: close)\n?){3}$/

describe('T17: an impostor of the server', () => {
  test(
    'gets no request from the agent at the address of the server, and is reported',
    { timeout: 60_000 },
    async () => {
      const server = await useTestServer({ listenOn: 'https://127.0.0.1:0;http://127.0.0.1:0' })
      const owner = await server.owner()
      const device = await startPinnedDevice(server, owner)
      const { pin: expected } = await identityOf(server.url)
      const stranger = await newAuthority()
      const leaf = await leafOf(stranger)
      await server.whileStopped(async () => {
        const document = documentOf(stranger, leaf, { name: 'Impostor' })
        const standIn = await startIdentityServer(leaf, document, { port: Number(new URL(server.url).port) })
        await until(() => device.agent.output().includes('Another server answers'))
        const seen = fingerprintWords(pinOf(stranger.key))
        // The previous attempt may have failed to connect, and its report is shown until the new report is stored.
        const { stdout, stderr, status } = await until(async () => {
          const told = await runAgent('status', '--data-dir', device.folder)
          return told.stderr.includes('the connection was refused') ? undefined : told
        })
        expect(status).toBe(1)
        expect(stdout).toContain(`another server answered at ${server.url}: expected the server`)
        expect(stderr).toContain('Not online since')
        expect(stderr).toContain(`"${fingerprintWords(expected)}", seen a certificate for CN=127.0.0.1, issued by`)
        expect(stderr).toContain(`it claims to be the server "Impostor" with the fingerprint "${seen}"`)
        await until(() => standIn.requests.length >= 2)
        expect(standIn.requests.filter((request) => !onlyQuestion.test(request))).toEqual([])
        await standIn.close()
      })
      await until(device.isOnline)
      const told = await until(async () => {
        const { evidence } = await owner.applianceDevices.absence({ params: { deviceId: device.id } })
        return evidence.find(({ kind }) => kind === 'wrong-identity')
      })
      expect(told.detail).toContain(`${server.url}: a certificate for CN=127.0.0.1, issued by CN=Farhand`)
      expect(told.detail).toContain('the server "Impostor"')
      const { stdout } = await runAgent('status', '--data-dir', device.folder)
      expect(stdout).toContain('Nothing was sent to it; your server was notified.')
    },
  )
})
