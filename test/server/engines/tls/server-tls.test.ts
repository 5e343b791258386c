import { execFileSync } from 'node:child_process'
import { createHash, createPublicKey, generateKeyPairSync, verify, X509Certificate } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ServerTls, type IdentityStore, type StoredIdentity } from '../../../../server/engines/tls/server-tls.ts'
import { IdentityStatement, type ServerIdentityDto } from '../../../../shared/server-identity.ts'
import { filesOf, otherAuthority, pfxOf } from '../../../support/certificates.ts'
import { manualClock, type ManualClock } from '../../../support/clock.ts'
import { createTestLog } from '../../../support/log.ts'

const day = 24 * 60 * 60_000
const second = 1000

/** Stores the identity, and can fail. */
class Store implements IdentityStore {
  stored: StoredIdentity | undefined
  saves = 0
  isBroken = false

  load = () => Promise.resolve(this.stored)

  save = (identity: StoredIdentity) => {
    if (this.isBroken) {
      return Promise.reject(new Error('The disk is full.'))
    }
    this.saves++
    this.stored = identity
    return Promise.resolve()
  }
}

async function opened(clock: ManualClock = manualClock(Date.now()), store = new Store()) {
  const log = createTestLog()
  const tls = await ServerTls.open({ clock, log, store, names: ['my-server', 'localhost', '127.0.0.1'] })
  onTestFinished(() => tls.close())
  /** Lets time pass, and waits for the effects. */
  const pass = async (ms: number) => {
    clock.advance(ms)
    await tls.serve([], 'test')
  }
  return { tls, clock, store, log, pass }
}

const leafOf = (tls: ServerTls) => new X509Certificate(String(tls.context().cert))
const statementOf = ({ statement }: ServerIdentityDto) =>
  IdentityStatement.parse(JSON.parse(Buffer.from(statement, 'base64').toString()))
const isoAt = (ms: number) => new Date(ms).toISOString()
const authorityOf = (tls: ServerTls) => new X509Certificate(tls.authorityPem)

