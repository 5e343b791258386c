import { z } from 'zod'
import { dateTime, id } from '../contract/fields.ts'
import { Pin } from '../server-identity.ts'

/** A name that a server can have on a network: letters, digits and hyphens, dots between them; no address. */
export const HostName = z
  .string()
  .trim()
  .toLowerCase()
  .max(253)
  .regex(
    /^([\da-z]([\da-z-]{0,61}[\da-z])?\.)*[a-z]([\da-z-]{0,61}[\da-z])?$/,
    'must be a name such as farhand.example.org, without https:// and without a port',
  )

/** What an administrator decides about the network. */
export const NetworkSettingsDto = z
  .object({
    isServed: z.boolean().meta({ description: 'Whether other computers can reach this server.' }),
    port: z.number().int().min(1).max(65535).meta({ description: 'Port for HTTPS on every interface.' }),
    names: z
      .array(HostName)
      .max(16)
      .transform((names) => [...new Set(names)])
      .meta({ description: 'Names besides those of this machine by which people reach it.' }),
  })
  .meta({ id: 'NetworkSettingsDto' })
export type NetworkSettingsDto = z.output<typeof NetworkSettingsDto>

/** What the configuration decides, so that no page can. */
export const FixedSettingDto = z
  .object({
    what: z.enum(['addresses', 'publicUrl', 'certificate']),
    setting: z.string().meta({ description: 'Name of the setting: `Service_Urls`.' }),
    source: z.enum(['default', 'file', 'environment', 'secrets directory']),
    value: z.string().nullable().meta({ description: 'Null where it is nobody else’s business.' }),
  })
  .meta({ id: 'FixedSettingDto' })
export type FixedSettingDto = z.output<typeof FixedSettingDto>

export const ServerFingerprintDto = z
  .object({
    pin: Pin.meta({ description: 'Key of the certificate authority, as `curl --pinnedpubkey` takes it.' }),
    words: z.array(z.string()).length(8).meta({ description: 'The first 88 bits of its hash, in BIP39 words.' }),
    hex: z.string().meta({ description: 'The whole hash.' }),
  })
  .meta({ id: 'ServerFingerprintDto' })
export type ServerFingerprintDto = z.output<typeof ServerFingerprintDto>

export const ServerCertificateDto = z
  .object({
    source: z.enum(['authority', 'own']),
    names: z.array(z.string()),
    notBefore: dateTime,
    notAfter: dateTime,
    problem: z.string().nullable().meta({ description: 'Why a certificate of one’s own is not shown.' }),
  })
  .meta({ id: 'ServerCertificateDto' })

/** Everything about how this server is reached. */
export const NetworkDto = z
  .object({
    settings: NetworkSettingsDto,
    state: z
      .enum(['off', 'serving', 'failed'])
      .meta({ description: '`failed`: it is to be served, and `problem` says why it is not.' }),
    problem: z.string().nullable(),
    fixed: z.array(FixedSettingDto),
    name: z.string().meta({ description: 'What this server calls itself.' }),
    addresses: z.array(z.string()).meta({ description: 'What agents and browsers call, the best first.' }),
    plainAddresses: z.array(z.string()).meta({ description: 'Where the network is served without encryption.' }),
    interfaces: z.array(z.object({ name: z.string(), addresses: z.array(z.string()) })),
    fingerprint: ServerFingerprintDto,
    certificate: ServerCertificateDto,
    hasUploaded: z.boolean().meta({ description: 'Whether an administrator brought a certificate here.' }),
    connectedDevices: z.number().int().meta({ description: 'How many devices are connected over it now.' }),
    announcedAs: z
      .string()
      .nullable()
      .meta({ description: 'Name by which `agent discover` finds it; null while off.' }),
    announceProblem: z.string().nullable(),
  })
  .meta({ id: 'NetworkDto' })
export type NetworkDto = z.output<typeof NetworkDto>

export const FirewallDto = z
  .object({
    firewall: z.enum(['ufw', 'firewalld', 'nftables', 'iptables', 'windows', 'macos', 'none']),
    isActive: z.boolean().nullable().meta({ description: 'Null when this user cannot see it.' }),
    command: z.string().nullable().meta({ description: 'What opens the port; null where nothing closes it.' }),
  })
  .meta({ id: 'FirewallDto' })
export type FirewallDto = z.output<typeof FirewallDto>

export const AddressTestDto = z
  .object({
    address: z.string(),
    outcome: z
      .enum(['ours', 'foreign', 'silent'])
      .meta({ description: '`ours`: it answers and shows our certificate; `foreign`: somebody else answers.' }),
    detail: z.string().nullable(),
  })
  .meta({ id: 'AddressTestDto' })

/** A question to another device: can it reach this server? */
export const NetworkVisitDto = z
  .object({
    id,
    code: z.string().meta({ description: 'Good for one answer: /network-test#CODE on any address of the server.' }),
    expiresAt: dateTime,
  })
  .meta({ id: 'NetworkVisitDto' })
export type NetworkVisitDto = z.output<typeof NetworkVisitDto>

export const NetworkVisitReportDto = z
  .object({
    at: dateTime,
    from: z.string().meta({ description: 'Address that the device came from.' }),
    address: z.string().meta({ description: 'Origin that it called. Like the next, the words of a stranger.' }),
    browser: z.string().meta({ description: 'What its browser calls itself.' }),
  })
  .meta({ id: 'NetworkVisitReportDto' })

/** What anyone may know who is to trust this server. */
export const NetworkTrustDto = z
  .object({
    name: z.string(),
    addresses: z.array(z.string()).meta({ description: 'Encrypted addresses, the best first; none while it is off.' }),
    source: z.enum(['authority', 'own']).meta({ description: 'Who issued the certificate that it shows.' }),
    fingerprint: ServerFingerprintDto,
  })
  .meta({ id: 'NetworkTrustDto' })
export type NetworkTrustDto = z.output<typeof NetworkTrustDto>
