import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from '../processes.mjs'

/** Folder of the clone inside the system; tests that act as another user need a readable folder. */
const clone = '/srv/farhand'
/** Packages that the README requires besides Node. */
const packages = ['ca-certificates', 'git']
/** Network settings of this machine: names, certificates, registries. */
const networkFiles = [
  '/etc/resolv.conf',
  '/etc/hosts',
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/apt/sources.list',
  '/etc/apt/sources.list.d',
  '/etc/apt/apt.conf.d',
  '/etc/apt/trusted.gpg.d',
  '/usr/share/keyrings',
  '/root/.npmrc',
]
const networkVariables = /^(https?_proxy|no_proxy|NODE_EXTRA_CA_CERTS|npm_config_(registry|cafile|proxy|https_proxy))$/i

const read = (program: string, ...args: string[]) => execFileSync(program, args, { encoding: 'utf8' }).trim()

/** Mirror and release of this machine's Debian, read from apt's settings. */
function debianSource(): { site: string; release: string } {
  const targets = read(
    'apt-get',
    'indextargets',
    '--format',
    '$(SITE) $(RELEASE)',
    'Created-By: Packages',
    'Component: main',
  )
  const codename = /^VERSION_CODENAME=(.*)$/m.exec(read('cat', '/etc/os-release'))?.[1] ?? 'stable'
  const found = targets
    .split('\n')
    .map((line) => line.split(' '))
    .find(([, release]) => release === codename)
  if (!found) {
    throw new Error(`apt's settings name no mirror for Debian ${codename}.`)
  }
  return { site: found[0]!, release: codename }
}

function copyIn(system: string, path: string): void {
  mkdirSync(dirname(join(system, path)), { recursive: true })
  cpSync(path, join(system, path), { recursive: true, dereference: true })
}

/** Copies the machine's Node, with npm and the headers that native packages compile against. */
function copyNode(system: string): void {
  // `npm run` puts the project's Node first; the machine's own Node is beside npm.
  const modules = join(realpathSync(process.env['npm_execpath'] ?? read('which', 'npm')), '..', '..', '..')
  const prefix = join(modules, '..', '..')
  for (const path of [join(prefix, 'bin', 'node'), join(modules, 'npm'), join(prefix, 'include', 'node')]) {
    copyIn(system, path)
  }
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(system, prefix, 'bin', 'npm'))
}

/** Creates a minimal Debian in a folder, with the packages that the README requires. Takes about a minute. */
export async function makeSystem(system: string): Promise<void> {
  const { site, release } = debianSource()
  const bootstrap = ['--variant=minbase', `--include=${packages.join(',')}`, release, system, site]
  const [status] = (await once(spawn('debootstrap', bootstrap, { stdio: 'inherit' }), 'exit')) as [number | null]
  if (status !== 0) {
    throw new Error('debootstrap failed.')
  }
  // debootstrap lists its mirror in this file; this machine's settings may list the mirror in another.
  rmSync(join(system, '/etc/apt/sources.list'))
  networkFiles.filter(existsSync).forEach((file) => copyIn(system, file))
  copyNode(system)
}

/** Replaces the clone in the system with a clone of the last commit. */
export function cloneInto(system: string): void {
  rmSync(join(system, clone), { recursive: true, force: true })
  execFileSync('git', ['clone', '--quiet', '--no-hardlinks', root, join(system, clone)], { stdio: 'inherit' })
}

const enter = `
mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && mount --rbind /sys "$0/sys" &&
exec chroot "$0" sh -c "cd ${clone} && $1"`

/**
 * Runs a command in the clone with its output on this terminal. Passes with exit status 0, or as soon as the output
 * matches `until`; then the command is killed, as at the end of this process. Mounts are private and end with the
 * command.
 */
export async function runInside(
  system: string,
  command: string,
  until: RegExp | undefined,
): Promise<{ isPassed: boolean; output: string }> {
  const kept = Object.entries(process.env).filter(([name]) => networkVariables.test(name))
  const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
  const namespaces = ['--mount', '--pid', '--fork', '--kill-child', '--propagation', 'private']
  const child = spawn('unshare', [...namespaces, 'sh', '-c', enter, system, command], {
    env: { ...Object.fromEntries(kept), HOME: '/root', PATH: path },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  process.once('exit', () => child.kill('SIGKILL'))
  let output = ''
  let isReached = false
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
      process.stdout.write(text)
      if (!isReached && until?.test(output)) {
        isReached = true
        child.kill('SIGKILL')
      }
    })
  }
  const [status] = (await once(child, 'close')) as [number | null]
  return { isPassed: isReached || status === 0, output }
}
