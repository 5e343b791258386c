import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { installerKey } from '../../support/agent.ts'
import { agentRelease, typeIntoShell } from '../../support/agent-release.ts'
import { useTestServer } from '../../support/server.ts'
import { temporaryFolder } from '../../support/server-process.ts'

async function prepared() {
  const folder = await temporaryFolder()
  const downloads = await agentRelease(join(folder, 'downloads'))
  const server = await useTestServer({ settings: { DownloadsDirectory: downloads } })
  const owner = await server.owner()
  const device = join(folder, 'a/device')
  const temporary = join(folder, 'temporary')
  mkdirSync(temporary)
  const install = (keyId: string, keySecret: string, options = '') =>
    typeIntoShell(
      `sh ${downloads}/linux-x64/Farhand.Agent.Installer install -s ${server.url} -t ${owner.tenantId} -ki ${keyId} --data-dir ${device} ${options}`,
      { FARHAND_INSTALLER_KEY_SECRET: keySecret, TMPDIR: temporary },
    )
  return { folder, downloads, owner, install, left: () => [existsSync(join(folder, 'a')), ...readdirSync(temporary)] }
}

test.runIf(process.platform === 'linux')(
  'a wrong installer key is detected before the download, and leaves no file',
  { timeout: 60_000 },
  async () => {
    const { downloads, owner, install, left } = await prepared()
    const { id } = await installerKey(owner)
    // Downloads are unavailable, so an attempt reports an error.
    readdirSync(join(downloads, 'linux-x64'))
      .filter((name) => name.includes('bundle'))
      .forEach((name) => rmSync(join(downloads, 'linux-x64', name)))
    const { status, output } = await install(id, 'a "wrong" secret\\')
    expect(output).toMatch(/^Error: http:\S+ rejects the installer key, so nothing was installed\./)
    expect(output.trim().split('\n').length).toBe(1)
    expect(status).toBe(1)
    expect(left()).toEqual([false])
    expect((await install(id, '')).output).toContain('The secret of the key is missing')
  },
)

test.runIf(process.platform === 'linux')(
  'a registration that is rejected after a valid key leaves no folder, settings or program',
  { timeout: 60_000 },
  async () => {
    const { owner, install, left } = await prepared()
    const { id, keySecret } = await installerKey(owner)
    const { status, output } = await install(id, keySecret, '-c 3f2504e0-4f89-41d3-9a0c-0305e82c3301')
    expect(output).toContain('refused the registration with status 400.')
    expect(status).toBe(1)
    expect(left()).toEqual([false])
  },
)
