import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFailed, test } from 'vitest'
import { installCommand } from '../../shared/install-command.ts'
import { identityPath } from '../../shared/server-identity.ts'
import { installerKey } from '../support/agent.ts'
import { Network, hostsProblem, type Host } from '../support/network-hosts.ts'
import { isNight } from '../support/night.ts'
import { registerOwner, type Member } from '../support/server.ts'
import { until } from '../support/until.ts'
import { Appliance } from './appliance.ts'
import { Attacker, foreignCertificate } from './attacker.ts'
import { openedBy } from './browser.ts'

const skipped = hostsProblem ? ` (skipped: ${hostsProblem})` : ''

/** Sequential steps of a single scenario. */
describe.skipIf(hostsProblem)(`a network that the appliance is served to${skipped}`, { timeout: 120_000 }, () => {
  let network: Network
  let office: Host
  let workshop: Host
  let appliance: Appliance
  let owner: Member
  let deviceId = ''

  beforeAll(async () => {
    network = await Network.create()
    office = await network.host('office', '10.77.0.10/24')
    workshop = await network.host('workshop', '10.77.0.20/24')
    appliance = await Appliance.on(network, office)
    await appliance.start()
    owner = await registerOwner(appliance.url)
  }, 60_000)

  afterAll(() => network.stop())

  beforeEach(() =>
    onTestFailed(async () => {
      console.log(appliance.output(), await agentLog(), JSON.stringify(state()))
    }),
  )

  const agentFolder = () => join(workshop.folder, 'etc/farhand/default')
  const agentLog = async () => (await workshop.run('cat /var/log/farhand/default/Farhand.Agent/LogFile.log')).output
  /** Restarts the agent with the line that the installer recommends without a service manager. */
  const restartAgent = async (environment: Record<string, string>) => {
    const program = '/usr/local/bin/Farhand/default'
    await workshop.run(`kill -KILL ${String(state()['pid'])}`)
    await workshop.run(`nohup ${program}/node ${program}/main.js run --as-service >/dev/null 2>&1 &`, environment)
  }
  const status = () => workshop.run('/usr/local/bin/Farhand/default/Farhand.Agent status')
  const state = () => {
    try {
      return JSON.parse(readFileSync(join(agentFolder(), 'state.json'), 'utf8')) as Record<string, unknown>
    } catch {
      return {}
    }
  }
  /** Waits until agent and server report the device online at this address, since `since` or later. */
  const online = async (address: string, since = 0) => {
    await until(async () => {
      const { state: word, serverUri, sinceMs } = state()
      return (
        (word === 'online' && serverUri === address && Number(sinceMs) >= since) || (await pause(200).then(() => false))
      )
    })
    await until(async () => (await owner.devices.get({ params: { deviceId } })).isOnline)
  }

  /** Install command copied from the Deploy page, with a changed pin if given. */
  const copiedLine = async (change: (pin: string) => string = (pin) => pin) => {
    const { id: keyId, keySecret } = await installerKey(owner)
    const { serverUrl, serverPin } = await owner.applianceStatus.deployment({ tenantId: owner.tenantId })
    expect(serverUrl).toBe('https://10.77.0.10:5121')
    return installCommand({
      system: 'linux',
      serverUrl,
      serverPin: serverPin && change(serverPin),
      downloadUrl: '/downloads/linux-x64/Farhand.Agent.Installer',
      tenantId: owner.tenantId,
      keyId,
      keySecret,
      instanceId: null,
      isUserOnly: false,
    })
  }

  test('is served over TLS at once when the switch is on, and http is redirected', async () => {
    await owner.applianceNetwork.set({ body: { isServed: true, port: 5121, names: [] } })
    const asked = await workshop.run(`curl -sk https://10.77.0.10:5121${identityPath}`)
    expect(JSON.parse(asked.output)).toMatchObject({ statement: expect.any(String) })
    const plain = await workshop.run(`curl -s -o /dev/null -w '%{http_code} %{redirect_url}' http://10.77.0.10:5121/x`)
    expect(plain.output).toMatch(/^30[78] https:\/\/10\.77\.0\.10:5121\/x$/)
    const elsewhere = await workshop.run(`curl -sD- -o /dev/null -H 'Host: elsewhere.example' http://10.77.0.10:5121/x`)
    expect(elsewhere.output).not.toContain('elsewhere.example')
    expect(await workshop.run('curl -s http://10.77.0.10:5120/')).toMatchObject({ status: 7 })
  })

  test('a command with the pin of another key runs nothing, with curl and with wget', async () => {
    const line = await copiedLine((pin) => pin.replace(/\/\/.{4}/, '//AAAA'))
    const [curl, wget] = [await workshop.run(line), await workshop.run(line.replaceAll('curl ', 'no-such-program '))]
    for (const { status, output } of [curl, wget]) {
      expect(status).not.toBe(0)
      expect(output).toContain('Nothing was run')
    }
    expect((await workshop.run('ls /etc/farhand /usr/local/bin/Farhand')).status).not.toBe(0)
    expect(await owner.devices.list({})).toEqual([])
  })

  test('the copied command enrolls another host', async () => {
    const { status: exit, output } = await workshop.run(await copiedLine())
    expect({ exit, output }).toMatchObject({ exit: 0, output: expect.stringContaining('Device workshop is online.') })
    deviceId = String(JSON.parse(readFileSync(join(agentFolder(), 'appsettings.json'), 'utf8')).AppOptions.DeviceId)
    await online('https://10.77.0.10:5121')
    expect((await status()).output).toContain('https://10.77.0.10:5121')
  })

  test('the agent finds an appliance that moved, and sends nothing to the host at its old address', async () => {
    const [since, identity] = [Date.now(), await workshop.run(`curl -sk https://10.77.0.10:5121${identityPath}`)]
    office.changeAddress('10.77.0.11/24')
    const stranger = await Attacker.on(await network.host('stranger', '10.77.0.10/24'))
    // The impostor even serves the real server's statement.
    await stranger.answer(5121, { [identityPath]: identity.output })
    await stranger.announce('office', (await owner.applianceNetwork.get({})).fingerprint.pin, 5121)
    // Clients update their ARP caches.
    await stranger.host.run('curl -s --max-time 1 http://10.77.0.20/')
    await online('https://10.77.0.11:5121', since)
    await until(() => stranger.heard() > 0)
    expect(stranger.read()).not.toContain(deviceId)
    expect(stranger.requests().filter((request) => request !== `GET ${identityPath}`)).toEqual([])
    expect(await agentLog()).toContain('Another server answers at https://10.77.0.10:5121')
  })

  test.runIf(isNight)('new names and a new certificate change nothing for the agent', async () => {
    const before = (await owner.applianceNetwork.get({})).certificate
    await owner.applianceNetwork.set({ body: { isServed: true, port: 5121, names: ['farhand.lan'] } })
    const after = (await owner.applianceNetwork.get({})).certificate
    expect(before.names).not.toContain('farhand.lan')
    expect(after.names).toContain('farhand.lan')
    const since = Date.now()
    await appliance.stop()
    await appliance.start()
    await online('https://10.77.0.11:5121', since)
  })

  test('a browser warns until it trusts the authority, and then shows the page without a warning', async () => {
    const address = 'https://10.77.0.11:5121'
    const [stranger, believer] = ['stranger', 'believer'].map((name) => join(workshop.folder, name)) as [string, string]
    const store = join(believer, '.pki/nssdb')
    const authority = join(believer, 'authority.pem')
    const trusting = await workshop.run(
      [
        `mkdir -p ${store} ${stranger}`,
        `certutil -N -d sql:${store} --empty-password`,
        `curl -sk -o ${authority} ${address}/api/appliance/v1/network/authority`,
        `certutil -A -d sql:${store} -n Farhand -t C,, -i ${authority}`,
      ].join(' && '),
    )
    expect(trusting).toMatchObject({ status: 0 })
    const [warned, shown] = await Promise.all([stranger, believer].map((home) => openedBy(workshop, home, address)))
    expect(warned).toContain('ERR_CERT_AUTHORITY_INVALID')
    expect(shown).toContain('Sign in')
  })

  test.runIf(isNight)('a custom certificate replaces the issued one, and the agent stays connected', async () => {
    const { certificate, key } = await foreignCertificate(['farhand.example', '10.77.0.11'])
    await owner.applianceNetwork.setCertificate({ body: { pem: certificate + key } })
    expect((await owner.applianceNetwork.get({})).certificate).toMatchObject({ source: 'own', problem: null })
    const since = Date.now()
    await appliance.stop()
    await appliance.start()
    await online('https://10.77.0.11:5121', since)
  })

  test.runIf(isNight)(
    'the issued certificate replaces the custom one again, and a disconnected agent reconnects',
    async () => {
      await owner.applianceNetwork.removeCertificate({})
      const since = Date.now()
      await workshop.run('ss -K dst 10.77.0.11')
      await online('https://10.77.0.11:5121', since)
    },
  )

  test('a machine in the middle reads nothing, and the agent names it', async () => {
    const behind = await network.host('behind', '10.77.0.67/24')
    const middle = await Attacker.on(await network.host('between', '10.77.0.66/24'))
    middle.host.cut()
    const device = workshop.plugInto(middle.host)
    middle.host.ip('address', 'add', '10.77.0.11/32', 'dev', device)
    middle.host.ip('route', 'add', '10.77.0.20/32', 'dev', device)
    await middle.forward(5121, await network.door(behind, 5121, '10.77.0.11'))
    // No environment variable makes the agent trust another server.
    await restartAgent({
      NODE_TLS_REJECT_UNAUTHORIZED: '0',
      NODE_EXTRA_CA_CERTS: middle.authority,
      NODE_USE_ENV_PROXY: '1',
      https_proxy: 'http://10.77.0.11:5121',
    })
    await until(() => String(state()['detail']).includes('Another server answers at https://10.77.0.11:5121'))
    const { status: exit, output } = await status()
    expect(exit).toBe(1)
    expect(output).toMatch(/Not online .*Another server answers at https:\/\/10\.77\.0\.11:5121: expected .*, seen .*/)
    expect(middle.requests().filter((request) => request !== `GET ${identityPath}`)).toEqual([])
    expect(middle.read()).not.toContain(deviceId)
    const since = Date.now()
    network.plug(workshop)
    await online('https://10.77.0.11:5121', since)
  })
})
