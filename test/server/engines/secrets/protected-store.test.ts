import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startTestServer } from '../../../support/server.ts'
import { temporaryFolder } from '../../../support/server-process.ts'

/** PFX file of a new self-signed RSA certificate. */
function pfxIn(folder: string, name: string, password: string): string {
  const [key, crt, pfx] = ['key', 'crt', 'pfx'].map((ending) => join(folder, `${name}.${ending}`)) as [
    string,
    string,
    string,
  ]
  const quiet = { stdio: 'ignore' } as const
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', crt, '-subj', '/CN=keys'],
    quiet,
  )
  const made = ['-in', crt, '-inkey', key, '-out', pfx, '-passout', `pass:${password}`]
  execFileSync('openssl', ['pkcs12', '-export', ...made], quiet)
  return pfx
}

test('the master key is encrypted with the certificate of KeyProtectionOptions, and opened by no other', async () => {
  const folder = await temporaryFolder()
  const [mine, other] = [pfxIn(folder, 'mine', 'letmein'), pfxIn(folder, 'other', 'letmein')]
  const server = await startTestServer()
  try {
    await server.owner()
    const masterKey = () =>
      (JSON.parse(readFileSync(join(server.directory, 'secrets.json'), 'utf8')) as { secrets: Record<string, string> })
        .secrets['master-key']!
    const plain = masterKey()
    Object.assign(server.settings, {
      KeyProtectionOptions__EncryptKeys: 'true',
      KeyProtectionOptions__CertificatePath: mine,
      KeyProtectionOptions__CertificatePassword: 'letmein',
    })
    await server.restart()
    expect(Buffer.from(plain, 'base64')).toHaveLength(32)
    expect(Buffer.from(masterKey(), 'base64').includes(Buffer.from(plain, 'base64'))).toBe(false)
    expect((await server.signIn()).user.email).toBe('ada@example.org')

    const refusal = (changes: Record<string, string>) => {
      const before = { ...server.settings }
      Object.assign(server.settings, changes)
      return server.restart().then(
        () => 'started',
        (error: Error) => {
          Object.assign(server.settings, before)
          return error.message
        },
      )
    }
    expect(await refusal({ KeyProtectionOptions__CertificatePath: other })).toContain('another certificate')
    expect(await refusal({ KeyProtectionOptions__CertificatePassword: 'wrong' })).toContain('cannot be opened')
    expect(await refusal({ KeyProtectionOptions__EncryptKeys: 'false' })).toContain('encrypted with a certificate')
    server.settings['KeyProtectionOptions__CertificateContentsBase64'] = readFileSync(mine).toString('base64')
    server.settings['KeyProtectionOptions__CertificatePath'] = '/nowhere.pfx'
    await server.restart()
    expect((await server.signIn()).user.email).toBe('ada@example.org')
  } finally {
    await server.stop()
  }
})
