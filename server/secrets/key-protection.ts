import { readFile } from 'node:fs/promises'
import type { Config } from '../settings/config.ts'
import type { KeyProtection } from './protected-store.ts'
import { StartError } from '../ground/start-error.ts'

/** Opens the certificate that encrypts the secrets of this installation; undefined where none does. */
export async function openKeyProtection({ keyProtectionOptions }: Config): Promise<KeyProtection | undefined> {
  const { encryptKeys, certificatePath, certificateContentsBase64, certificatePassword } = keyProtectionOptions
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
