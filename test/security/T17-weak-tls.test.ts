import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { connect, DEFAULT_CIPHERS, type ConnectionOptions, type TLSSocket } from 'node:tls'
import { describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { root } from '../../tools/processes.mjs'
import { filesOf, otherAuthority } from '../support/certificates.ts'
import { serverForFile, useTestServer } from '../support/server.ts'

const server = serverForFile({ listenOn: 'https://127.0.0.1:0;https://127.0.0.2:0' })

async function shake(options: ConnectionOptions, url = server.url): Promise<TLSSocket> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), ...options })
  await once(socket, 'secureConnect')
  socket.destroy()
  return socket
}

// At security level 0 the client accepts everything, so the rejection is the server's.
const anything = `${DEFAULT_CIPHERS}:ALL:@SECLEVEL=0`

test.each(['TLSv1', 'TLSv1.1'] as const)('%s is rejected', async (version) => {
  const options = { minVersion: version, maxVersion: version, ciphers: anything }
  await expect(shake(options)).rejects.toThrow(/alert protocol version/)
})

test.each([
  'AES128-SHA',
  'AES256-GCM-SHA384',
  'ECDHE-ECDSA-AES128-SHA',
  'ECDHE-ECDSA-AES256-SHA384',
  'DHE-RSA-AES128-GCM-SHA256',
  'NULL-SHA256',
  'ECDHE-ECDSA-NULL-SHA',
  'AECDH-AES128-SHA',
])('the cipher %s is rejected', async (cipher) => {
  const options = { maxVersion: 'TLSv1.2', ciphers: `${cipher}:@SECLEVEL=0` } as const
  await expect(shake(options)).rejects.toThrow(/handshake failure/)
})

test.each([
  ['TLSv1.2', 'ECDHE-ECDSA-AES128-GCM-SHA256'],
  ['TLSv1.2', 'ECDHE-ECDSA-AES256-GCM-SHA384'],
  ['TLSv1.2', 'ECDHE-ECDSA-CHACHA20-POLY1305'],
  ['TLSv1.3', undefined],
] as const)('%s with %s is accepted', async (version, cipher) => {
  await shake({ minVersion: version, maxVersion: version, ...(cipher && { ciphers: cipher }) })
})

describe('a client that does not know the authority', () => {
  test('rejects the certificate by its own checks, and sends nothing', async () => {
    await expect(shake({ ca: [(await otherAuthority()).pem] })).rejects.toThrow(/unable to verify|self-signed/)
    const socket = new WebSocket(`${server.url.replace('https', 'wss')}/hubs/agent`, {
      ca: (await otherAuthority()).pem,
    })
    const [error] = (await once(socket, 'error')) as [Error]
    expect(error.message).toMatch(/unable to verify|self-signed/)
  })

  test('trusts neither another authority nor another name', async () => {
    await expect(shake({ servername: 'evil.example' })).rejects.toThrow(/does not match certificate/)
  })
})

test('two new servers have different keys', async () => {
  const other = await useTestServer({ listenOn: 'https://127.0.0.1:0' })
  expect(other.authorityPem).not.toBe(server.authorityPem)
  const seen = await Promise.all(
    [server.url, other.url].map(async (url) => {
      const { hostname, port } = new URL(url)
      const socket = connect({ host: hostname, port: Number(port) })
      await once(socket, 'secureConnect')
      const key = socket.getPeerX509Certificate()?.publicKey.export({ type: 'spki', format: 'pem' })
      socket.destroy()
      return key
    }),
  )
  expect(seen[0]).not.toBe(seen[1])
})

test('no shipped file contains a private key or a certificate', () => {
  const patterns = ['PRIVATE KEY-----\\\\n[A-Za-z0-9+/]', 'BEGIN [A-Z ]*PRIVATE KEY-----$', 'BEGIN CERTIFICATE-----$']
  const found = patterns.flatMap((pattern) => {
    try {
      const options = { cwd: root, encoding: 'utf8' } as const
      return execFileSync('git', ['grep', '-lIE', pattern, '--', '.', ':!docs'], options).trim().split('\n')
    } catch {
      return []
    }
  })
  expect(found).toEqual([])
})

test('a configured certificate that is too weak is not served, and the reason is logged', async () => {
  const { key } = await filesOf({ key: '' })
  const path = `${key}.weak.pem`
  const make = ['req', '-x509', '-newkey', 'rsa:1024', '-nodes', '-keyout', path, '-out', `${path}.crt`]
  execFileSync('openssl', [...make, '-subj', '/CN=weak', '-days', '3'], { stdio: 'ignore' })
  const weak = await useTestServer({
    listenOn: 'https://127.0.0.1:0',
    settings: { Tls__CertificatePath: `${path}.crt`, Tls__KeyPath: path },
  })
  await shake({}, weak.url)
  expect(weak.log.lines.map(({ message }) => message)).toContainEqual(expect.stringContaining('it is too weak'))
})
