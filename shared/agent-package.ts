/** Windows Installer package of the agent: what the package, its commands and the agent have in common. */

/** Code of all versions of the package, by which Windows and the agent find the installed one. Never changes. */
export const packageUpgradeCode = '{8E1B7A52-3C64-4C0B-9D0F-6B0C3B1E5A97}'

/** Public properties of the package, as `msiexec` takes them. */
export const packageProperties = {
  server: 'SERVER',
  pin: 'PIN',
  tenant: 'TENANT',
  keyId: 'KEYID',
  keySecret: 'KEYSECRET',
} as const

/** Property that has a removal leave settings, key and log of the device. */
export const keepDataProperty = 'KEEPDATA'
