import { execFile } from 'node:child_process'
import { access, readFile } from 'node:fs/promises'
import type { FirewallDto } from '../../shared/dtos/network.ts'
import { systemName } from '../ground/system.ts'
import { systemFolders } from '../settings/config.ts'

/** Queries of this machine, replaced in tests. */
export interface Machine {
  system: NodeJS.Platform
  /** Path of the listening program, for the firewall of macOS. */
  program: string
  /** Folder of Windows. */
  windows: string
  hasFile(path: string): Promise<boolean>
  /** Text of a file; empty for an unreadable file. */
  read(path: string): Promise<string>
  /** Exit status and output of a program; undefined for a program that cannot be started. */
  run(program: string, args: readonly string[]): Promise<{ status: number; output: string } | undefined>
}

const programLimitMs = 3_000

export const thisMachine: Machine = {
  system: systemName,
  program: process.execPath,
  windows: systemFolders().windows,
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

/** Folders of programs that only administrators use. */
const programFolders = ['/usr/sbin', '/sbin', '/usr/bin', '/bin', '/usr/local/sbin', '/usr/local/bin']

const isInstalled = async ({ hasFile }: Machine, name: string) => {
  const found = await Promise.all(programFolders.map((folder) => hasFile(`${folder}/${name}`)))
  return found.includes(true)
}

/** Whether a systemd service runs; undefined without systemd. */
async function isRunning({ run }: Machine, service: string): Promise<boolean | undefined> {
  const answer = await run('systemctl', ['is-active', service])
  // Prints another word, with a status above 0, where systemd is installed but is not the init system.
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
 * Firewall of a Linux system. Only root can read its rules, so a firewall enabled at boot counts as active. Machines
 * without ufw and firewalld may have rules of their own.
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

/** PowerShell command for administrators. Networks in the public profile remain blocked. */
const windowsCommand = (port: number) =>
  `New-NetFirewallRule -DisplayName 'Farhand' -Direction Inbound -Action Allow -Protocol TCP -LocalPort ${port} -Profile Private,Domain`

/** Switches of the firewall by kind of network, as the owner set them, and as a company's policy does. */
const windowsSwitches = [
  String.raw`HKLM\SYSTEM\CurrentControlSet\Services\SharedAccess\Parameters\FirewallPolicy`,
  String.raw`HKLM\SOFTWARE\Policies\Microsoft\WindowsFirewall`,
]

/** Firewall of Windows; counts as active if it is on for any kind of network. */
async function windowsFirewall({ run, windows }: Machine, port: number): Promise<FirewallDto> {
  const answers = await Promise.all(
    windowsSwitches.map((key) => run(`${windows}\\System32\\reg.exe`, ['query', key, '/s', '/v', 'EnableFirewall'])),
  )
  const values = answers.flatMap((answer) => answer?.output.match(/REG_DWORD\s+0x\d+/g) ?? [])
  const isActive = values.length === 0 ? null : values.some((value) => !value.endsWith('0x0'))
  return { firewall: 'windows', isActive, command: isActive === false ? null : windowsCommand(port) }
}

const socketFilter = '/usr/libexec/ApplicationFirewall/socketfilterfw'

/** Firewall of macOS, which allows programs, not ports. */
async function macFirewall({ run, program }: Machine): Promise<FirewallDto> {
  const state = await run(socketFilter, ['--getglobalstate'])
  const number = /State = (\d)/.exec(state?.output ?? '')?.[1]
  const isActive = number === undefined ? null : number !== '0'
  const quoted = `'${program.replaceAll("'", String.raw`'\''`)}'`
  const command = `sudo ${socketFilter} --add ${quoted} && sudo ${socketFilter} --unblockapp ${quoted}`
  return { firewall: 'macos', isActive, command: isActive === false ? null : command }
}

const firewalls: Partial<Record<NodeJS.Platform, typeof linuxFirewall>> = {
  darwin: macFirewall,
  win32: windowsFirewall,
}

/** Firewall of this machine, with the command that opens a port. */
export async function firewallOf(port: number, machine: Machine = thisMachine): Promise<FirewallDto> {
  const find = firewalls[machine.system] ?? linuxFirewall
  return find(machine, port)
}
