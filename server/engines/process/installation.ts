import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { homeOf } from './program-home.ts'

/** The folder with our package.json: the checkout, or the packaged app. */
function findRoot(start: string): string {
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json'))) {
      return folder
    }
    if (folder === dirname(folder)) {
      throw new Error(`No package.json above ${start}: this installation of Farhand is not complete.`)
    }
  }
}

const root = findRoot(import.meta.dirname)
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  version: string
  scripts?: Record<string, string>
}

/** Public keys that releases are signed with; the file is part of the program. */
function readReleaseKeys(): string[] {
  const file = join(root, 'resources', 'release-keys.json')
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { keys: string[] }).keys : []
}

/** Paths and version of this copy of the program. */
export const installation = {
  folder: root,
  /** Four numbers, such as `1.2.3.0`. */
  version: `${manifest.version}.0`,
  /** Whether the server runs in the process of the desktop window. */
  hasWindow: 'electron' in process.versions,
  /** Beginning of every command on this computer. */
  program: 'electron' in process.versions || homeOf(root) ? 'farhand' : 'node dist/server/main.js',
  /** Program of the server without a window, run by Node. */
  headlessEntry: join(root, 'dist', 'server', 'main.js'),
  releaseKeys: readReleaseKeys(),
  rendererDirectory: join(root, 'dist', 'renderer'),
  /** The page that shows the API descriptions. */
  referenceDirectory: join(root, 'resources', 'reference'),
  /** Agent files that were built with the app. */
  builtDownloadsDirectory: join(root, 'dist', 'downloads'),
  /** Folder of the sources, where `npm run agents` builds agents; a packaged app has no scripts. */
  checkout: manifest.scripts?.['agents'] === undefined ? undefined : root,
}
