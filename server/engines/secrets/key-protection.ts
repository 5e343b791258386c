import { readFile } from 'node:fs/promises'
import type { KeyProtection } from './protected-store.ts'
import { StartError } from '../../ground/start-error.ts'

export interface KeyProtectionOptions {
  encryptKeys: boolean
  certificatePath: string | undefined
  certificateContentsBase64: string | undefined
  certificatePassword: string | undefined
}

/** Opens the certificate that encrypts the secrets of this installation; undefined where none does. */
export async function openKeyProtection(options: KeyProtectionOptions): Promise<KeyProtection | undefined> {
  const { encryptKeys, certificatePath, certificateContentsBase64, certificatePassword } = options
  if (!encryptKeys) {
    return undefined
  }
  try {
    const file =
      certificateContentsBase64 === undefined
        ? await readFile(certificatePath ?? '')
        : Buffer.from(certificateContentsBase64, 'base64')
    const { openPfx } = await import('../tls/pfx.ts')
    const { cert, key } = await openPfx(file, certificatePassword)
    return { certificate: cert, key }
  } catch (error) {
    throw new StartError(
      `The certificate of KeyProtectionOptions cannot be opened: ${(error as Error).message}. Check CertificatePath or CertificateContentsBase64, and CertificatePassword.`,
      { cause: error },
    )
  }
}
