import { X509Certificate } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { hostname } from 'node:os'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { manualClock } from '../../support/clock.ts'
import { freePort } from '../../../tools/simulate/free-port.ts'
import { card, secureGet, takenPort } from '../../support/network.ts'
import { addMember } from '../../support/people.ts'
import { startTestServer, useTestServer, type Member, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const authorityOf = async (owner: Member) => (await owner.fetch('/api/appliance/v1/network/authority')).text()

describe('a server on loopback', () => {
  let server: TestServer
  let owner: Member
  beforeAll(async () => {
    server = await startTestServer()
    owner = await server.owner()
  })
  afterAll(() => server.stop())

  /** Resolves once the last port is closed and its certificate names are removed. */
  const whenOff = () =>
    until(async () => {
      const network = await owner.applianceNetwork.get({})
      return network.certificate.names.length === 5 ? network : undefined
    })

  test('reports that it is off, and still has a fingerprint of eight words', async () => {
    const network = await owner.applianceNetwork.get({})
    expect(network).toMatchObject({
      settings: { isServed: false, port: 5121, names: [] },
      state: 'off',
      fixed: [],
      addresses: [],
      plainAddresses: [],
      listening: [{ address: owner.url, reach: 'computer', problem: null }],
      hasUploaded: false,
      announcedAs: null,
    })
    expect(new Set(network.fingerprint.words).size).toBeGreaterThan(3)
    expect(network.fingerprint.hex).toMatch(/^[\da-f]{64}$/)
  })

  test('serves the network at once when it is switched on, and stops at once', async () => {
    const port = await freePort()
    const on = await owner.applianceNetwork.set({ body: { isServed: true, port, names: ['farhand.test'] } })
    expect(on.state).toBe('serving')
    expect(on.addresses[0]).toBe(`https://farhand.test:${port}`)
    expect(on.listening[1]).toEqual({ address: `https://*:${port}`, reach: 'network', problem: null })
    expect(on.announcedAs).toContain(hostname().slice(0, 20))
    const ca = await authorityOf(owner)
    for (const host of ['127.0.0.1', 'farhand.test']) {
      expect((await secureGet(port, '/alive', ca, host)).status).toBe(200)
    }
    const off = await owner.applianceNetwork.set({ body: { ...on.settings, isServed: false } })
    expect([off.state, off.announcedAs]).toEqual(['off', null])
    await until(async () => (await secureGet(port, '/alive', ca).catch(() => undefined)) === undefined)
  })

  test('has no name of the network in its certificate once the network is off', async () => {
    const port = await freePort()
    const on = await owner.applianceNetwork.set({ body: { isServed: true, port, names: ['one.test', 'two.test'] } })
    expect(on.certificate.names).toEqual(expect.arrayContaining(['one.test', 'two.test']))
    const fewer = await owner.applianceNetwork.set({ body: { isServed: true, port, names: ['two.test'] } })
    expect(fewer.certificate.names).not.toContain('one.test')
    await owner.applianceNetwork.set({ body: { isServed: false, port, names: ['two.test'] } })
    const { certificate } = await whenOff()
    const machine = hostname().toLowerCase()
    expect(certificate.names).toEqual([machine, `${machine}.local`, 'localhost', '127.0.0.1', '::1'])
  })

  test('answers the request that switches it off over the network', async () => {
    const port = await freePort()
    const { settings } = await owner.applianceNetwork.set({ body: { isServed: true, port, names: [] } })
    const ca = await authorityOf(owner)
    const { default: https } = await import('node:https')
    const body = JSON.stringify({ ...settings, isServed: false })
    const visitor = await server.signIn()
    const session = `__Host-${visitor.cookie!.replace(new URL(server.url).port, String(port))}`
    const status = await new Promise<number>((resolve, reject) => {
      const origin = `https://127.0.0.1:${port}`
      const headers = { origin, cookie: session, 'content-type': 'application/json' }
      const sent = https.request(`${origin}/api/appliance/v1/network`, { method: 'PUT', ca, headers })
      sent.on('error', reject).on('response', (response) => resolve(response.resume().statusCode ?? 0))
      sent.end(body)
    })
    expect(status).toBe(200)
    await until(async () => (await secureGet(port, '/alive', ca).catch(() => undefined)) === undefined)
  })

  test('rejects a port in use and changes nothing', async () => {
    const taken = await takenPort()
    const { port } = taken.address() as AddressInfo
    const before = await whenOff()
    await expect(owner.applianceNetwork.set({ body: { isServed: true, port, names: [] } })).rejects.toMatchObject({
      status: 409,
      message: `Port ${port} is in use by another program. Choose another port, or fix this first.`,
    })
    taken.close()
    expect(await owner.applianceNetwork.get({})).toEqual(before)
  })

  test.each([
    [{ port: 0 }, 'port'],
    [{ port: 65536 }, 'port'],
    [{ port: 'many' }, 'port'],
    [{ names: ['https://farhand.test'] }, 'names.0'],
    [{ names: ['farhand.test:5121'] }, 'names.0'],
    [{ names: ['a b'] }, 'names.0'],
    [{ names: ['192.168.1.5'] }, 'names.0'],
    [{ names: Array.from({ length: 17 }, (_, index) => `n${index}.test`) }, 'names'],
    [{ isServed: 'perhaps' }, 'isServed'],
  ])('rejects %j', async (change, field) => {
    const response = await owner.fetch('/api/appliance/v1/network', {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ isServed: false, port: 5121, names: [], ...change }),
    })
    expect(response.status).toBe(400)
    const { errors } = (await response.json()) as { errors: Record<string, string[]> }
    expect(Object.keys(errors)).toEqual([field])
  })

  test('logs each change with its actor', async () => {
    await owner.applianceNetwork.set({ body: { isServed: false, port: 6001, names: ['a.test'] } })
    const [entry] = await server.rows<Record<string, string | null>>(
      `SELECT * FROM authorization_change_logs WHERE actionType = 'network-settings-updated' ORDER BY createdAt DESC`,
    )
    expect(entry).toMatchObject({ actorPrincipalId: owner.user.id, targetType: 'Server', owningTenantId: null })
    expect(JSON.parse(entry!['afterJson']!)).toEqual({ isServed: false, port: 6001, names: ['a.test'] })
  })

  test('offers its authority to anyone, in three encodings', async () => {
    const visitor = server.visitor()
    const pem = await visitor.fetch('/api/appliance/v1/network/authority')
    const crt = await visitor.fetch('/api/appliance/v1/network/authority/certificate')
    const profile = await visitor.fetch('/api/appliance/v1/network/authority/profile')
    const types = [pem, crt, profile].map(({ headers }) => headers.get('content-type'))
    expect(types).toEqual(['application/x-pem-file', 'application/x-x509-ca-cert', 'application/x-apple-aspen-config'])
    const certificate = new X509Certificate(await pem.text())
    expect(certificate.ca).toBe(true)
    expect(Buffer.from(await crt.arrayBuffer())).toEqual(certificate.raw)
    expect(await profile.text()).toContain(certificate.raw.toString('base64'))
    expect(crt.headers.get('content-disposition')).toMatch(/^attachment; filename="?farhand-[\w-]+\.crt/)
    const trust = await visitor.applianceNetwork.trust({})
    expect(trust.fingerprint).toEqual((await owner.applianceNetwork.get({})).fingerprint)
  })
})

