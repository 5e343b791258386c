import { canonical } from './setting-names.ts'
import type { Problem } from './config-error.ts'
import type { AllGiven } from './sources.ts'

/** Keys that are only valid together. An incomplete set stops the start if `error`. */
const together = [
  {
    error: true,
    keys: [
      'Bootstrap__ServerServiceAccountName',
      'Bootstrap__ServerServiceAccountTokenId',
      'Bootstrap__ServerServiceAccountTokenSecret',
    ],
  },
  { error: true, keys: ['Bootstrap__AdminEmail', 'Bootstrap__AdminPassword'] },
  { error: true, keys: ['Bootstrap__AdminPatTokenId', 'Bootstrap__AdminPatSecret'] },
  { error: false, keys: ['AppOptions__SmtpUserName', 'AppOptions__SmtpPassword'] },
  { error: false, keys: ['AppOptions__IdentityProviderAClientId', 'AppOptions__IdentityProviderAClientSecret'] },
  { error: false, keys: ['AppOptions__IdentityProviderBClientId', 'AppOptions__IdentityProviderBClientSecret'] },
]

/** Finds keys that need another key. Harmless problems are added to `warnings`. */
export function checkTogether(given: AllGiven, warnings: string[]): Problem[] {
  const problems: Problem[] = []
  const valueOf = (key: string) => given.get(canonical(key))
  for (const { keys, error } of together) {
    const present = keys.filter((key) => valueOf(key) !== undefined)
    if (present.length === 0) {
      continue
    }
    for (const key of keys.filter((candidate) => !present.includes(candidate))) {
      const message = `is missing: it is needed because ${present.join(' and ')} ${present.length > 1 ? 'are' : 'is'} set`
      if (error) {
        problems.push({ key, source: 'not set', message })
      } else {
        warnings.push(`${key} ${message}; without it they have no effect.`)
      }
    }
  }
  const postgres = ['USER', 'PASSWORD', 'DB', 'PORT', 'SSLMODE', 'SSLROOTCERT'].map((name) => `POSTGRES_${name}`)
  const named = postgres.filter((key) => valueOf(key) !== undefined)
  if (named.length > 0 && valueOf('POSTGRES_HOST') === undefined) {
    const message = `is missing: it is needed because ${named.join(' and ')} ${named.length > 1 ? 'are' : 'is'} set`
    problems.push({ key: 'POSTGRES_HOST', source: 'not set', message })
  }
  for (const [key, needed] of [
    ['Cluster__RedisUrl', 'POSTGRES_HOST'],
    ['Cluster__NodeUrl', 'Cluster__RedisUrl'],
  ] as const) {
    if (valueOf(key) !== undefined && valueOf(needed) === undefined) {
      problems.push({ key: needed, source: 'not set', message: `is missing: it is needed because ${key} is set` })
    }
  }
  const encrypts = valueOf('KeyProtectionOptions__EncryptKeys')
  const certificates = ['KeyProtectionOptions__CertificateContentsBase64', 'KeyProtectionOptions__CertificatePath']
  if (encrypts?.text.trim().toLowerCase() === 'true' && certificates.every((key) => !valueOf(key))) {
    const message = `needs ${certificates.join(' or ')}`
    problems.push({ key: 'KeyProtectionOptions__EncryptKeys', source: encrypts.origin, message })
  }
  const keyPath = valueOf('Tls__KeyPath')
  if (keyPath && !valueOf('Tls__CertificatePath')) {
    problems.push({ key: 'Tls__KeyPath', source: keyPath.origin, message: 'needs Tls__CertificatePath' })
  }
  return problems
}
