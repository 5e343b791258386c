/** The server for Windows, as a release for that system holds it, in a folder of Wine. */
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { ensurePackage, lockedPackage } from '../agents/packages.ts'
import { root } from '../processes.mjs'
import { trustingWine } from './release.ts'
import { sharedFolder } from './debian-13.ts'

/** Packages that `dist/server` loads, with those that they load. */
const packages = [
  'sqlite3',
  'bufferutil',
  'node-gyp-build',
  'koffi',
  '@node-rs/argon2',
  '@napi-rs/keyring',
  'swagger-ui-dist',
]
const ofWindows = ['@koromix/koffi-win32-x64', '@node-rs/argon2-win32-x64-msvc', '@napi-rs/keyring-win32-x64-msvc']

/** Installation of a server package, without the file that names the current version. */
export const serverHome = path.join(sharedFolder, 'farhand')
export const serverVersion = '0.1.0'
const serverFolder = path.join(serverHome, 'versions', serverVersion)

/** Writes the server of this checkout, with Node. */
export async function buildServer(node: string): Promise<void> {
  rmSync(serverFolder, { recursive: true, force: true })
  mkdirSync(serverFolder, { recursive: true })
  const place = (from: string, ...to: string[]) =>
    cpSync(from, path.join(serverFolder, ...to), { recursive: true, filter: (each) => !/\.(map|d\.ts|o)$/.test(each) })
  for (const name of ['dist/server', 'dist/renderer', 'resources', 'package.json']) {
    place(path.join(root, name), name)
  }
  place(node, 'node.exe')
  for (const name of packages) {
    place(path.join(root, 'node_modules', name), 'node_modules', name)
  }
  for (const name of ofWindows) {
    const wanted = lockedPackage(name)
    if (wanted === undefined) {
      throw new Error(`package-lock.json does not record ${name}.`)
    }
    place(await ensurePackage(wanted, { begin: console.log, made: console.log }), 'node_modules', name)
  }
  for (const file of globSync('dist/server/**/*.js', { cwd: serverFolder })) {
    const whole = path.join(serverFolder, file)
    writeFileSync(whole, trustingWine(readFileSync(whole, 'utf8')))
  }
}
