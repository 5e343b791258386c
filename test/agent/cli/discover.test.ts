import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import Bonjour from 'bonjour-service'
import { build } from 'esbuild'
import { expect, onTestFinished, test } from 'vitest'
import type { findAnnounced } from '../../../agent/trust/discovery.ts'
import type { Authority } from '../../../server/engines/tls/certificates.ts'
import { pinOf } from '../../../server/engines/tls/keys.ts'
import { fingerprintWords } from '../../../shared/fingerprint.ts'
import { announcedService } from '../../../shared/server-identity.ts'
import { documentOf, leafOf, newAuthority, startIdentityServer } from '../../support/identity-server.ts'
import { runAgent } from '../agent-process.ts'
import { temporaryFolder } from '../support.ts'

const namePart = `${process.pid} ${Date.now()}`

/** Starts a server that announces the identity `announced`, and proves the identity `proved`. */
async function startAnnounced(name: string, announced: Authority, proved = announced) {
  const leaf = await leafOf(proved)
  const server = await startIdentityServer(leaf, documentOf(proved, leaf, { name }), { host: '0.0.0.0' })
  const bonjour = new Bonjour({}, () => {})
  onTestFinished(() => new Promise<void>((resolve) => bonjour.destroy(() => resolve())))
  const txt = { authority: pinOf(announced.key), name: `${name} ${namePart}` }
  bonjour.publish({ name: `${name} ${namePart}`, type: announcedService, port: server.port, txt, probe: false })
  return server
}

test(
  'discover lists servers, and distinguishes the own proved server from a claimed one',
  { timeout: 30_000 },
  async () => {
    const [ours, other] = [await newAuthority(), await newAuthority()]
    await startAnnounced('Ours', ours)
    await startAnnounced('Other', other)
    await startAnnounced('Impostor', ours, other)
    const folder = join(temporaryFolder(), 'device')
    mkdirSync(folder, { mode: 0o700 })
    const AppOptions = {
      DeviceId: '11111111-2222-4333-8444-555555555555',
      PrivateKey: Buffer.alloc(32, 1).toString('base64'),
      ServerUri: 'https://127.0.0.1:1',
      TenantId: '11111111-2222-4333-8444-666666666666',
      ServerIdentity: pinOf(ours.key),
    }
    writeFileSync(join(folder, 'appsettings.json'), JSON.stringify({ AppOptions }), { mode: 0o600 })
    const { stdout, stderr, status } = await runAgent('discover', '--data-dir', folder)
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    const partOf = (name: string) => stdout.slice(stdout.indexOf(`${name} ${namePart}`)).split(/\n(?=\S)/)[0]
    expect(partOf('Ours')).toContain(
      `Fingerprint: ${fingerprintWords(pinOf(ours.key))}\n  This device belongs to this server.`,
    )
    expect(partOf('Other')).toContain('This device does not belong to this server.')
    expect(partOf('Impostor')).toContain('This server announces another fingerprint than it proves.')
  },
)

test('discover works inside a bundle', async () => {
  const outdir = temporaryFolder()
  await build({
    entryPoints: [join(import.meta.dirname, '../../../agent/trust/discovery.ts')],
    outdir,
    outExtension: { '.js': '.mjs' },
    splitting: true,
    bundle: true,
    platform: 'node',
    format: 'esm',
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  })
  const bundled = (await import(pathToFileURL(join(outdir, 'discovery.mjs')).href)) as {
    findAnnounced: typeof findAnnounced
  }
  expect(Array.isArray(await bundled.findAnnounced(50))).toBe(true)
})
