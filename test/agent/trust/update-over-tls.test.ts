import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Updates } from '../../../agent/capabilities/update.ts'
import { systemClock } from '../../../agent/base/clock.ts'
import { pathsFor } from '../../../agent/platform/paths.ts'
import { PinnedAccess } from '../../../agent/trust/pinned-access.ts'
import { documentOf, leafOf, newAuthority, startIdentityServer, trustIn } from '../../support/identity-server.ts'
import { collectingLog, recordingStart, temporaryFolder } from '../support.ts'

const installer = 'echo'
const metadata = {
  brandName: 'Farhand',
  publisher: 'Farhand',
  bundleDownloadUrl: '/downloads/bundle.zip',
  bundleSha256: 'B'.repeat(64),
  installerDownloadUrl: '/downloads/installer',
  installerSha256: createHash('sha256').update(installer).digest('hex'),
  runtime: 'linux-x64',
  version: '9.0.0.0',
}

test.runIf(process.platform === 'linux' && process.arch === 'x64')(
  'an update comes from the proved server alone, and its installer gets the key that was proved',
  async () => {
    const [authority, stranger] = [await newAuthority(), await newAuthority()]
    const answer = (request: { url?: string }, response: { end: (text: string) => void }) =>
      response.end(request.url === metadata.installerDownloadUrl ? installer : JSON.stringify(metadata))
    const server = await startIdentityServer(await leafOf(authority), undefined, { answer })
    const dataDir = join(temporaryFolder(), 'device')
    mkdirSync(dataDir, { mode: 0o700 })
    writeFileSync(join(dataDir, '.farhand-bundle.sha256'), 'A'.repeat(64))
    const { started, start } = recordingStart()
    const log = collectingLog()
    const access = new PinnedAccess({
      clock: systemClock,
      trusted: trustIn(authority),
      origins: [server.url],
      onStatement: () => {},
      onMoved: () => {},
      onStranger: () => {},
    })
    const updates = new Updates({
      clock: systemClock,
      log,
      paths: pathsFor({ dataDir }),
      access,
      tenantId: 'tenant',
      isAutomaticOff: true,
      start,
    })
    const shown = await leafOf(stranger)
    server.show(shown)
    server.say(documentOf(stranger, shown))
    await updates.check({ isForced: true })
    expect(log.lines.at(-1)).toContain('Another server answers')
    expect(server.requests.filter((request) => !request.startsWith('GET /.well-known/farhand-identity'))).toEqual([])

    const issued = await leafOf(authority)
    server.show(issued)
    server.say(documentOf(authority, issued))
    await updates.check({ isForced: true })
    expect(started.length).toBe(1)
    expect(started[0]?.join(' ')).toContain(
      ` install --server-uri ${server.url} --server-pin ${access.shownPin} --tenant-id tenant`,
    )
  },
)
