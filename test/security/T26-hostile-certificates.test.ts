/** What an administrator was given to upload does not keep the server from everybody else. */
import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { filesOf, otherAuthority } from '../support/certificates.ts'
import { useTestServer } from '../support/server.ts'

/** As openssl makes it, then saying that its password is to be hashed so often, in three bytes. */
async function pfxHashed(times: number) {
  const { cert, key } = await (await otherAuthority()).issue(['farhand.test'])
  const { pem } = await filesOf({ pem: cert + key })
  const made = ['-in', pem, '-iter', '100000', '-passout', 'pass:letmein']
  const pfx = execFileSync('openssl', ['pkcs12', '-export', ...made])
  const asked = Buffer.from('020301' + '86a0', 'hex')
  const patch = Buffer.alloc(5)
  patch.writeUIntBE(0x0203, 0, 2)
  patch.writeUIntBE(times, 2, 3)
  for (let at = pfx.indexOf(asked); at !== -1; at = pfx.indexOf(asked, at + 1)) {
    patch.copy(pfx, at)
  }
  return pfx.toString('base64')
}

async function keyHashed(times: number) {
  const { cert, key } = await (await otherAuthority()).issue(['farhand.test'])
  const { file } = await filesOf({ file: key })
  const made = ['-topk8', '-in', file, '-v2', 'aes256', '-iter', String(times), '-passout', 'pass:letmein']
  return cert + execFileSync('openssl', ['pkcs8', ...made]).toString()
}

test('a file that says that its password is to be hashed for ever is refused before anything else waits for it', async () => {
  const server = await useTestServer()
  const owner = await server.owner()
  const bodies = [{ pfx: await pfxHashed(0x7fffff) }, { pem: await keyHashed(3_000_000) }]
  for (const body of bodies) {
    const attempt = owner.applianceNetwork.setCertificate({ body: { ...body, password: 'letmein' } })
    await expect(attempt).rejects.toMatchObject({ status: 400, message: expect.stringContaining('too long to open') })
  }
  expect(await owner.applianceNetwork.get({})).toMatchObject({ hasUploaded: false, certificate: { problem: null } })
})

test('one that asks for what is usual today is taken', async () => {
  const server = await useTestServer()
  const owner = await server.owner()
  const body = { pfx: await pfxHashed(100_000), password: 'letmein' }
  expect(await owner.applianceNetwork.setCertificate({ body })).toMatchObject({ certificate: { source: 'own' } })
})
