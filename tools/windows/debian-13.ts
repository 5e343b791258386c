/** Debian 13 in a folder of its own, for its Wine 10: Wine 8 of Debian 12 cannot run the Node that devices get. */
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { userInfo } from 'node:os'
import path from 'node:path'
import { ensureDebianPackages } from '../debian-packages.mjs'
import { root, run } from '../processes.mjs'

/**
 * Folder for what `npm run test:windows` fetches; outside the checkout, so that new checkouts find it. Not by `HOME`, which
 * is another one in tests.
 */
export const cacheFolder = path.join(
  process.env['XDG_CACHE_HOME'] ?? path.join(userInfo().homedir, '.cache'),
  'farhand',
)
export const debian13 = path.join(cacheFolder, 'debian-13')

/** Files of this checkout that programs in Debian 13 may use, at the same path. */
export const sharedFolder = path.join(root, 'dist', 'windows')

const mounts = `
mount --rbind /proc "$1/proc" && mount --rbind /dev "$1/dev" &&
mkdir -p "$1$2" && mount --bind "$2" "$1$2" || exit 1
inside=$1
shift 2
exec chroot "$inside" "$@"`

/** Command line that runs a program in Debian 13, in mounts that end with the program. */
export const inDebian13 = (...command: string[]): [string, ...string[]] => [
  'unshare',
  '--mount',
  'sh',
  '-c',
  mounts,
  'sh',
  debian13,
  sharedFolder,
  ...command,
]

async function runOrThrow(...[program, ...args]: [string, ...string[]]) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const status = await run(program, args, { env, stdio: ['ignore', 'ignore', 'inherit'] })
  if (status !== 0) {
    throw new Error(`${program} ${args.join(' ')} ended with status ${status}`)
  }
}

/** Makes the folder if it is missing; about a minute. Returns a sentence if it cannot be made. */
export async function ensureDebian13(): Promise<string | undefined> {
  if (existsSync(debian13)) {
    return undefined
  }
  if (process.platform !== 'linux' || process.arch !== 'x64' || process.getuid?.() !== 0) {
    return 'Wine 10 needs a Debian 13 in a folder, which only root can make, on Linux (x64).'
  }
  const problem = await ensureDebianPackages({ debootstrap: ['debootstrap'], 'util-linux': ['unshare'] })
  if (problem) {
    return problem
  }
  console.log(`Installing Debian 13 with Wine 10 in ${debian13}`)
  const unfinished = `${debian13}.new`
  rmSync(unfinished, { recursive: true, force: true })
  mkdirSync(cacheFolder, { recursive: true })
  try {
    await runOrThrow('debootstrap', '--variant=minbase', '--include=wine64,wine', 'trixie', unfinished)
  } catch (error) {
    return `Debian 13 cannot be installed in a folder: ${(error as Error).message}`
  }
  renameSync(unfinished, debian13)
  return undefined
}
