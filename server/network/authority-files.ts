import { hash, X509Certificate } from 'node:crypto'
import type { Download } from '../../shared/contract/transfer.ts'
import type { App } from '../call/call.ts'
import { serverName } from './addresses.ts'

/** Download of a small file. */
function fileOf(name: string, content: string | Buffer): Download {
  const bytes = Buffer.from(content)
  return {
    length: bytes.length,
    file: { name, disposition: 'attachment' },
    body: (async function* () {
      yield await Promise.resolve(bytes)
    })(),
  }
}

const derOf = async (app: App) => new X509Certificate((await app.tls()).authorityPem).raw

/** Includes the server's name, because a machine may trust several servers. */
const fileName = () => `farhand-${serverName().replace(/[^\w-]/g, '-')}`

export const authorityPem = async (app: App): Promise<Download> =>
  fileOf(`${fileName()}.pem`, (await app.tls()).authorityPem)

export const authorityCrt = async (app: App): Promise<Download> => fileOf(`${fileName()}.crt`, await derOf(app))

/** Derives a stable id from the certificate, so that a second installation replaces the first. */
function idOf(text: string): string {
  const hex = hash('sha256', text)
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  )
}

const escaped = (text: string) =>
  text.replace(/[<>&'"]/g, (sign) => `&#${sign.charCodeAt(0)};`).replace(/[\x00-\x1f\x7f]/g, '')

/** Text of the profile, which changes only with the authority and the name of the machine. */
function profileText(pem: string, pin: string, machine: string): string {
  const name = escaped(`Farhand on ${machine}`)
  const certificate = new X509Certificate(pem).raw
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>PayloadContent</key>
  <array>
    <dict>
      <key>PayloadCertificateFileName</key><string>${fileName()}.crt</string>
      <key>PayloadContent</key><data>${certificate.toString('base64')}</data>
      <key>PayloadDisplayName</key><string>${name}</string>
      <key>PayloadIdentifier</key><string>farhand.authority.${idOf(pin)}.certificate</string>
      <key>PayloadType</key><string>com.apple.security.root</string>
      <key>PayloadUUID</key><string>${idOf(`certificate ${pin}`)}</string>
      <key>PayloadVersion</key><integer>1</integer>
    </dict>
  </array>
  <key>PayloadDescription</key><string>Lets this device recognize the Farhand server ${escaped(machine)}.</string>
  <key>PayloadDisplayName</key><string>${name}</string>
  <key>PayloadIdentifier</key><string>farhand.authority.${idOf(pin)}</string>
  <key>PayloadType</key><string>Configuration</string>
  <key>PayloadUUID</key><string>${idOf(`profile ${pin}`)}</string>
  <key>PayloadVersion</key><integer>1</integer>
</dict>
</plist>
`
}

/** Last profile of each server: a cache, because anybody may request the profile. */
const profiles = new WeakMap<App, { key: string; text: string }>()

/** Profile that installs the certificate on iOS and macOS after a prompt. */
export async function authorityProfile(app: App): Promise<Download> {
  const tls = await app.tls()
  const key = `${tls.authorityPem} ${serverName()}`
  let profile = profiles.get(app)
  if (profile?.key !== key) {
    profile = { key, text: profileText(tls.authorityPem, tls.authorityPin, serverName()) }
    profiles.set(app, profile)
  }
  return fileOf(`${fileName()}.mobileconfig`, profile.text)
}
