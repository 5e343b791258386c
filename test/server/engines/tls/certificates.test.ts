import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { makeAuthority, makeLeaf } from '../../../../server/engines/tls/certificates.ts'
import { newKey } from '../../../../server/engines/tls/keys.ts'
import { namesOf } from '../../../../server/engines/tls/certificate-names.ts'
import { filesOf } from '../../../support/certificates.ts'

const names = [
  'appliance_1.local',
  '192.168.0.1',
  '::1',
  'fe80::1:0:0:a',
  '::ffff:10.0.0.1',
  '2001:db8::',
  'x'.repeat(63),
]

test.each(['2026-11-27T12:00:00Z', '2049-06-01T00:00:00Z', '2051-01-01T00:00:00Z'])(
  'OpenSSL accepts a certificate issued at %s for names and addresses',
  async (time) => {
    const now = Date.parse(time)
    const authority = await makeAuthority(await newKey(), now)
    const leaf = await makeLeaf(authority, await newKey(), names, now)
    const files = await filesOf({ crt: leaf.toString(), ca: authority.certificate.toString() })
    const options = ['-x509_strict', '-purpose', 'sslserver', '-attime', String(now / 1000)]
    const verified = execFileSync('openssl', ['verify', ...options, '-CAfile', files.ca, files.crt], {
      encoding: 'utf8',
    })
    expect(verified).toContain(': OK')
    expect([
      leaf.checkHost('appliance_1.local'),
      leaf.checkIP('192.168.0.1'),
      leaf.checkIP('fe80::1:0:0:a'),
    ]).not.toContain(undefined)
    expect(namesOf(leaf)).toHaveLength(names.length)
    expect(leaf.validFromDate.getTime()).toBe(now - 24 * 60 * 60 * 1000)
  },
)
