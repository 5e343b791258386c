/** The server package: an installation in a tar.gz, which is unpacked once by hand and then replaces itself. */
import { existsSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import path from 'node:path'
import { writeTarOf, type PackedFile } from '../agents/archives.ts'
import { root } from '../processes.mjs'
import { makeNotices } from './sbom.ts'

/** Packages that dist/server loads at run time; all others are in the bundle (tools/build-server.mjs). */
const loaded = [
  'sqlite3',
  'bufferutil',
  '@node-rs/argon2',
  '@napi-rs/keyring',
  'swagger-ui-dist',
  // Calls Windows alone.
  ...(process.platform === 'win32' ? ['koffi'] : []),
]
/** Named as dependencies, and only needed to compile or to download. */
const buildOnly = new Set(['node-addon-api', '@scarf/scarf', 'node-gyp'])
const leftOut =
  /\.(map|d\.[cm]?ts|md|musl\.node)$|(^|\/)(\.bin|\.package-lock\.json)(\/|$)|koffi\/(doc|lib|vendor|src\/koffi\/src\/core)\/|sqlite3\/(deps\/|src\/|build\/(?!Release\/[^/]+\.node$))|swagger-ui-dist\/(swagger-ui-es-|swagger-ui\.js|log)/
const otherSystems = new RegExp(`/prebuilds/(?!${process.platform}-${process.arch}/)`)

interface PackageJson {
  name: string
  productName: string
  version: string
  license: string
  type: string
  engines: object
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

const readPackage = (folder: string) =>
  JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as PackageJson

/** Folder of a package as `from` would load it. */
function resolvePackage(name: string, from: string): string | undefined {
  const places = [path.join(from, 'node_modules', name), path.join(root, 'node_modules', name)]
  return places.find((place) => existsSync(path.join(place, 'package.json')))
}

function packageFolders(): string[] {
  const found = new Set<string>()
  const add = (name: string, from: string) => {
    const folder = buildOnly.has(name) ? undefined : resolvePackage(name, from)
    if (folder === undefined || found.has(folder)) {
      return
    }
    found.add(folder)
    const { dependencies = {}, optionalDependencies = {} } = readPackage(folder)
    Object.keys({ ...dependencies, ...optionalDependencies }).forEach((next) => add(next, folder))
  }
  loaded.forEach((name) => add(name, root))
  return [...found]
}

/** Files below a folder of the checkout, under the same relative names. */
function filesBelow(folder: string): PackedFile[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .map((from) => ({ from, name: path.relative(root, from).replaceAll('\\', '/') }))
    .filter(({ name }) => !leftOut.test(name) && !otherSystems.test(name))
}

const launcher = `#!/bin/sh
# Starts the version that the file "current" names.
program=$0
while [ -h "$program" ]; do
  target=$(readlink "$program")
  case $target in /*) program=$target ;; *) program=$(dirname "$program")/$target ;; esac
done
here=$(CDPATH= cd "$(dirname "$program")" && pwd -P) || exit 1
version=$here/versions/$(cat "$here/current") || exit 1
exec "$version/node" "$version/dist/server/main.js" "$@"
`

const launcherForWindows = `@echo off\r
set /p version=<"%~dp0current"\r
"%~dp0versions\\%version%\\node.exe" "%~dp0versions\\%version%\\dist\\server\\main.js" %*\r
`

/** Content of a version: everything below versions/<version>/. `node` is the program that runs it. */
export function programFiles(node: string): PackedFile[] {
  const { name, productName, version, license, type, engines } = readPackage(root)
  const manifest = { name, productName, version, license, type, engines }
  return [
    { name: 'package.json', content: `${JSON.stringify(manifest, null, 2)}\n` },
    { name: 'LICENSE', from: path.join(root, 'LICENSE') },
    { name: 'notices.txt', content: makeNotices() },
    { name: process.platform === 'win32' ? 'node.exe' : 'node', from: node },
    ...['dist/server', 'dist/renderer', 'dist/downloads', 'resources'].flatMap((each) =>
      filesBelow(path.join(root, each)),
    ),
    ...packageFolders().flatMap(filesBelow),
  ]
}

/** Files of a desktop program as an update unpacks them: with links and modes. */
export function desktopFiles(folder: string, stored: string): PackedFile[] {
  // Without the recursive listing of Node, which follows links.
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const [from, name] = [path.join(folder, entry.name), `${stored}/${entry.name}`]
    if (entry.isDirectory()) {
      return desktopFiles(from, name)
    }
    return entry.isSymbolicLink()
      ? { name, target: readlinkSync(from) }
      : { name, from, mode: statSync(from).mode & 0o777 }
  })
}

/** Writes the package of this system; returns its size. */
export async function writeServerPackage(version: string, node: string, file: string): Promise<number> {
  const program = programFiles(node).map((each) => ({ ...each, name: `farhand/versions/${version}/${each.name}` }))
  const isWindows = process.platform === 'win32'
  await writeTarOf(
    [
      {
        name: isWindows ? 'farhand/farhand.cmd' : 'farhand/farhand',
        content: isWindows ? launcherForWindows : launcher,
      },
      { name: 'farhand/current', content: `${version}\n` },
      ...program,
    ],
    file,
  )
  return statSync(file).size
}

/** Writes the agents for every system that was built, as a downloads folder. */
export const writeAgents = (file: string): Promise<void> =>
  writeTarOf(
    filesBelow(path.join(root, 'dist', 'downloads')).map(({ name, from }) => ({
      name: name.replace(/^dist\//, ''),
      ...(from !== undefined && { from }),
    })),
    file,
  )