describe('the authority', () => {
  test('signs server certificates only, for twenty years', async () => {
    const { tls } = await opened()
    const authority = authorityOf(tls)
    const { publicKey, validFromDate, validToDate } = authority
    expect(publicKey.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' })
    expect((validToDate.getTime() - validFromDate.getTime()) / day / 365.25).toBeCloseTo(20, 1)
    expect(authority.ca).toBe(true)
    expect(authority.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1'])
    // Critical, no further authority below: 30 03 01 01 ff, 02 01 00; and keyCertSign alone, critical.
    const der = authority.raw.toString('hex')
    expect(der).toContain('0603551d130101ff040830060101ff020100')
    expect(der).toContain('0603551d0f0101ff040403020204')
  })

  test('has the pin that curl computes from its key', async () => {
    const { tls } = await opened()
    const spki = authorityOf(tls).publicKey.export({ type: 'spki', format: 'der' })
    expect(tls.authorityPin).toBe(`sha256//${createHash('sha256').update(spki).digest('base64')}`)
  })

  test('keeps its key after a restart, and after its certificate expires', async () => {
    const first = await opened(manualClock(Date.UTC(2001, 0, 1)))
    const again = await opened(manualClock(Date.UTC(2001, 0, 2)), first.store)
    expect(again.tls.authorityPem).toBe(first.tls.authorityPem)
    const later = await opened(manualClock(Date.UTC(2026, 5, 1)), first.store)
    expect(later.tls.authorityPem).not.toBe(first.tls.authorityPem)
    expect(later.tls.authorityPin).toBe(first.tls.authorityPin)
    expect(leafOf(later.tls).verify(authorityOf(later.tls).publicKey)).toBe(true)
  })
})

describe('the served certificate', () => {
  test('is issued by the authority, for 397 days, and for each name and address', async () => {
    const { tls, clock } = await opened()
    await tls.serve(['192.168.1.20', 'FD00::1', 'fe80::1%eth0', 'Farhand.lan.', 'no name', ''], 'test')
    const leaf = leafOf(tls)
    expect(leaf.checkIssued(authorityOf(tls))).toBe(true)
    expect(leaf.verify(authorityOf(tls).publicKey)).toBe(true)
    expect(leaf.ca).toBe(false)
    expect(Math.round((leaf.validToDate.getTime() - leaf.validFromDate.getTime()) / day)).toBe(397)
    expect(leaf.validFromDate.getTime()).toBeLessThan(clock.now())
    const names = ['my-server', 'localhost', '127.0.0.1', '192.168.1.20', 'fd00::1', 'fe80::1', 'farhand.lan']
    expect(tls.certificate()).toMatchObject({ source: 'authority', names, problem: null })
    expect(leaf.checkIP('fd00::1')).toBe('fd00::1')
    expect(leaf.checkHost('farhand.lan')).toBe('farhand.lan')
  })

  test('is reissued only for a new name, over the same key, and listeners are called', async () => {
    const { tls, store } = await opened()
    const pin = tls.serverPin()
    const changes: string[] = []
    tls.onChange(() => changes.push(tls.certificate().names.at(-1) ?? ''))
    await tls.serve(['a.lan'], 'test')
    await tls.serve(['a.lan', 'localhost'], 'test')
    expect(changes).toEqual(['a.lan'])
    expect(store.saves).toBe(2)
    expect(tls.serverPin()).toBe(pin)
  })

  test('loses a name once no requester needs it, and never a name of the machine', async () => {
    const { tls } = await opened()
    await tls.serve(['a.lan', 'b.lan', 'localhost'], 'page')
    await tls.serve(['b.lan'], 'listeners')
    await tls.serve([], 'page')
    expect(tls.certificate().names).toEqual(['my-server', 'localhost', '127.0.0.1', 'b.lan'])
    expect(tls.names).toEqual(tls.certificate().names)
    await tls.serve(['c.lan'], 'listeners')
    expect(tls.certificate().names).toEqual(['my-server', 'localhost', '127.0.0.1', 'c.lan'])
  })

  test('loses names after a restart that are no longer requested', async () => {
    const first = await opened()
    await first.tls.serve(['a.lan', 'b.lan'], 'page')
    const again = await opened(manualClock(Date.now()), first.store)
    await again.tls.serve(['b.lan'], 'page')
    const { saves } = first.store
    await again.pass(5 * second)
    expect([again.tls.certificate().names, first.store.saves]).toEqual([
      ['my-server', 'localhost', '127.0.0.1', 'b.lan'],
      saves + 1,
    ])
  })

  test('is renewed after two thirds of its life, and not before', async () => {
    const { tls, pass, clock } = await opened()
    const before = leafOf(tls)
    await pass(262 * day)
    expect(leafOf(tls).serialNumber).toBe(before.serialNumber)
    await pass(2 * day)
    const after = leafOf(tls)
    expect(after.serialNumber).not.toBe(before.serialNumber)
    expect(after.validToDate.getTime()).toBeGreaterThan(clock.now() + 390 * day)
    expect(after.publicKey.equals(before.publicKey)).toBe(true)
  })

  test('is valid for a clock set back a little, and reissued when the clock is before its validity', async () => {
    const start = Date.UTC(2030, 0, 10)
    const first = await opened(manualClock(start))
    expect(leafOf(first.tls).validFromDate.getTime()).toBeLessThanOrEqual(start - 23 * 60 * 60_000)
    const back = await opened(manualClock(start - 30 * day), first.store)
    expect(leafOf(back.tls).validFromDate.getTime()).toBeLessThan(start - 30 * day)
    expect(authorityOf(back.tls).validFromDate.getTime()).toBeLessThan(start - 30 * day)
    expect(back.tls.serverPin()).toBe(first.tls.serverPin())
  })

  test('stays when a renewal cannot be saved, which is logged and retried later', async () => {
    const { tls, store, clock, log } = await opened()
    const before = leafOf(tls).serialNumber
    store.isBroken = true
    clock.advance(300 * day)
    await expect.poll(() => log.lines.some(({ level }) => level === 'error')).toBe(true)
    log.claimErrors(/could not be renewed/)
    store.isBroken = false
    clock.advance(second * 5)
    await tls.useCustom(undefined)
    expect(store.saves).toBe(1)
    clock.advance(600 * second)
    await expect.poll(() => store.saves).toBe(2)
    expect(leafOf(tls).serialNumber).not.toBe(before)
  })
})

describe('the statement', () => {
  test('is signed by the authority, names the served key, and is signed again after a change, and each hour', async () => {
    const { tls, clock } = await opened()
    const document = tls.statement(['https://a:1'], 'Front desk')
    const bytes = Buffer.from(document.statement, 'base64')
    const key = createPublicKey(tls.authorityPem)
    expect(verify('sha256', bytes, key, Buffer.from(document.signature, 'base64'))).toBe(true)
    expect(new X509Certificate(Buffer.from(document.authority, 'base64')).toString()).toBe(tls.authorityPem)
    expect(IdentityStatement.parse(JSON.parse(bytes.toString()))).toEqual({
      purpose: 'farhand-identity-1',
      serverPin: tls.serverPin(),
      name: 'Front desk',
      addresses: ['https://a:1'],
      issuedAt: new Date(clock.now()).toISOString(),
      expiresAt: new Date(clock.now() + 2 * day).toISOString(),
    })
    clock.advance(59 * 60 * second)
    expect(tls.statement(['https://a:1'], 'Front desk')).toBe(document)
    clock.advance(60 * second)
    const renewed = statementOf(tls.statement(['https://a:1'], 'Front desk'))
    expect([renewed.issuedAt, renewed.expiresAt]).toEqual([isoAt(clock.now()), isoAt(clock.now() + 2 * day)])
    expect(tls.statement(['https://b:1'], 'Front desk').statement).not.toBe(document.statement)
  })
})

test('a statement signed while the clock was a year ahead does not delay a later statement', async () => {
  let now = Date.parse('2031-01-01')
  const { tls } = await opened({ ...manualClock(Date.now()), now: () => now })
  const later = (addresses: string[]) => Date.parse(statementOf(tls.statement(addresses, 'Front desk')).issuedAt)
  expect(later(['https://a:1'])).toBe(now)
  now = Date.parse('2030-01-01')
  expect(later(['https://a:1'])).toBe(now)
  // An hour back, as after a clock correction: the earlier statement was accepted, so the next one must be newer.
  now -= 3_600_000
  expect(later(['https://a:1'])).toBe(now + 3_600_001)
})

describe('a custom certificate', () => {
  const seconds10 = 10 * second

  test.each(['PEM with a key file', 'PEM in one file', 'PFX'])('is served: %s', async (form) => {
    const { tls } = await opened()
    const other = await otherAuthority()
    const { cert, key, keyObject } = await other.issue(['rdm.example.org'])
    const { crt, pem, one } = await filesOf({ crt: cert, pem: key, one: cert + key })
    const files = {
      'PEM with a key file': { certificatePath: crt, keyPath: pem },
      'PEM in one file': { certificatePath: one },
      PFX: { certificatePath: pfxOf(crt, pem, 'open sesame'), password: 'open sesame' },
    }[form]!
    const before = tls.serverPin()
    expect(await tls.useCustom(files)).toBeNull()
    expect(tls.certificate()).toMatchObject({ source: 'own', names: ['rdm.example.org'], problem: null })
    const spki = createPublicKey(keyObject).export({ type: 'spki', format: 'der' })
    expect(tls.serverPin()).toBe(`sha256//${createHash('sha256').update(spki).digest('base64')}`)
    await tls.useCustom(undefined)
    expect([tls.certificate().source, tls.serverPin()]).toEqual(['authority', before])
  })

  test('is served in the right order from a file that begins with its issuer, and from DER', async () => {
    const { tls } = await opened()
    const other = await otherAuthority()
    const { cert, key } = await other.issue(['rdm.example.org'])
    const { mixed, der, pem } = await filesOf({ mixed: other.pem + cert, der: '', pem: key })
    await writeFile(der, new X509Certificate(cert).raw)
    for (const certificatePath of [mixed, der]) {
      expect(await tls.useCustom({ certificatePath, keyPath: pem })).toBeNull()
      expect(tls.certificate()).toMatchObject({ source: 'own', names: ['rdm.example.org'], problem: null })
    }
  })

  test.each([
    ['the key is of another kind than the certificate', /the key does not match the certificate/],
    ['the file is PKCS #7', /it is a PKCS #7 file, which cannot hold a key/],
    ['there is no file', /cannot be read: there is no such file/],
    ['the key belongs to another certificate', /the key does not match the certificate/],
    ['there is no key', /There is no key in .*\. Add the key file/],
    ['the file is no certificate', /contains no readable certificate and key/],
    ['it has expired', /expired on \d{4}-\d\d-\d\d\. Replace it/],
    ['it is not valid yet', /is not valid before \d{4}-\d\d-\d\d\. Check the clock/],
    ['the password is wrong', /the password is wrong/],
    ['the password is missing', /(is encrypted|the password is wrong)/],
  ])('is rejected with the reason, and the issued certificate stays, when %s', async (fault, reason) => {
    const { tls, clock } = await opened()
    const other = await otherAuthority()
    const good = await other.issue(['rdm.example.org'])
    const old = await other.issue(['rdm.example.org'], clock.now() - 400 * day)
    const early = await other.issue(['rdm.example.org'], clock.now() + 5 * day)
    const stranger = await other.issue(['x.example.org'])
    const files = await filesOf({
      crt: good.cert,
      key: good.key,
      other: stranger.key,
      old: old.cert + old.key,
      early: early.cert + early.key,
      text: 'hello',
      rsa: '',
      p7b: '',
    })
    const pfx = pfxOf(files.crt, files.key, 'right')
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
    await writeFile(files.rsa, rsa.export({ type: 'pkcs8', format: 'pem' }))
    execFileSync('openssl', 'crl2pkcs7 -nocrl -outform der -certfile'.split(' ').concat(files.crt, '-out', files.p7b))
    const given = {
      'the key is of another kind than the certificate': { certificatePath: files.crt, keyPath: files.rsa },
      'the file is PKCS #7': { certificatePath: files.p7b, keyPath: files.key },
      'there is no file': { certificatePath: `${files.crt}.gone` },
      'the key belongs to another certificate': { certificatePath: files.crt, keyPath: files.other },
      'there is no key': { certificatePath: files.crt },
      'the file is no certificate': { certificatePath: files.text },
      'it has expired': { certificatePath: files.old },
      'it is not valid yet': { certificatePath: files.early },
      'the password is wrong': { certificatePath: pfx, password: 'wrong' },
      'the password is missing': { certificatePath: pfx },
    }[fault]!
    expect(await tls.useCustom(given)).toMatch(reason)
    expect(tls.certificate()).toMatchObject({ source: 'authority', problem: expect.stringMatching(reason) as string })
  })

  test('is followed: a new one is served when both files are stable, a broken one keeps the last good one', async () => {
    const { tls, pass, log } = await opened()
    const other = await otherAuthority()
    const [first, second] = [await other.issue(['one.example.org']), await other.issue(['two.example.org'])]
    const { crt, key } = await filesOf({ crt: first.cert, key: first.key })
    await tls.useCustom({ certificatePath: crt, keyPath: key })
    await writeFile(crt, second.cert)
    await pass(seconds10 / 2)
    expect(tls.certificate()).toMatchObject({ names: ['one.example.org'], problem: null })
    await pass(seconds10)
    expect(tls.certificate()).toMatchObject({
      names: ['one.example.org'],
      problem: expect.stringContaining('does not match') as string,
    })
    expect(log.lines.filter(({ level }) => level === 'warn')).toHaveLength(1)
    await writeFile(key, second.key)
    await pass(seconds10)
    await pass(seconds10)
    expect(tls.certificate()).toMatchObject({ source: 'own', names: ['two.example.org'], problem: null })
  })

  test('that expires is replaced by the issued certificate, and a new file restores it', async () => {
    const { tls, pass, clock } = await opened()
    const other = await otherAuthority()
    const old = await other.issue(['rdm.example.org'], clock.now() - 395 * day)
    const { crt } = await filesOf({ crt: old.cert + old.key })
    expect(await tls.useCustom({ certificatePath: crt })).toBeNull()
    await pass(3 * day)
    expect(tls.certificate()).toMatchObject({
      source: 'authority',
      problem: expect.stringMatching(/expired on/) as string,
    })
    const renewed = await other.issue(['rdm.example.org'], clock.now())
    await writeFile(crt, renewed.cert + renewed.key)
    await pass(seconds10)
    await pass(seconds10)
    expect(tls.certificate()).toMatchObject({ source: 'own', problem: null })
  })

  test.each([
    ['rdm.example.org', true],
    ['a.branch.example.org', true],
    ['other.example.org', false],
    ['192.168.1.20', false],
    ['rdm.local', false],
    ['rdm', false],
  ])('for %s, browsers may insist on TLS: %s', async (name, may) => {
    const { tls } = await opened()
    const other = await otherAuthority()
    const { cert, key } = await other.issue([
      'rdm.example.org',
      '*.branch.example.org',
      '192.168.1.20',
      'rdm.local',
      'rdm',
    ])
    expect(tls.isCertifiedElsewhere(name)).toBe(false)
    const { crt } = await filesOf({ crt: cert + key })
    await tls.useCustom({ certificatePath: crt })
    expect(tls.isCertifiedElsewhere(name)).toBe(may)
  })
})
