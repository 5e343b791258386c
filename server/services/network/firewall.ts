import { execFile } from 'node:child_process'
import { access, readFile } from 'node:fs/promises'
import type { FirewallDto } from '../../../shared/dtos/network.ts'

/** What is asked of this machine; tests answer in its place. */
export interface Machine {
  platform: NodeJS.Platform
  /** The program that listens, as a firewall of macOS knows it. */
  program: string
  hasFile(path: string): Promise<boolean>
  /** Text of a file; empty for one that cannot be read. */
  read(path: string): Promise<string>
  /** Exit status and output of a program; undefined where it cannot be started. */
  run(program: string, args: readonly string[]): Promise<{ status: number; output: string } | undefined>
}

const programLimitMs = 3_000

export const thisMachine: Machine = {
  platform: process.platform,
  program: process.execPath,
  hasFile: (path) =>
    access(path).then(
      () => true,
      () => false,
    ),
  read: (path) => readFile(path, 'utf8').catch(() => ''),
  run: (program, args) =>
    new Promise((resolve) => {
      execFile(program, [...args], { timeout: programLimitMs, windowsHide: true }, (error, stdout) => {
        const status = error ? error.code : 0
        resolve(typeof status === 'number' ? { status, output: stdout } : undefined)
      })
    }),
}

/** Where systems keep the programs that only administrators use. */
const programFolders = ['/usr/sbin', '/sbin', '/usr/bin', '/bin', '/usr/local/sbin', '/usr/local/bin']

const isInstalled = async ({ hasFile }: Machine, name: string) => {
  const found = await Promise.all(programFolders.map((folder) => hasFile(`${folder}/${name}`)))
  return found.includes(true)
}

/** Whether a service of systemd runs; undefined without systemd. */
async function isRunning({ run }: Machine, service: string): Promise<boolean | undefined> {
  const answer = await run('systemctl', ['is-active', service])
  // Another word is said, with a status above 0, also where systemd is installed and is not what runs the machine.
  return answer && /^(active|inactive|failed)\s*$/.test(answer.output) ? answer.output.trim() === 'active' : undefined
}

const commands = {
  ufw: (port: number) => `sudo ufw allow ${port}/tcp comment Farhand`,
  firewalld: (port: number) =>
    `sudo firewall-cmd --permanent --add-port=${port}/tcp --add-service=mdns && sudo firewall-cmd --reload`,
  nftables: (port: number) => `sudo nft insert rule inet filter input tcp dport ${port} accept`,
  iptables: (port: number) =>
    `sudo iptables -I INPUT -p tcp --dport ${port} -j ACCEPT && sudo ip6tables -I INPUT -p tcp --dport ${port} -j ACCEPT`,
}

/**
 * The firewall of a Linux system. Its rules are for root to read, so what runs at start is taken for what is active; a
 * machine with neither of the two usual ones may have rules of its own.
 */
async function linuxFirewall(machine: Machine, port: number): Promise<FirewallDto> {
  if (await isInstalled(machine, 'firewall-cmd')) {
    const isActive = await isRunning(machine, 'firewalld')
    if (isActive !== false) {
      return { firewall: 'firewalld', isActive: isActive ?? null, command: commands.firewalld(port) }
    }
  }
  if (await isInstalled(machine, 'ufw')) {
    const isEnabled = /^\s*ENABLED\s*=\s*yes/im.test(await machine.read('/etc/ufw/ufw.conf'))
    if (isEnabled) {
      return { firewall: 'ufw', isActive: true, command: commands.ufw(port) }
    }
  }
  if (await isRunning(machine, 'nftables')) {
    return { firewall: 'nftables', isActive: true, command: commands.nftables(port) }
  }
  const hasOwnRules = await Promise.all(
    ['/etc/iptables/rules.v4', '/etc/sysconfig/iptables', '/etc/iptables/iptables.rules'].map(machine.hasFile),
  )
  return hasOwnRules.includes(true)
    ? { firewall: 'iptables', isActive: null, command: commands.iptables(port) }
    : { firewall: 'none', isActive: null, command: null }
}

/** In PowerShell, as administrator. Networks that Windows calls public stay closed. */
const windowsCommand = (port: number) =>
  `New-NetFirewallRule -DisplayName 'Farhand' -Direction Inbound -Action Allow -Protocol TCP -LocalPort ${port} -Profile Private,Domain`

const socketFilter = '/usr/libexec/ApplicationFirewall/socketfilterfw'

/** The one of macOS knows programs, not ports. */
async function macFirewall({ run, program }: Machine): Promise<FirewallDto> {
  const state = await run(socketFilter, ['--getglobalstate'])
  const number = /State = (\d)/.exec(state?.output ?? '')?.[1]
  const isActive = number === undefined ? null : number !== '0'
  const quoted = `'${program.replaceAll("'", String.raw`'\''`)}'`
  const command = `sudo ${socketFilter} --add ${quoted} && sudo ${socketFilter} --unblockapp ${quoted}`
  return { firewall: 'macos', isActive, command: isActive === false ? null : command }
}

/** What lets other computers reach a port of this machine. */
export async function firewallOf(port: number, machine: Machine = thisMachine): Promise<FirewallDto> {
  switch (machine.platform) {
    case 'win32':
      return { firewall: 'windows', isActive: null, command: windowsCommand(port) }
    case 'darwin':
      return macFirewall(machine)
    default:
      return linuxFirewall(machine, port)
  }
}
