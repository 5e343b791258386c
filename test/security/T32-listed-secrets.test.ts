import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { installCommand } from '../../shared/install-command.ts'
import { installerKey } from '../support/agent.ts'
import { agentRelease, typeIntoShell } from '../support/agent-release.ts'
import { isNight } from '../support/night.ts'
import { registerOwner } from '../support/server.ts'
import { startServerProcess, temporaryFolder } from '../support/server-process.ts'

const read = (file: string) => {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // The process has exited meanwhile.
    return ''
  }
}

/** Collects all command lines visible to users of this machine, until the test ends or `stop`. */
function watchCommandLines() {
  const seen = new Set<string>()
  let isWatching = true
  const look = () => {
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      seen.add(read(`/proc/${pid}/cmdline`).replaceAll('\0', ' '))
    }
    if (isWatching) {
      setImmediate(look)
    }
  }
  look()
  const stop = () => {
    isWatching = false
  }
  onTestFinished(stop)
  return { seen, stop }
}

async function scene() {
  const folder = await temporaryFolder()
  const downloads = await agentRelease(join(folder, 'downloads'))
  const server = await startServerProcess(join(folder, 'data'), { DownloadsDirectory: downloads })
  const owner = await registerOwner(server.url)
  const { id: keyId, keySecret } = await installerKey(owner)
  const device = join(folder, 'device')
  onTestFinished(async () => {
    await typeIntoShell(`${join(device, 'program', 'Farhand.Agent')} uninstall --data-dir ${device}`)
  })
  const command = installCommand({
    system: 'linux',
    serverUrl: server.url,
    serverPin: null,
    downloadUrl: '/downloads/linux-x64/Farhand.Agent.Installer',
    tenantId: owner.tenantId,
    keyId,
    keySecret,
    instanceId: null,
    isUserOnly: true,
  })
  return { folder, device, server, owner, command: `${command} --data-dir ${device}`, keyId, keySecret }
}

test.runIf(process.platform === 'linux')(
  'the secret of an installer key appears on no command line during an installation, nor in the environment and log of the agent',
  { timeout: 120_000 },
  async () => {
    const { device, command, keyId, keySecret } = await scene()
    const { seen, stop } = watchCommandLines()
    const { status, output } = await typeIntoShell(command)
    stop()
    expect(output).toContain('is online.')
    expect(status).toBe(0)
    const withKey = [...seen].filter((line) => line.includes(keyId))
    expect(withKey).toContainEqual(expect.stringContaining('sh -s -- install'))
    expect(withKey).toContainEqual(expect.stringContaining('/main.js install'))
    expect([...seen].filter((line) => line.includes(keySecret))).toEqual([])
    const pid = readFileSync(join(device, 'agent.pid'), 'utf8').trim()
    expect(read(`/proc/${pid}/environ`)).not.toContain(keySecret)
    expect(read(join(device, 'Logs', 'LogFile.log'))).not.toContain(keySecret)
  },
)

test.runIf(process.platform === 'linux' && isNight)(
  'a secret passed as an argument appears on the command line of the script only',
  async () => {
    const { folder, device, server, owner, keyId, keySecret } = await scene()
    const installer = join(folder, 'downloads', 'linux-x64', 'Farhand.Agent.Installer')
    const key = `-ki ${keyId} -ks ${keySecret}`
    const { seen, stop } = watchCommandLines()
    const { status } = await typeIntoShell(
      `sh ${installer} install -s ${server.url} -t ${owner.tenantId} ${key} --data-dir ${device}`,
    )
    stop()
    expect(status).toBe(0)
    const listing = [...seen].filter((line) => line.includes(keySecret) && !line.startsWith(`sh ${installer} `))
    expect(listing).toEqual([])
  },
)

test.runIf(process.platform === 'linux' && isNight)('an installation from an unreachable server fails', async () => {
  const { server, command } = await scene()
  await server.stop()
  expect(await typeIntoShell(command)).toMatchObject({ status: 1 })
})
