/** Packages that a release ships, by package-lock.json. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { root } from '../processes.mjs'

interface Locked {
  /** Name at the registry, where a package has another one here. */
  name?: string
  version?: string
  license?: string
  integrity?: string
  resolved?: string
  dev?: boolean
  devOptional?: boolean
  dependencies?: Record<string, string>
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
const inPage =
  /^node_modules\/(@fontsource-variable|@mantine|@novnc|@tabler|@tanstack|@xterm|mediabunny|pdfjs-dist|qrcode|react|react-dom|react-router|uplot)(\/|$)/

/** Place of a dependency, as Node would find it: below its user, else above. */
function placeOf(packages: Record<string, Locked>, name: string, user: string): string | undefined {
  const below = `${user}/node_modules/${name}`
  const end = user.lastIndexOf('/node_modules/')
  return below in packages
    ? below
    : end === -1
      ? [`node_modules/${name}`].find((place) => place in packages)
      : placeOf(packages, name, user.slice(0, end))
}

/** Places of packages in the page, with all that they need. */
function placesInPage(packages: Record<string, Locked>): Set<string> {
  const found = new Set<string>()
  const add = (place: string) => {
    if (!found.has(place)) {
      found.add(place)
      const needed = Object.keys(packages[place]?.dependencies ?? {})
      needed.forEach((name) => {
        const at = placeOf(packages, name, place)
        if (at !== undefined) {
          add(at)
        }
      })
    }
  }
  Object.keys(packages)
    .filter((place) => inPage.test(place))
    .forEach(add)
  return found
}

/** True if a package holds no code, only its description: an override puts it in the place of one that nothing reads. */
const isStandIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/^(package\.json|readme|license)/i.test(entry.name))
    .every(({ parentPath, name }) => statSync(path.join(parentPath, name)).size === 0)

/** Packages of the product, without those that only build and test it. */
export function shippedPackages(): ShippedPackage[] {
  const text = readFileSync(path.join(root, 'package-lock.json'), 'utf8')
  const { packages } = JSON.parse(text) as { packages: Record<string, Locked> }
  const page = placesInPage(packages)
  return Object.entries(packages)
    .filter(([place, { dev, devOptional, version }]) => {
      const isShipped = !dev && !devOptional
      return place !== '' && version !== undefined && (isShipped || page.has(place))
    })
    .filter(([place, { name }]) => name === undefined || !isStandIn(path.join(root, place)))
    .map(([place, { name, version = '', license = 'NOASSERTION', integrity, resolved }]) => ({
      name: name ?? place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length),
      version,
      license,
      integrity,
      resolved,
      folder: path.join(root, place),
    }))
    .toSorted((a, b) => a.name.localeCompare(b.name) || a.version.localeCompare(b.version))
}
