import { execFileSync } from 'node:child_process'
import type { KeyObject } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeAuthority, makeLeaf, type Authority } from '../../server/engines/tls/certificates.ts'
import { newKey } from '../../server/engines/tls/keys.ts'
import { temporaryFolder } from './server-process.ts'

/** Foreign certificate authority, such as a company's or a provider's. */
export interface OtherAuthority {
  pem: string
  /** Issues a certificate for a new key, or for the given key. */
  issue(
    names: readonly string[],
    at?: number,
    key?: KeyObject,
  ): Promise<{ cert: string; key: string; keyObject: KeyObject }>
}

const pemOf = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }).toString()

export async function otherAuthority(now = Date.now()): Promise<OtherAuthority> {
  const authority: Authority = await makeAuthority(await newKey(), now)
  return {
    pem: authority.certificate.toString(),
    async issue(names, at = now, given) {
      const keyObject = given ?? (await newKey())
      const leaf = await makeLeaf(authority, keyObject, names, at)
      return { cert: leaf.toString(), key: pemOf(keyObject), keyObject }
    },
  }
}

/** Writes texts to files in a folder of the test; returns their paths. */
export async function filesOf<Name extends string>(texts: Record<Name, string>): Promise<Record<Name, string>> {
  const folder = await temporaryFolder()
  const entries = Object.entries<string>(texts).map(async ([name, text]) => {
    const path = join(folder, name)
    await writeFile(path, text)
    return [name, path] as const
  })
  return Object.fromEntries(await Promise.all(entries)) as Record<Name, string>
}

/** Writes a PFX file beside the certificate. */
export function pfxOf(certificatePath: string, keyPath: string, password: string): string {
  const path = `${certificatePath}.pfx`
  const made = ['-in', certificatePath, '-inkey', keyPath, '-out', path, '-passout', `pass:${password}`]
  execFileSync('openssl', ['pkcs12', '-export', ...made])
  return path
}
