/**
 * Replaces the list of licenses that Vite has made of the page by the notices of everything that is shipped, which About
 * shows. Run by the build; fails if a package of the page is missing from the notices.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { root } from '../processes.mjs'
import { shippedPackages } from './lock.ts'
import { makeNotices } from './sbom.ts'

const file = path.join(root, 'dist', 'renderer', 'licenses.txt')
const shipped = new Set(shippedPackages().map(({ name }) => name))
const inPage = [...readFileSync(file, 'utf8').matchAll(/^## (\S+) - \d/gm)].map(([, name = '']) => name)
const unknown = inPage.filter((name) => !shipped.has(name))
if (unknown.length > 0) {
  throw new Error(`tools/release/lock.ts does not know that these packages are in the page: ${unknown.join(', ')}`)
}
const notices = makeNotices()
writeFileSync(file, notices)
// electron-builder leaves a file out of the archive that it puts beside it, so the page has a copy of its own.
writeFileSync(path.join(root, 'dist', 'licenses.txt'), notices)
