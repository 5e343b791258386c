import {
  AuthenticatedSafe,
  CertBag,
  id_certBag,
  id_keyBag,
  id_pkcs8ShroudedKeyBag,
  id_SafeContents,
  id_x509Certificate,
  PFX,
  PKCS8ShroudedKeyBag,
  SafeContents,
} from '@peculiar/asn1-pfx'
import { id_data, id_encryptedData, type EncryptedContentInfo } from '@peculiar/asn1-cms'
import { X509Certificate, type KeyObject } from 'node:crypto'
import { TimeSlice } from '../../ground/clock.ts'
import { contentOf, decode, EncryptedData, octetsIn } from './asn1.ts'
import { chainOf } from './chain.ts'
import { readKey } from './keys.ts'
import { Password } from './password.ts'

/** A chain has three or four. */
const mostCertificates = 100
const mostKeys = 16

/** Contents of a file, found in time slices. */
class Found {
  readonly certificates: X509Certificate[] = []
  readonly keys: KeyObject[] = []
  readonly slice = new TimeSlice()
}

async function openShrouded(der: ArrayBuffer | Buffer, password: Password): Promise<KeyObject> {
  const { encryptionAlgorithm, encryptedData } = decode(der, PKCS8ShroudedKeyBag)
  return readKey(await password.decrypt(encryptionAlgorithm, contentOf(encryptedData)))
}

async function openContent(
  { contentEncryptionAlgorithm, encryptedContent }: EncryptedContentInfo,
  password: Password,
): Promise<Buffer> {
  const { value, constructedValue = [] } = encryptedContent ?? {}
  const pieces = value ? [value] : constructedValue
  return await password.decrypt(contentEncryptionAlgorithm, Buffer.concat(pieces.map(contentOf)))
}

async function openBags(content: ArrayBuffer | Buffer, password: Password, found: Found): Promise<void> {
  for (const { bagId, bagValue } of decode(content, SafeContents)) {
    if (bagId === id_keyBag) {
      found.keys.push(readKey(Buffer.from(bagValue)))
    } else if (bagId === id_pkcs8ShroudedKeyBag) {
      found.keys.push(await openShrouded(bagValue, password))
    } else if (bagId === id_certBag) {
      const { certId, certValue } = decode(bagValue, CertBag)
      if (certId === id_x509Certificate) {
        found.certificates.push(new X509Certificate(octetsIn(certValue)))
      }
    } else if (bagId === id_SafeContents) {
      await openBags(bagValue, password, found)
    }
    if (found.keys.length > mostKeys || found.certificates.length > mostCertificates) {
      throw new Error('The file has too many keys or certificates.')
    }
    if (found.slice.isOver) {
      await found.slice.yield()
    }
  }
}

/**
 * Opens a PFX file (PKCS #12, RFC 7292) without blocking the event loop: OpenSSL would hash the password on the main
 * thread, as often as the file demands, and returns neither key nor certificate. Throws OpenSSL error texts.
 */
export async function openPfx(file: Buffer, text: string | undefined): Promise<{ cert: string; key: KeyObject }> {
  const password = new Password(text)
  const { authSafe, macData } = decode(file, PFX)
  if (authSafe.contentType !== id_data) {
    throw new Error('unsupported: a file that is sealed with a key')
  }
  const safe = octetsIn(authSafe.content)
  const isSealed = macData.mac.digestAlgorithm.algorithm !== ''
  if (isSealed) {
    await password.verify(macData, safe)
  }
  const found = new Found()
  for (const { contentType, content } of decode(safe, AuthenticatedSafe)) {
    if (contentType === id_data) {
      await openBags(octetsIn(content), password, found)
    } else if (contentType === id_encryptedData) {
      await openBags(await openContent(decode(content, EncryptedData).content, password), password, found)
    } else {
      throw new Error(`unsupported: ${contentType}`)
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

/** Opens an encrypted key (PKCS #8), also without blocking. */
export const openKey = (der: Buffer, text: string): Promise<KeyObject> => openShrouded(der, new Password(text))
