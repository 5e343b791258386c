/** Packages that a release ships, by package-lock.json. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { root } from '../processes.mjs'

interface Locked {
  version?: string
  license?: string
  integrity?: string
  resolved?: string
  dev?: boolean
  devOptional?: boolean
}

/** A package and its place in node_modules. */
export interface ShippedPackage {
  name: string
  version: string
  license: string
  integrity: string | undefined
  resolved: string | undefined
  folder: string
}

/** Built into the page, though npm calls them packages for development. */
const inPage = /^node_modules\/(@mantine|@novnc|@tabler|@tanstack|@xterm|qrcode|react|react-dom|react-router)(\/|$)/

/** Packages of the product, without those that only build and test it. */
export function shippedPackages(): ShippedPackage[] {
  const text = readFileSync(path.join(root, 'package-lock.json'), 'utf8')
  const { packages } = JSON.parse(text) as { packages: Record<string, Locked> }
  return Object.entries(packages)
    .filter(([place, { dev, devOptional, version }]) => {
      const isShipped = !dev && !devOptional
      return place !== '' && version !== undefined && (isShipped || inPage.test(place))
    })
    .map(([place, { version = '', license = 'NOASSERTION', integrity, resolved }]) => ({
      name: place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length),
      version,
      license,
      integrity,
      resolved,
      folder: path.join(root, place),
    }))
    .toSorted((a, b) => a.name.localeCompare(b.name) || a.version.localeCompare(b.version))
}
