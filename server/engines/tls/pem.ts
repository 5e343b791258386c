import { createPrivateKey, type KeyObject } from 'node:crypto'

const anyKey = /-----BEGIN ([A-Z ]*PRIVATE KEY)-----((?:[^-]|-(?!----))*)-----END \1-----/

/** Opens the first key of a PEM file without blocking the event loop. Throws OpenSSL error texts. */
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
  const { openKey } = await import('./pfx.ts')
  return await openKey(Buffer.from(base64, 'base64'), text)
}
