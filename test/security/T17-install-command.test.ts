/** The install command against the real curl, wget and sh, and real TLS servers. */
import { generateKeyPairSync, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { createServer as createPlainServer } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { describe, expect, onTestFinished, test } from 'vitest'
import { installCommand, type InstallCommand } from '../../shared/install-command.ts'
import { makeAuthority } from '../../server/engines/tls/certificates.ts'
import { pinOf } from '../../server/engines/tls/keys.ts'
import { installerKey } from '../support/agent.ts'
import { agentRelease, typeIntoShell, writeInstaller } from '../support/agent-release.ts'
import { isNight } from '../support/night.ts'
import { useTestServer } from '../support/server.ts'
import { temporaryFolder } from '../support/server-process.ts'

const tools =
  'sh sed tr mktemp rm cut sha256sum tar gzip mkdir rmdir chmod find id uname dirname grep cat env touch'.split(' ')

/** Search path with either downloader. */
async function pathWith(downloader: 'curl' | 'wget') {
  const folder = await temporaryFolder()
  for (const name of [...tools, downloader]) {
    const found = ['/usr/bin', '/bin'].map((one) => join(one, name)).find(existsSync)
    if (found) {
      symlinkSync(found, join(folder, name))
    }
  }
  return folder
}

async function shownKey(url: string) {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', rejectUnauthorized: false })
  await once(socket, 'secureConnect')
  const { publicKey } = new X509Certificate(socket.getPeerCertificate().raw)
  socket.destroy()
  return pinOf(publicKey)
}

/** Impostor server that records requests and serves a script. */
async function standIn(script: string, location?: string) {
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { certificate } = await makeAuthority(keys.privateKey, Date.now())
  const asked: string[] = []
  const server = createServer(
    { key: keys.privateKey.export({ type: 'pkcs8', format: 'pem' }), cert: String(certificate) },
    (request, answer) => {
      asked.push(request.url ?? '')
      answer.writeHead(location === undefined ? 200 : 307, location === undefined ? {} : { location }).end(script)
    },
  ).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, pin: pinOf(keys.publicKey), asked }
}

const ofDevice: Omit<InstallCommand, 'serverUrl' | 'serverPin'> = {
  system: 'linux',
  downloadUrl: '/downloads/linux-x64/Farhand.Agent.Installer',
  tenantId: '11111111-1111-4111-8111-111111111111',
  keyId: '22222222-2222-4222-8222-222222222222',
  keySecret: 'secret-of-the-key',
  instanceId: null,
  isUserOnly: true,
}
/** Network interface that the server treats as its network. */
const lanCard = {
  address: '127.0.0.2',
  family: 'IPv4',
  internal: false,
  netmask: '255.0.0.0',
  mac: '02:00:00:00:00:01',
  cidr: '127.0.0.2/8',
} as const

const otherPin = `sha256//${'A'.repeat(43)}=`