test('the network page is forbidden for users of an organization', async () => {
  const server = await useTestServer()
  const { tenantId } = await server.owner()
  const member = await addMember(server, tenantId, ['tenant.settings.write'])
  const body = { isServed: true, port: 6000, names: [] }
  const attempts = [
    () => member.applianceNetwork.get({}),
    () => member.applianceNetwork.set({ body }),
    () => member.applianceNetwork.test({}),
    () => member.applianceNetwork.firewall({}),
    () => member.applianceNetwork.askDevice({}),
    () => member.applianceNetwork.removeCertificate({}),
  ]
  for (const attempt of attempts) {
    await expect(attempt()).rejects.toMatchObject({ status: 403 })
  }
})

describe('a served network', () => {
  test('is served again after a restart', async () => {
    const server = await useTestServer()
    const owner = await server.owner()
    const port = await freePort()
    await owner.applianceNetwork.set({ body: { isServed: true, port, names: [] } })
    const { fingerprint } = await owner.applianceNetwork.get({})
    const ca = await authorityOf(owner)
    await server.restart()
    expect((await secureGet(port, '/alive', ca)).status).toBe(200)
    expect((await (await server.signIn()).applianceNetwork.get({})).fingerprint).toEqual(fingerprint)
  })

  test('whose port is in use at the start is retried until it is free', async () => {
    // The client checks the certificate by the real time.
    const clock = manualClock(Date.now())
    const server = await useTestServer({ clock })
    const owner = await server.owner()
    const port = await freePort()
    await owner.applianceNetwork.set({ body: { isServed: true, port, names: [] } })
    const ca = await authorityOf(owner)
    let release = () => {}
    await server.whileStopped(async () => {
      const { createServer } = await import('node:net')
      const other = createServer().listen(port)
      await until(() => other.listening)
      release = () => void other.close()
    })
    const again = await server.signIn()
    expect(await again.applianceNetwork.get({})).toMatchObject({
      state: 'failed',
      problem: expect.stringContaining(`Port ${port} is in use`) as string,
      addresses: [],
    })
    clock.advance(5_000)
    clock.advance(5_000)
    release()
    await until(async () => {
      clock.advance(5_000)
      return (await again.applianceNetwork.get({})).state === 'serving'
    })
    expect((await secureGet(port, '/alive', ca)).status).toBe(200)
    expect(server.log.lines.filter(({ message }) => message.includes('is in use'))).toHaveLength(1)
  })

  test('has a certificate and a statement for a new address before anyone requests them', async () => {
    const clock = manualClock()
    let cards: Record<string, ReturnType<typeof card>> = { eth0: card('192.0.2.10', 'fe80::1', '2001:db8::5') }
    const server = await useTestServer({ clock, machine: { readInterfaces: () => cards } })
    const owner = await server.owner()
    const port = await freePort()
    const { addresses, interfaces } = await owner.applianceNetwork.set({ body: { isServed: true, port, names: [] } })
    expect(interfaces).toEqual([{ name: 'eth0', addresses: ['192.0.2.10', '2001:db8::5'] }])
    expect(addresses[0]).toBe(`https://192.0.2.10:${port}`)
    expect(addresses.at(-1)).toBe(`https://[2001:db8::5]:${port}`)
    cards = { docker0: card('172.17.0.1'), wlan0: card('198.51.100.7') }
    clock.advance(5_000)
    await until(async () => (await owner.applianceNetwork.get({})).addresses.includes(`https://198.51.100.7:${port}`))
    const now = await owner.applianceNetwork.get({})
    expect(now.interfaces.map(({ name }) => name)).toEqual(['wlan0', 'docker0'])
    expect(now.certificate.names).toContain('198.51.100.7')
    const identity = (await (await owner.fetch('/.well-known/farhand-identity')).json()) as { statement: string }
    const statement = JSON.parse(Buffer.from(identity.statement, 'base64').toString()) as { addresses: string[] }
    expect(statement.addresses).toEqual(now.addresses)
  })

  test('sends agents its best address and the key served there', async () => {
    const server = await useTestServer({ machine: { readInterfaces: () => ({ eth0: card('192.0.2.10') }) } })
    const owner = await server.owner()
    const { tenantId } = owner
    expect(await owner.applianceStatus.deployment({ tenantId })).toMatchObject({
      serverUrl: server.url,
      serverPin: null,
      isReachableFromNetwork: false,
    })
    const port = await freePort()
    await owner.applianceNetwork.set({ body: { isServed: true, port, names: [] } })
    const identity = (await (await owner.fetch('/.well-known/farhand-identity')).json()) as { statement: string }
    const { serverPin } = JSON.parse(Buffer.from(identity.statement, 'base64').toString()) as { serverPin: string }
    expect(await owner.applianceStatus.deployment({ tenantId })).toMatchObject({
      serverUrl: `https://192.0.2.10:${port}`,
      serverPin,
      isReachableFromNetwork: true,
    })
  })

  test('cannot be switched by the page where the configuration serves it', async () => {
    const server = await useTestServer({ listenOn: 'http://127.0.0.1:0;https://0.0.0.0:0' })
    const owner = await server.owner()
    const network = await owner.applianceNetwork.get({})
    expect(network.state).toBe('serving')
    expect(network.fixed).toMatchObject([{ what: 'addresses', setting: 'Service_Urls', source: 'environment' }])
    expect(network.addresses.length).toBeGreaterThan(0)
    await expect(owner.applianceNetwork.set({ body: { ...network.settings, isServed: true } })).rejects.toMatchObject({
      status: 409,
    })
  })

  test('without encryption is reported as such', async () => {
    const server = await useTestServer({
      listenOn: 'http://127.0.0.1:0;http://0.0.0.0:0',
      machine: { readInterfaces: () => ({ eth0: card('192.0.2.10') }) },
    })
    const owner = await server.owner()
    const network = await owner.applianceNetwork.get({})
    expect(network.state).toBe('off')
    expect(network.plainAddresses[0]).toMatch(/^http:\/\/192\.0\.2\.10:\d+$/)
    const { serverUrl, serverPin } = await owner.applianceStatus.deployment({ tenantId: owner.tenantId })
    expect([serverUrl, serverPin]).toEqual([network.plainAddresses[0], null])
  })
})
