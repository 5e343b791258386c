/** Builds the bundle of a device: the agent in a few files, its native parts and Node itself, in one folder. */
import { chmodSync, cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { build, type Plugin } from 'esbuild'
import type { RuntimeId } from '../../shared/dtos/agent-bundle.ts'
import { root } from '../processes.mjs'
import { platformOf } from './packages.ts'

const at = (name: string) => path.join(root, name)
export const brandKey = 'Farhand'
export const { version } = JSON.parse(readFileSync(at('package.json'), 'utf8')) as { version: string }

/**
 * Stops the SignalR client from requiring packages at run time that the bundle already contains; the agent passes `ws`
 * explicitly (agent/link/connection.ts) and uses none of the others.
 */
const signalrWithoutRequire: Plugin = {
  name: 'signalr-without-require',
  setup({ onLoad }) {
    onLoad({ filter: /@microsoft[\\/]signalr[\\/].*HttpConnection\.js$/ }, async ({ path: file }) => {
      const text = await readFile(file, 'utf8')
      return { contents: text.replace('typeof require !== "undefined"', 'false') }
    })
  },
}

const packageOf = (file: string) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1]

/** License texts of packages by name. */
function licenses(packages: ReadonlyMap<string, string>): string {
  const byName = [...packages].toSorted(([a], [b]) => (a < b ? -1 : 1))
  const texts = byName.map(([name, folder]) => {
    const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each))
    return file ? `${name}\n\n${readFileSync(path.join(folder, file), 'utf8')}` : ''
  })
  return texts.filter((text) => text !== '').join(`\n${'-'.repeat(80)}\n\n`)
}

/** Bundles the agent, or another program on its code, in lazily loaded chunks. Returns the names of the bundled packages. */
export async function bundleAgent(outdir: string, program = at('agent/main.ts')): Promise<Set<string>> {
  const { metafile } = await build({
    entryPoints: [program],
    absWorkingDir: root,
    outdir,
    chunkNames: 'part-[hash]',
    splitting: true,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    minifySyntax: true,
    metafile: true,
    external: [...nativePackages, ...new Set(Object.values(systemPackages).flat())],
    define: {
      FARHAND_VERSION: JSON.stringify(version),
      // Node searches for a missing package up to the root of the disk, where others may place one (T32).
      'process.env.WS_NO_UTF_8_VALIDATE': '"1"',
    },
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    plugins: [signalrWithoutRequire],
  })
  return new Set(Object.keys(metafile.inputs).flatMap((file) => packageOf(file) ?? []))
}

/** Packages that are copied unbundled, because they load native parts from their own folder; and their dependencies. */
const nativePackages = ['@lydell/node-pty', 'bufferutil', '@julusian/jpeg-turbo', 'sharp']
/** Native packages for the functions and the desktop of a system. */
const systemPackages: Readonly<Record<string, readonly string[]>> = {
  win: ['koffi'],
  osx: ['koffi', '@hurdlegroup/robotjs'],
}
const requiredByNative = ['node-gyp-build', 'pkg-prebuilds', '@img/colour', 'detect-libc', 'semver']

/** Source folders of packages, needed only to compile them or to debug. */
const sourceFolders = [
  ...nativePackages.map((name) => `${name}/src`),
  '@hurdlegroup/robotjs/src',
  ...['doc', 'lib', 'vendor', 'src/koffi/src/core'].map((name) => `koffi/${name}`),
]

/**
 * Whether prebuilds are for a platform: folders are called `jpeg-turbo-win32-x64`, `win32-x64`, or, for two processors,
 * `darwin-x64+arm64`.
 */
function isForPlatform(prebuilds: string, platform: string): boolean {
  const [, system, processors = ''] = /(\w+)-([\w+]+)$/.exec(prebuilds) ?? []
  return processors.split('+').some((processor) => `${system}-${processor}` === platform)
}

/**
 * Copies packages with native parts unbundled, so that they find these parts. Packages for all systems come from this
 * checkout; `native` maps the packages for a single system to their folders. Returns the source folder of each.
 */
function copyPackages(runtime: RuntimeId, folder: string, native: ReadonlyMap<string, string>): Map<string, string> {
  const platform = platformOf[runtime]
  const prebuilds = (name: string) => path.basename(path.dirname(name)) === 'prebuilds'
  const isSource = (name: string) =>
    name.endsWith('.pdb') || sourceFolders.some((one) => name.endsWith(`node_modules/${one}`))
  const isOther = (name: string) => prebuilds(name) && !isForPlatform(name, platform)
  const ofSystem = systemPackages[runtime.slice(0, 3)] ?? []
  const ofEverySystem = [...nativePackages, ...requiredByNative, ...ofSystem]
    .map((name): [string, string] => [name, at(`node_modules/${name}`)])
    .filter(([, source]) => existsSync(source))
  const packages = new Map([...ofEverySystem, ...native])
  for (const [name, source] of packages) {
    cpSync(source, path.join(folder, 'node_modules', name), {
      recursive: true,
      filter: (file) => !isOther(file) && !isSource(file),
    })
  }
  return packages
}

/** System-specific parts of a bundle. */
export interface BundleParts {
  /** Path of the Node program. */
  node: string
  /** Folders of packages with native parts, by name. */
  native: ReadonlyMap<string, string>
}

/** Writes a complete bundle into a folder. */
export async function stage(runtime: RuntimeId, { node, native }: BundleParts, folder: string): Promise<void> {
  const windows = runtime.startsWith('win')
  const put = (name: string, text: string) => writeFileSync(path.join(folder, name), text)
  const bundled = await bundleAgent(folder)
  const copied = copyPackages(runtime, folder, native)
  cpSync(at('agent/desktop/window'), path.join(folder, 'window'), { recursive: true })
  cpSync(node, path.join(folder, windows ? 'node.exe' : 'node'))
  put('package.json', JSON.stringify({ name: 'farhand-agent', version, type: 'module', private: true }))
  // Node's license is beside its program, or in the parent folder.
  const nodeFolder = path.dirname(path.dirname(node))
  const sources = new Map([
    ...[...bundled].map((name): [string, string] => [name, at(`node_modules/${name}`)]),
    ...copied,
  ])
  put('THIRD-PARTY-LICENSES', licenses(sources.set('Node.js', nodeFolder)))
  if (existsSync(at('LICENSE'))) {
    cpSync(at('LICENSE'), path.join(folder, 'LICENSE'))
  }
  if (windows) {
    put(`${brandKey}.Agent.cmd`, '@"%~dp0node.exe" "%~dp0main.js" %*\r\n')
  } else {
    put(`${brandKey}.Agent`, '#!/bin/sh\nhere=$(dirname -- "$0")\nexec "$here/node" "$here/main.js" "$@"\n')
    chmodSync(path.join(folder, `${brandKey}.Agent`), 0o755)
    chmodSync(path.join(folder, 'node'), 0o755)
  }
}