/** Downloaders of the command; `wget` at night only, because each test starts several programs. */
describe.runIf(process.platform === 'linux').each(isNight ? (['curl', 'wget'] as const) : (['curl'] as const))(
  'with %s, the install command',
  (downloader) => {
    test('downloads script, description and program from the server with the pinned key, and passes the key on', async () => {
      const folder = await temporaryFolder()
      const downloads = await agentRelease(join(folder, 'downloads'), { agent: 'echo "the agent got: $*"' })
      const server = await useTestServer({
        listenOn: 'https://127.0.0.1:0',
        settings: { DownloadsDirectory: downloads },
      })
      const serverPin = await shownKey(server.url)
      const owner = await server.owner()
      const { id: keyId, keySecret } = await installerKey(owner)
      const { tenantId } = owner
      const command = installCommand({ ...ofDevice, serverUrl: server.url, serverPin, tenantId, keyId, keySecret })
      const device = join(folder, 'device')
      const { status, output } = await typeIntoShell(`${command} --data-dir ${device}`, {
        PATH: await pathWith(downloader),
      })
      expect(output).toContain(`the agent got: install -s ${server.url} -sp ${serverPin} -t `)
      expect(status).toBe(0)
    })

    test('with a wrong installer key downloads no bundle', async () => {
      const folder = await temporaryFolder()
      const downloads = await agentRelease(join(folder, 'downloads'), { agent: 'echo "the agent ran"' })
      const server = await useTestServer({
        listenOn: 'https://127.0.0.1:0',
        settings: { DownloadsDirectory: downloads },
      })
      const command = installCommand({ ...ofDevice, serverUrl: server.url, serverPin: await shownKey(server.url) })
      const { status, output } = await typeIntoShell(`${command} --data-dir ${folder}/device`, {
        PATH: await pathWith(downloader),
      })
      expect(output).toContain(
        `Error: ${server.url} rejects the installer key, so nothing was installed. The key may be unknown, spent, ` +
          'expired, or of another tenant. Take a fresh install command from the Deploy page of the server.\n',
      )
      expect(output).not.toContain('Downloading')
      expect([status, existsSync(join(folder, 'device'))]).toEqual([1, false])
    })

    test('sends no request to a server with another key, runs nothing and names the expected key', async () => {
      const ran = join(await temporaryFolder(), 'ran')
      const { url, pin, asked } = await standIn(`touch ${ran}`)
      const line = installCommand({ ...ofDevice, serverUrl: url, serverPin: otherPin })
      const { status, output } = await typeIntoShell(line, { PATH: await pathWith(downloader) })
      expect(output).toContain(`Nothing was run: no server with the key ${otherPin} answered.`)
      expect([status, asked, existsSync(ran)]).toEqual([1, [], false])
      // An agent that pins the impostor's key accepts the impostor: only the key caused the rejection above.
      await typeIntoShell(installCommand({ ...ofDevice, serverUrl: url, serverPin: pin }), {
        PATH: await pathWith(downloader),
      })
      expect([asked, existsSync(ran)]).toEqual([[ofDevice.downloadUrl], true])
    })

    test('follows no redirect, even of a server with the pinned key', async () => {
      const folder = await temporaryFolder()
      const ran = join(folder, 'ran')
      const asked: string[] = []
      const plain = createPlainServer((request, answer) => {
        asked.push(request.url ?? '')
        answer.end(`touch ${ran}`)
      }).listen(0, '127.0.0.1')
      await once(plain, 'listening')
      onTestFinished(() => void plain.close())
      const elsewhere = `http://127.0.0.1:${(plain.address() as AddressInfo).port}/`
      const { url, pin } = await standIn('', elsewhere)
      const env = { PATH: await pathWith(downloader) }
      const line = installCommand({ ...ofDevice, serverUrl: url, serverPin: pin })
      expect((await typeIntoShell(line, env)).status).toBe(1)
      const installer = writeInstaller(folder)
      const options = `-s ${url} -t ${ofDevice.tenantId} --server-pin ${pin} --data-dir ${folder}/device`
      expect((await typeIntoShell(`sh ${installer} install ${options}`, env)).status).toBe(1)
      expect([asked, existsSync(ran)]).toEqual([[], false])
    })

    test('that was downloaded earlier sends no request to a server with another key, and names both keys', async () => {
      const folder = await temporaryFolder()
      const { url, pin, asked } = await standIn('{}')
      const installer = writeInstaller(folder)
      mkdirSync(join(folder, 'temporary'))
      const { status, output } = await typeIntoShell(
        `sh ${installer} install -s ${url} -t ${ofDevice.tenantId} --server-pin ${otherPin} --data-dir ${folder}/device`,
        { PATH: await pathWith(downloader), TMPDIR: join(folder, 'temporary') },
      )
      const seen = downloader === 'curl' ? pin : 'another one'
      expect(output).toContain(
        `Error: The server at ${url} does not have the key that the command names, so nothing was taken from it. ` +
          `Expected ${otherPin}, seen ${seen}.`,
      )
      expect([status, asked]).toEqual([1, []])
    })
  },
)

test.runIf(process.platform === 'linux')(
  'the command that the server shows for its own address enrolls a device, and with another key enrolls none',
  { timeout: 120_000 },
  async () => {
    const folder = await temporaryFolder()
    const server = await useTestServer({
      listenOn: 'https://0.0.0.0:0',
      settings: { DownloadsDirectory: await agentRelease(join(folder, 'downloads')) },
      machine: { readInterfaces: () => ({ eth0: [lanCard] }) },
    })
    const owner = await server.owner()
    const { id: keyId, keySecret } = await installerKey(owner)
    const { tenantId } = owner
    const { serverUrl, serverPin, installers } = await owner.applianceStatus.deployment({ tenantId })
    expect(serverUrl).toMatch(/^https:\/\/127\.0\.0\.2:/)
    expect(serverPin).toBe(await shownKey(serverUrl))
    const of = { ...ofDevice, serverUrl, downloadUrl: installers[0]!.downloadUrl, tenantId, keyId, keySecret }
    const install = (pin: string | null, name: string) =>
      typeIntoShell(`${installCommand({ ...of, serverPin: pin })} --data-dir ${join(folder, name)}`)

    const refused = await install(otherPin, 'refused')
    expect([refused.status, existsSync(join(folder, 'refused'))]).toEqual([1, false])
    onTestFinished(async () => {
      await typeIntoShell(`${join(folder, 'device/program/Farhand.Agent')} uninstall --data-dir ${folder}/device`)
    })
    const { status, output } = await install(serverPin, 'device')
    expect(output).toContain('is online.')
    expect(status).toBe(0)
    const settings = readFileSync(join(folder, 'device/appsettings.json'), 'utf8')
    expect(JSON.parse(settings)).toMatchObject({
      AppOptions: { ServerUri: serverUrl, ServerIdentity: expect.any(String) },
    })
  },
)

test.runIf(process.platform === 'linux').each([
  ['http://127.0.0.1:9', otherPin, '-sp needs a server address that begins with https://.'],
  ['https://127.0.0.1:9', '/etc/hostname', '-sp is sha256// and 44 characters of base64, not "/etc/hostname".'],
  ['https://127.0.0.1:9', `${otherPin};x`, `-sp is sha256// and 44 characters of base64, not "${otherPin};x".`],
])('the installer rejects a pin for %s that is %s', async (url, pin, reason) => {
  const folder = await temporaryFolder()
  const installer = writeInstaller(folder)
  const line = `sh ${installer} install -s ${url} -sp '${pin}' --data-dir ${folder}/device`
  expect(await typeIntoShell(line)).toEqual({ status: 1, output: `Error: ${reason}\n` })
})
