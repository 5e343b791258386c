import { readFile } from 'node:fs/promises'
import { connect } from 'node:tls'
import { expect, test } from 'vitest'
import { filesOf, otherAuthority, pfxOf } from '../../support/certificates.ts'
import { freePort } from '../../../tools/simulate/free-port.ts'
import { useTestServer, type Member } from '../../support/server.ts'

async function served() {
  const server = await useTestServer()
  const owner = await server.owner()
  const port = await freePort()
  await owner.applianceNetwork.set({ body: { isServed: true, port, names: [] } })
  return { server, owner, port }
}

/** Issuer of the certificate at a port. */
const issuerAt = (port: number) =>
  new Promise<string>((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false }, () => {
      resolve(socket.getPeerX509Certificate()!.issuer)
      socket.destroy()
    })
    socket.on('error', reject)
  })

const pinOf = async (owner: Member) => (await owner.applianceNetwork.trust({})).fingerprint.pin

test('an uploaded certificate is served at once and after a restart, sealed in the database, and the identity does not change', async () => {
  const { server, owner, port } = await served()
  const [ours, identity] = [await issuerAt(port), await pinOf(owner)]
  const { cert, key } = await (await otherAuthority()).issue(['farhand.test'])
  const after = await owner.applianceNetwork.setCertificate({ body: { pem: `${cert}\n${key}` } })
  expect(after).toMatchObject({
    hasUploaded: true,
    certificate: { source: 'own', names: ['farhand.test'], problem: null },
  })
  const theirs = await issuerAt(port)
  expect(theirs).not.toBe(ours)
  await server.restart()
  expect(await issuerAt(port)).toBe(theirs)
  expect(await pinOf(owner)).toBe(identity)
  const [row] = await server.rows<{ sealedCertificate: string }>('SELECT sealedCertificate FROM network_settings')
  expect(row!.sealedCertificate).toMatch(/^s1\./)
  const again = await server.signIn()
  expect(await again.applianceNetwork.removeCertificate({})).toMatchObject({
    hasUploaded: false,
    certificate: { source: 'authority' },
  })
  expect(await issuerAt(port)).toBe(ours)
})

test('a PFX file is accepted with its password, and rejected without the password, which changes nothing', async () => {
  const { owner, port } = await served()
  const ours = await issuerAt(port)
  const { cert, key } = await (await otherAuthority()).issue(['farhand.test'])
  const files = await filesOf({ 'own.pem': cert, 'own.key': key })
  const pfx = (await readFile(pfxOf(files['own.pem'], files['own.key'], 'letmein'))).toString('base64')
  const attempt = owner.applianceNetwork.setCertificate({ body: { pfx, password: 'wrong' } })
  await expect(attempt).rejects.toMatchObject({
    status: 400,
    message: 'The certificate in the uploaded file cannot be used: the password is wrong. Correct it.',
  })
  expect(await issuerAt(port)).toBe(ours)
  expect(await owner.applianceNetwork.get({})).toMatchObject({ hasUploaded: false, certificate: { problem: null } })
  expect(await owner.applianceNetwork.setCertificate({ body: { pfx, password: 'letmein' } })).toMatchObject({
    certificate: { source: 'own' },
  })
})

test('neither a PEM nor a PFX file, both, and what is no certificate are rejected', async () => {
  const { owner } = await served()
  for (const body of [{}, { pem: 'no certificate' }, { pem: 'x', pfx: 'eA==' }]) {
    await expect(owner.applianceNetwork.setCertificate({ body })).rejects.toMatchObject({ status: 400 })
  }
})

test('a certificate of the configuration cannot be replaced here', async () => {
  const { cert, key } = await (await otherAuthority()).issue(['farhand.test'])
  const files = await filesOf({ 'own.pem': `${cert}\n${key}` })
  const server = await useTestServer({ settings: { Tls__CertificatePath: files['own.pem'] } })
  const owner = await server.owner()
  const { fixed, certificate } = await owner.applianceNetwork.get({})
  expect(fixed).toMatchObject([{ what: 'certificate', setting: 'Service_Tls__CertificatePath', source: 'environment' }])
  expect(certificate.source).toBe('own')
  const attempt = owner.applianceNetwork.setCertificate({ body: { pem: `${cert}\n${key}` } })
  await expect(attempt).rejects.toMatchObject({ status: 409 })
})
