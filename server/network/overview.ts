import type { FixedSettingDto, NetworkDto, NetworkTrustDto } from '../../shared/dtos/network.ts'
import type { App } from '../call/call.ts'
import { instant } from '../ground/instant.ts'
import { isLoopbackHost } from '../ground/machine.ts'
import { listening, networkListeners, plainAddresses, secureAddresses, serverName } from './addresses.ts'
import { isCertificateConfigured } from './certificate.ts'
import { fingerprintOf } from './fingerprint.ts'
import { readNetworkSettings } from './serving.ts'

/** Settings fixed by the configuration, with their source. */
function fixedSettings({ config }: Pick<App, 'config'>): FixedSettingDto[] {
  const { publicUrl } = config.branding
  const sourceOf = (key: string) => config.sources.get(key) ?? 'default'
  const open = config.urls.filter(({ host }) => !isLoopbackHost(host))
  const rows: FixedSettingDto[] = []
  if (open.length > 0) {
    const value = open.map(({ scheme, host, port }) => `${scheme}://${host}:${port}`).join(';')
    rows.push({ what: 'addresses', setting: 'Service_Urls', source: sourceOf('Urls'), value })
  }
  if (publicUrl !== undefined) {
    const source = sourceOf('Branding__PublicUrl')
    rows.push({ what: 'publicUrl', setting: 'Service_Branding__PublicUrl', source, value: publicUrl })
  }
  if (isCertificateConfigured({ config })) {
    const source = sourceOf('Tls__CertificatePath')
    rows.push({
      what: 'certificate',
      setting: 'Service_Tls__CertificatePath',
      source,
      value: config.tls.certificatePath ?? null,
    })
  }
  return rows
}

/** Data of the Network page. */
export async function networkOverview(app: App): Promise<NetworkDto> {
  const { network, announcer } = app
  const tls = await app.tls()
  const settings = await readNetworkSettings(app)
  const isServing = networkListeners(app, 'https').length > 0
  const { notBefore, notAfter, ...certificate } = tls.certificate()
  return {
    settings,
    state: network.problem !== null ? 'failed' : isServing ? 'serving' : 'off',
    problem: network.problem,
    fixed: fixedSettings(app),
    name: serverName(),
    addresses: secureAddresses(app),
    plainAddresses: plainAddresses(app),
    listening: listening(app),
    interfaces: [...network.interfaces],
    fingerprint: fingerprintOf(tls.authorityPin),
    certificate: { ...certificate, notBefore: instant(notBefore), notAfter: instant(notAfter) },
    hasUploaded: network.hasUploaded,
    connectedDevices: devicesOverNetwork(app),
    announcedAs: network.announcedAs,
    announceProblem: announcer.problem,
  }
}

/** Counts devices that would lose their connection if the opened port were closed. */
function devicesOverNetwork({ fleet, hubs, network }: App): number {
  let count = 0
  for (const id of fleet.onlineIds()) {
    const origin = hubs.agent.originOf(fleet.get(id)?.connectionId ?? '')
    const url = URL.parse(origin ?? '')
    count += url?.protocol === 'https:' && network.ports.has(Number(url.port || 443)) ? 1 : 0
  }
  return count
}

/** Public information for a visitor who has to trust this server. */
export async function networkTrust(app: App): Promise<NetworkTrustDto> {
  const tls = await app.tls()
  return {
    name: serverName(),
    addresses: secureAddresses(app),
    source: tls.certificate().source,
    fingerprint: fingerprintOf(tls.authorityPin),
  }
}
