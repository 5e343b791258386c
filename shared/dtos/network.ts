import { z } from 'zod'
import { dateTime, dto, ownId, textOrNull } from '../contract/fields.ts'
import { Pin } from '../server-identity.ts'

/** A host name on a network: letters, digits and hyphens, separated by dots; not an address. */
export const HostName = z
  .string()
  .trim()
  .toLowerCase()
  .max(253, { abort: true })
  .regex(
    /^([\da-z]([\da-z-]{0,61}[\da-z])?\.)*[a-z]([\da-z-]{0,61}[\da-z])?$/,
    'must be a name such as farhand.example.org, without https:// and without a port',
  )

/** Network settings chosen by an administrator. */
export const NetworkSettingsDto = dto('NetworkSettingsDto', {
  isServed: z.boolean().describe('Whether other computers can reach this server.'),
  port: z.number().int().min(1).max(65535).describe('Port for HTTPS on every interface.'),
  names: z
    .array(HostName)
    .max(16)
    .transform((names) => [...new Set(names)])
    .describe('Names besides those of this machine by which people reach it.'),
})
export type NetworkSettingsDto = z.output<typeof NetworkSettingsDto>

/** A setting fixed by the configuration, so that no page can change it. */
export const FixedSettingDto = dto('FixedSettingDto', {
  what: z
    .enum(['addresses', 'publicUrl', 'certificate'])
    .describe('Part of the network settings that the page cannot change.'),
  setting: z.string().describe('Name of the setting: `Service_Urls`.'),
  source: z
    .enum(['default', 'file', 'environment', 'secrets directory'])
    .describe('Where the configuration found the setting.'),
  value: textOrNull.describe('Null where it is nobody else’s business.'),
})
export type FixedSettingDto = z.output<typeof FixedSettingDto>

export const ServerFingerprintDto = dto('ServerFingerprintDto', {
  pin: Pin.describe('Key of the certificate authority, as `curl --pinnedpubkey` takes it.'),
  words: z.array(z.string()).length(8).describe('The first 88 bits of its hash, in BIP39 words.'),
  hex: z.string().describe('The whole hash.'),
})
export type ServerFingerprintDto = z.output<typeof ServerFingerprintDto>

export const ServerCertificateDto = dto('ServerCertificateDto', {
  source: z.enum(['authority', 'own']).describe('`authority`: issued by this server. `own`: a custom certificate.'),
  names: z.array(z.string()).describe('Host names and IP addresses that the certificate covers.'),
  notBefore: dateTime.describe('First instant at which the certificate is valid.'),
  notAfter: dateTime.describe('Last instant at which the certificate is valid; issued ones are renewed before it.'),
  problem: textOrNull.describe('Why a certificate of one’s own is not shown.'),
})

/** Network state of this server: settings, addresses, certificate. */
export const NetworkDto = dto('NetworkDto', {
  settings: NetworkSettingsDto.describe('What an administrator chose; `fixed` lists what the configuration overrides.'),
  state: z
    .enum(['off', 'serving', 'failed'])
    .describe('`failed`: it is to be served, and `problem` says why it is not.'),
  problem: textOrNull.describe('Why the network is not served, in a sentence for people; null unless `failed`.'),
  fixed: z
    .array(FixedSettingDto)
    .describe('Settings that the configuration decides; empty when all can be changed here.'),
  name: z.string().describe('What this server calls itself.'),
  addresses: z.array(z.string()).describe('What agents and browsers call, the best first.'),
  plainAddresses: z.array(z.string()).describe('Where the network is served without encryption.'),
  listening: z
    .array(
      z.object({
        address: z.string().describe('Origin that the server listens on; `*` as host: every interface.'),
        reach: z
          .enum(['computer', 'network'])
          .describe('Who can call it: programs on this computer, or other computers too.'),
        problem: textOrNull.describe('Why nothing answers there; null while it is served.'),
      }),
    )
    .describe('Where the page, the HTTP interface, the hubs and the agent downloads are served.'),
  interfaces: z
    .array(
      z.object({
        name: z.string().describe('Name of the interface in the operating system.'),
        addresses: z.array(z.string()).describe('IPv4 and IPv6 addresses of the interface.'),
      }),
    )
    .describe('Network interfaces of this machine that have an address.'),
  fingerprint: ServerFingerprintDto.describe('Identity of this server, to compare by hand.'),
  certificate: ServerCertificateDto.describe('Certificate that HTTPS shows now.'),
  hasUploaded: z.boolean().describe('Whether an administrator brought a certificate here.'),
  connectedDevices: z.number().int().describe('How many devices are connected over it now.'),
  announcedAs: textOrNull.describe('Name by which `agent discover` finds it; null while off.'),
  announceProblem: textOrNull.describe(
    'Why the server cannot be announced on the network; null when it can, or while it is off.',
  ),
})
export type NetworkDto = z.output<typeof NetworkDto>

export const FirewallDto = dto('FirewallDto', {
  firewall: z
    .enum(['ufw', 'firewalld', 'nftables', 'iptables', 'windows', 'macos', 'none'])
    .describe('Firewall found on this machine; `none` where none was found.'),
  isActive: z.boolean().nullable().describe('Null when this user cannot see it.'),
  command: textOrNull.describe('What opens the port; null where nothing closes it.'),
})
export type FirewallDto = z.output<typeof FirewallDto>

export const AddressTestDto = dto('AddressTestDto', {
  address: z.string().describe('Origin that was called, such as `https://10.0.0.5:5443`.'),
  outcome: z
    .enum(['ours', 'foreign', 'silent'])
    .describe('`ours`: it answers and shows our certificate; `foreign`: somebody else answers.'),
  detail: textOrNull.describe('What answered, or why nothing did; null when the server itself answered.'),
})

/** A reachability test from another device. */
export const NetworkVisitDto = dto('NetworkVisitDto', {
  id: ownId,
  code: z.string().describe('Good for one answer: /network-test#CODE on any address of the server.'),
  expiresAt: dateTime.describe('When the code stops working.'),
})
export type NetworkVisitDto = z.output<typeof NetworkVisitDto>

export const NetworkVisitReportDto = dto('NetworkVisitReportDto', {
  at: dateTime.describe('When the device answered, by the clock of this server.'),
  from: z.string().describe('Address that the device came from.'),
  address: z.string().describe('Origin that it called. Like the next, the words of a stranger.'),
  browser: z.string().describe('What its browser calls itself.'),
})

/** Public facts for a client that is about to trust this server. */
export const NetworkTrustDto = dto('NetworkTrustDto', {
  name: z.string().describe('What this server calls itself.'),
  addresses: z.array(z.string()).describe('Encrypted addresses, the best first; none while it is off.'),
  source: z.enum(['authority', 'own']).describe('Who issued the certificate that it shows.'),
  fingerprint: ServerFingerprintDto.describe('Identity of this server, to compare by hand.'),
})
export type NetworkTrustDto = z.output<typeof NetworkTrustDto>
