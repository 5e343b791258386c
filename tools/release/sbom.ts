/** Software bill of materials (CycloneDX 1.6), and the notices of what is shipped. */
import { randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { root } from '../processes.mjs'
import { shippedPackages, type ShippedPackage } from './lock.ts'

const purl = ({ name, version }: Pick<ShippedPackage, 'name' | 'version'>) =>
  `pkg:npm/${name.replace('@', '%40')}@${version}`

/** SPDX ids and expressions have different members. */
const licenses = (license: string) =>
  /^[\w.+-]+$/.test(license) ? [{ license: { id: license } }] : [{ expression: license.replace(/^\((.*)\)$/, '$1') }]

function hashes(integrity: string | undefined) {
  const [, content = ''] = /^sha512-(\S+)/.exec(integrity ?? '') ?? []
  return content === '' ? {} : { hashes: [{ alg: 'SHA-512', content: Buffer.from(content, 'base64').toString('hex') }] }
}

/** Lists every shipped package once, with license, hash and origin. */
export function makeSbom(version: string, at: number) {
  const byPurl = new Map(shippedPackages().map((each) => [purl(each), each]))
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    // Without one, the action of GitHub that attests it takes it for no CycloneDX.
    serialNumber: `urn:uuid:${randomUUID()}`,
    version: 1,
    metadata: {
      timestamp: new Date(at).toISOString(),
      component: {
        type: 'application',
        name: 'farhand',
        version,
        'bom-ref': `farhand@${version}`,
        licenses: licenses('MIT'),
      },
    },
    components: [...byPurl].map(([ref, { name, version: of, license, integrity, resolved }]) => ({
      type: 'library',
      'bom-ref': ref,
      name,
      version: of,
      purl: ref,
      ...(license !== 'NOASSERTION' && { licenses: licenses(license) }),
      ...hashes(integrity),
      ...(resolved !== undefined && { externalReferences: [{ type: 'distribution', url: resolved }] }),
    })),
  }
}

function licenseText({ folder }: ShippedPackage): string {
  const name = existsSync(folder)
    ? readdirSync(folder).find((each) => /^(licen[cs]e|copying)(\.|$)/i.test(each))
    : undefined
  return name === undefined ? '' : readFileSync(path.join(folder, name), 'utf8').trim()
}

/** Own license, and name, license and text of every shipped package. */
export function makeNotices(): string {
  const own = readFileSync(path.join(root, 'LICENSE'), 'utf8').trim()
  const others = shippedPackages().map((each) => {
    const text = licenseText(each)
    return `${each.name} ${each.version} (${each.license})${text === '' ? '' : `\n\n${text}`}`
  })
  return [`Farhand\n\n${own}`, ...others].join(`\n\n${'-'.repeat(80)}\n\n`) + '\n'
}
