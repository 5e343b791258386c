/**
 * Simulated machines on a separate network. Each is a set of Linux namespaces with its own network, processes, host
 * name, `/etc`, `/run`, `/var/log` and `/usr/local/bin`, so that root installs on it do not affect this machine. Hosts
 * are connected by a switch without an uplink. A host ends with all its processes when its standard input closes, so
 * nothing is left behind, however the test ends.
 */
import { spawn, spawnSync, type ChildProcess, type ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync } from 'node:fs'
import { connect, createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { inPath } from '../../tools/chromium.mjs'

const doorProgram = join(import.meta.dirname, 'host-door.ts')

const namespaces = ['--net', '--mount', '--uts', '--pid']
const unshare = [...namespaces, '--fork', '--kill-child', '--mount-proc']

function findProblem(): string | undefined {
  if (process.platform !== 'linux') {
    return 'only Linux has network namespaces'
  }
  const missing = ['ip', 'unshare', 'nsenter', 'mount'].filter((program) => !inPath(program))
  if (missing.length > 0) {
    return `${missing.join(', ')} is missing`
  }
  const tried = spawnSync('unshare', [
    ...unshare,
    'sh',
    '-c',
    'mount -t tmpfs none /run && ip link add name one type veth peer name other',
  ])
  return tried.status === 0 ? undefined : 'this user may not make network namespaces here'
}

/** Reason why hosts are not possible here, for the name of skipped tests; undefined where they are. */
export const hostsProblem = findProblem()

const bootSwitch = `
ip link add name lan type bridge mcast_snooping 0
ip link set lan up
echo ready
cat
rm -rf "$1" || { sleep 2; rm -rf "$1"; }`

/** The first process waits with \`cat\` until its input closes, and reaps orphans. */
const bootHost = `
set -e
hostname "$2"
cp -a /etc "$1/etc"
mount --bind "$1/etc" /etc
for folder in /run /var/log /usr/local/bin; do mount -t tmpfs -o mode=755 none "$folder"; done
printf '127.0.0.1 localhost\\n127.0.1.1 %s\\n' "$2" >/etc/hosts
# Nobody on this network knows names: that is said at once, not after a while.
rm -f /etc/resolv.conf
touch /etc/resolv.conf
ip link set lo up
echo ready
cat
exit`

type Holder = ChildProcessByStdio<Writable, Readable, null>

const firstChild = (pid: number) =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0])

