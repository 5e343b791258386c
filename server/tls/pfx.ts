import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto'
import { below, oidIn, readElement, tags, type Element } from './ber.ts'
import { Password } from './password.ts'

const contents = { data: '1.2.840.113549.1.7.1', encrypted: '1.2.840.113549.1.7.6' }
const bags = {
  key: '1.2.840.113549.1.12.10.1.1',
  encryptedKey: '1.2.840.113549.1.12.10.1.2',
  certificate: '1.2.840.113549.1.12.10.1.3',
  more: '1.2.840.113549.1.12.10.1.6',
}
const x509Certificate = '1.2.840.113549.1.9.22.1'
/** A chain has three or four. */
const mostCertificates = 100
const mostKeys = 16

interface Found {
  certificates: X509Certificate[]
  keys: KeyObject[]
}

const keyIn = (der: Buffer) => createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })

async function openBags(bagsOfFile: Element, password: Password, found: Found): Promise<void> {
  for (const bag of bagsOfFile.children) {
    const [kind, value] = [oidIn(below(bag, 0)), below(bag, 1, 0)]
    if (kind === bags.key) {
      found.keys.push(keyIn(value.raw))
    } else if (kind === bags.encryptedKey) {
      found.keys.push(keyIn(await password.decrypt(below(value, 0), below(value, 1).content)))
    } else if (kind === bags.certificate && oidIn(below(value, 0)) === x509Certificate) {
      found.certificates.push(new X509Certificate(below(value, 1, 0).content))
    } else if (kind === bags.more) {
      await openBags(value, password, found)
    }
    if (found.keys.length > mostKeys || found.certificates.length > mostCertificates) {
      throw new Error('The file has too many keys or certificates.')
    }
  }
}

/** Orders a chain: the leaf first, then its issuers, as far as the file contains them. */
export function chainOf(leaf: X509Certificate, certificates: readonly X509Certificate[]): X509Certificate[] {
  const chain = [leaf]
  for (;;) {
    const last = chain.at(-1)
    const issuer = certificates.find((each) => !chain.includes(each) && last?.checkIssued(each))
    if (!issuer) {
      return chain
    }
    chain.push(issuer)
  }
}

/**
 * Opens a PFX file (PKCS #12, RFC 7292) without blocking the event loop: OpenSSL would hash the password on the main
 * thread, as often as the file demands, and returns neither key nor certificate. Throws OpenSSL error texts.
 */
export async function openPfx(file: Buffer, text: string | undefined): Promise<{ cert: string; key: KeyObject }> {
  const password = new Password(text)
  const pfx = readElement(file)
  const safe = below(pfx, 1, 1, 0)
  if (oidIn(below(pfx, 1, 0)) !== contents.data) {
    throw new Error('unsupported: a file that is sealed with a key')
  }
  if (pfx.children[2]) {
    await password.verify(pfx.children[2], safe.content)
  }
  const found: Found = { certificates: [], keys: [] }
  for (const content of readElement(safe.content).children) {
    const kind = oidIn(below(content, 0))
    if (kind === contents.data) {
      await openBags(readElement(below(content, 1, 0).content), password, found)
    } else if (kind === contents.encrypted) {
      const encrypted = below(content, 1, 0, 1)
      const opened = await password.decrypt(below(encrypted, 1), below(encrypted, 2).content)
      await openBags(readElement(opened), password, found)
    } else {
      throw new Error(`unsupported: ${kind}`)
    }
  }
  for (const key of found.keys) {
    const leaf = found.certificates.find((certificate) => certificate.checkPrivateKey(key))
    if (leaf) {
      return { cert: chainOf(leaf, found.certificates).join(''), key }
    }
  }
  throw new Error(found.keys.length > 0 && found.certificates.length > 0 ? 'key values mismatch' : 'no certificate')
}

const anyKey = /-----BEGIN ([A-Z ]*PRIVATE KEY)-----((?:[^-]|-(?!----))*)-----END \1-----/

/** Opens the first key of a PEM file, also without blocking. */
export async function openPemKey(file: Buffer, text: string | undefined): Promise<KeyObject> {
  const [pem, kind, base64 = ''] = anyKey.exec(file.toString('latin1')) ?? []
  if (pem === undefined) {
    throw new Error('no key')
  }
  if (kind !== 'ENCRYPTED PRIVATE KEY') {
    // The legacy encryption hashes the password once.
    return createPrivateKey({ key: pem, format: 'pem', ...(text !== undefined && { passphrase: text }) })
  }
  if (text === undefined) {
    throw new Error('bad password read')
  }
  const encrypted = readElement(Buffer.from(base64, 'base64'))
  if (encrypted.tag !== tags.sequence) {
    throw new Error('no key')
  }
  return keyIn(await new Password(text).decrypt(below(encrypted, 0), below(encrypted, 1).content))
}