/** Creates namespaces with a shell that has run `script`; `pid` is the shell's. */
async function hold(script: string, ...args: string[]): Promise<{ pid: number; end(): Promise<void> }> {
  const holder: Holder = spawn('unshare', [...unshare, 'sh', '-c', script, 'sh', ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = once(holder, 'exit')
  const ready = await Promise.race([once(holder.stdout, 'data'), ended.then(() => undefined)])
  if (!ready) {
    throw new Error('A host did not start.')
  }
  return {
    pid: firstChild(holder.pid!),
    async end() {
      holder.stdin.end()
      await ended
    },
  }
}

function must(program: string, args: readonly string[]) {
  const { status, stderr, stdout } = spawnSync(program, args, { encoding: 'utf8' })
  if (status !== 0) {
    throw new Error(`${program} ${args.join(' ')}: ${stderr || stdout}`)
  }
  return stdout
}

export interface HostEnded {
  status: number | null
  output: string
}

/** Program that runs on a host. */
export interface HostProgram {
  /** Output so far, stdout and stderr. */
  output(): string
  ended: Promise<HostEnded>
  signal(name: NodeJS.Signals): void
}

function followed(child: ChildProcess): HostProgram {
  let output = ''
  child.stdout?.on('data', (text) => (output += text))
  child.stderr?.on('data', (text) => (output += text))
  return {
    output: () => output,
    ended: new Promise((resolve) => child.on('close', (status) => resolve({ status, output }))),
    signal(name) {
      // nsenter waits for the program, its child, and stops with it.
      if (child.exitCode === null && child.signalCode === null) {
        process.kill(firstChild(child.pid!), name)
        if (name === 'SIGCONT') {
          child.kill(name)
        }
      }
    },
  }
}

/** Name of the switch-side port of a host. */
const portOf = (host: Host) => `to-${host.name}`

export class Host {
  readonly name: string
  /**
   * Folder for host files that are not below `/etc`, `/run`, `/var/log` or `/usr/local/bin`, including the user's home.
   */
  readonly folder: string
  readonly pid: number
  /** IPv4 address of `eth0` with its prefix length: `10.77.0.10/24`. */
  #address: string
  #plugged: number

  constructor(name: string, folder: string, pid: number, plugged: number, address: string) {
    this.name = name
    this.folder = folder
    this.pid = pid
    this.#plugged = plugged
    this.#address = address
  }

  get address(): string {
    return this.#address.split('/')[0]!
  }

  get home(): string {
    return join(this.folder, 'home')
  }

  /** Command line that starts a program on this host, for callers that do not use `start`. */
  entering(...command: string[]): [string, ...string[]] {
    return ['nsenter', '--target', String(this.pid), ...namespaces, '--', ...command]
  }

  /** Environment of a program on this host: inherits only search path and locale. */
  environment(added: Record<string, string> = {}): Record<string, string> {
    const kept = Object.entries(process.env).filter(([name]) => /^(PATH|LANG|LC_\w+|TZ)$/.test(name))
    return { ...(Object.fromEntries(kept) as Record<string, string>), HOME: this.home, ...added }
  }

  start(command: readonly string[], environment: Record<string, string> = {}): HostProgram {
    const [program, ...args] = this.entering(...command)
    const stdio: ['ignore', 'pipe', 'pipe'] = ['ignore', 'pipe', 'pipe']
    return followed(spawn(program, args, { cwd: this.folder, env: this.environment(environment), stdio }))
  }

  /** Runs a shell line to its end, as root of this host. */
  run(line: string, environment: Record<string, string> = {}): Promise<HostEnded> {
    return this.start(['sh', '-c', line], environment).ended
  }

  /** Changes the address, like a new DHCP lease. */
  changeAddress(address: string): void {
    this.ip('address', 'delete', this.#address, 'dev', 'eth0')
    this.ip('address', 'add', address, 'dev', 'eth0')
    this.#address = address
  }

  ip(...args: string[]): string {
    return must('nsenter', ['--target', String(this.pid), '--net', 'ip', ...args])
  }

  /** Unplugs the cable. */
  cut(): void {
    must('nsenter', ['--target', String(this.#plugged), '--net', 'ip', 'link', 'set', portOf(this), 'down'])
  }

  restore(): void {
    must('nsenter', ['--target', String(this.#plugged), '--net', 'ip', 'link', 'set', portOf(this), 'up'])
  }

  /** Plugs the cable into another host; returns the name of the network device there. */
  plugInto(other: Host): string {
    this.#replug(other.pid)
    return portOf(this)
  }

  #replug(pid: number) {
    this.cut()
    const from = ['--target', String(this.#plugged), '--net']
    must('nsenter', [...from, 'ip', 'link', 'set', portOf(this), 'netns', String(pid)])
    this.#plugged = pid
    this.restore()
  }

  /** Plugs the cable into the switch. */
  plugIntoSwitch(pid: number): void {
    if (this.#plugged !== pid) {
      this.#replug(pid)
    }
    must('nsenter', ['--target', String(pid), '--net', 'ip', 'link', 'set', portOf(this), 'master', 'lan', 'up'])
  }
}

/** Hosts on a common switch. */
export class Network {
  /** Folder shared by all hosts and this machine. */
  readonly folder: string
  readonly #switch: { pid: number; end(): Promise<void> }
  readonly #ends: (() => Promise<void>)[] = []

  private constructor(folder: string, lan: { pid: number; end(): Promise<void> }) {
    this.folder = folder
    this.#switch = lan
  }

  static async create(): Promise<Network> {
    const folder = mkdtempSync(join(tmpdir(), 'farhand-network-'))
    return new Network(folder, await hold(bootSwitch, folder))
  }

  /** Creates a host on the switch without a router; `address` is such as `10.77.0.10/24`. */
  async host(name: string, address: string): Promise<Host> {
    const folder = join(this.folder, name)
    mkdirSync(join(folder, 'home'), { recursive: true, mode: 0o700 })
    const { pid, end } = await hold(bootHost, folder, name)
    this.#ends.push(end)
    const host = new Host(name, folder, pid, this.#switch.pid, address)
    const cable = ['link', 'add', portOf(host), 'type', 'veth', 'peer', 'name', 'eth0', 'netns', String(pid)]
    must('nsenter', ['--target', String(this.#switch.pid), '--net', 'ip', ...cable])
    this.plug(host)
    host.ip('link', 'set', 'eth0', 'up')
    host.ip('address', 'add', address, 'dev', 'eth0')
    return host
  }

  /** Plugs the cable of a host into the switch. */
  plug(host: Host): void {
    host.plugIntoSwitch(this.#switch.pid)
  }

  /** Joins two addresses, as `host-door.ts` reads them, until the host ends. */
  async #join(host: Host, from: string, to: string): Promise<void> {
    const program = host.start([process.execPath, doorProgram, from, to])
    const isOpen = async () => {
      while (!program.output().includes('open')) {
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
      return true
    }
    if (!(await Promise.race([isOpen(), program.ended.then(() => false)]))) {
      throw new Error(`No door from ${from} to ${to}: ${program.output()}`)
    }
  }

  /**
   * Path of a Unix socket that leads to a port reachable from `host`. Programs connect to the path from every host,
   * because a Unix socket belongs to no network.
   */
  async door(host: Host, port: number, address = '127.0.0.1'): Promise<string> {
    const path = join(host.folder, `${address}-${port}.door`)
    await this.#join(host, path, `${address}:${port}`)
    return path
  }

  /** Opens a port of a host that leads to the Unix socket of a program elsewhere. */
  async openPort(host: Host, port: number, path: string): Promise<void> {
    await this.#join(host, `0.0.0.0:${port}`, path)
  }

  /** Port of this machine that leads to a port on a host's loopback. */
  async window(host: Host, port: number): Promise<string> {
    const path = await this.door(host, port)
    const server = createServer((socket) => {
      const inside = connect(path)
      socket.pipe(inside).pipe(socket)
      socket.on('error', () => inside.destroy()).on('close', () => inside.destroy())
      inside.on('error', () => socket.destroy()).on('close', () => socket.destroy())
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    this.#ends.push(async () => void server.close())
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  /** Ends all hosts with their processes, and deletes their files. */
  async stop(): Promise<void> {
    await Promise.all(this.#ends.map((end) => end()))
    await this.#switch.end()
  }
}
