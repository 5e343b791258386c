import { existsSync, readFileSync } from 'node:fs'
import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import { release } from 'node:os'
import { basename, join } from 'node:path'
import { programFolders } from '../../base/environment.ts'
import { runTool } from '../../base/run-tool.ts'
import type { MountedDrive, Platform } from '../platform.ts'
import { channelToAgent } from '../unix/agent-channel.ts'
import { unixFiles } from '../unix/files.ts'
import { unixProcesses } from '../unix/processes.ts'
import { unixProgram } from '../unix/program.ts'
import { unixCommandLine } from '../unix/shells.ts'
import { loginShellOf, unixTerminals } from '../unix/terminals.ts'
import { ownerOfConnection } from './connections.ts'
import { discoverDesktops } from './desktops/discover.ts'
import { withLauncher } from './desktops/launcher.ts'
import { dropFolder } from './drop-folder.ts'
import { folderOwner } from './folder-owner.ts'
import { openrc } from './openrc.ts'
import { lockProblem, powerVariant, powerVariants } from './power-variant.ts'
import { systemd } from './systemd.ts'
import { keepX11Blank, linuxConnector } from './connector.ts'

const readText = (file: string) => readFile(file, 'utf8').catch(() => '')

/** Decodes the octal escapes of `/proc/mounts` for blanks and backslashes. */
const unescapeMount = (text: string) =>
  text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)))

/** Returns whether a block device, or the disk of a partition, is removable. */
async function isRemovable(device: string) {
  const folder = await realpath(`/sys/class/block/${basename(device)}`).catch(() => '')
  const flags = await Promise.all([readText(`${folder}/removable`), readText(`${folder}/../removable`)])
  return flags.some((flag) => flag.trim() === '1')
}

/**
 * Parses drives from a text like `/proc/mounts`. Always includes the root, which a chroot and some containers do not
 * list.
 */
export async function drivesIn(mountTable: string): Promise<MountedDrive[]> {
  const mounts = mountTable
    .split('\n')
    .map((line) => line.split(' ').map(unescapeMount))
    .map(([device = '', root = '', format = '']) => ({ device, root, format }))
  // The root may be an overlay (containers) or have no device of its own; other real drives are block devices.
  const candidates = mounts
    .filter(({ device, root, format }) => root === '/' || format === 'zfs' || /^\/dev\/(?!loop|fuse)/.test(device))
    .filter(({ format }) => format !== 'squashfs' && format !== 'rootfs' && format !== 'iso9660')
    .toSorted((a, b) => a.root.length - b.root.length)
  const drives = new Map<string, MountedDrive>()
  for (const { device, root, format } of candidates) {
    const isFolder = (await stat(root).catch(() => undefined))?.isDirectory()
    // A device mounted in several places counts as one drive; containers also mount it on single files such as
    // /etc/hosts.
    if (isFolder && !drives.has(device) && (root === '/' || !(await isRemovable(device)))) {
      drives.set(device, { rootDirectory: root, driveFormat: format, volumeLabel: root })
    }
  }
  const found = [...drives.values()]
  const hasRoot = found.some(({ rootDirectory }) => rootDirectory === '/')
  return hasRoot ? found : [{ rootDirectory: '/', driveFormat: '', volumeLabel: '/' }, ...found]
}

const recordBytes = 384
const userProcess = 7

/** Reads sessions from utmp (the file of `who`): records of 384 bytes on all known architectures. */
async function utmpUsers() {
  const records = await readFile('/var/run/utmp').catch(() => Buffer.alloc(0))
  const users: string[] = []
  for (let at = 0; at + recordBytes <= records.length; at += recordBytes) {
    if (records.readInt16LE(at) === userProcess) {
      users.push(records.toString('utf8', at + 44, at + 76).replace(/\0.*$/s, ''))
    }
  }
  return users
}

/** Reads sessions from systemd-logind, which newer systems use instead of utmp. */
async function logindUsers() {
  const sessions = await readdir('/run/systemd/sessions').catch(() => [])
  const texts = await Promise.all(sessions.map((name) => readText(`/run/systemd/sessions/${name}`)))
  return texts
    .filter((text) => /^CLASS=user$/m.test(text) && !/^STATE=closing$/m.test(text))
    .map((text) => /^USER=(.*)$/m.exec(text)?.[1] ?? '')
}

/** Limit for a display that does not answer: a report waits for it. */
const desktopLimitMs = 1_000

/** Reads the users of open desktops: a display without a login (Xvfb, VNC, containers) is in neither list of sessions. */
async function desktopUsers() {
  const desktops = await Promise.all(await discoverDesktops(undefined, desktopLimitMs))
  return desktops.flatMap((desktop) => (desktop?.isSignedIn ? desktop.username : []))
}

async function osDescription() {
  const name = /^PRETTY_NAME="?(.*?)"?$/m.exec(
    (await readText('/etc/os-release')) || (await readText('/usr/lib/os-release')),
  )
  return name?.[1] ?? `Linux ${release()}`
}

async function memory() {
  const text = await readText('/proc/meminfo')
  const bytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0) * 1024
  return { totalBytes: bytes('MemTotal'), usedBytes: bytes('MemTotal') - bytes('MemAvailable') }
}

/** Reads the reason from systemd's job for the shutdown target. */
async function stopReason() {
  const jobs = existsSync('/run/systemd/system') ? await runTool('systemctl', 'list-jobs', '--no-legend') : ''
  return /\breboot\.target\b/.test(jobs) ? 'Restart' : /\b(poweroff|halt)\.target\b/.test(jobs) ? 'Shutdown' : 'Stopped'
}

const fixedDrives = async () => await drivesIn(await readText('/proc/mounts'))

function argumentsOf(pid: number) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

const browserNames = [
  'google-chrome-stable',
  'google-chrome',
  'chromium',
  'chromium-browser',
  'microsoft-edge-stable',
  'microsoft-edge',
  'brave-browser',
  'vivaldi-stable',
]
const inProgramFolder = (name: string) =>
  programFolders.map((folder) => join(folder, name)).find((path) => existsSync(path))

export const linux: Platform = {
  system: 2,
  systemDrive: '/',
  files: {
    ...unixFiles('/usr/local/bin'),
    namesAreBytes: true,
    hasHeldPaths: true,
    folderOwner,
    rootFolders: async () => ['/', ...(await fixedDrives()).map(({ rootDirectory }) => rootDirectory)],
    deniedAdvice: '',
  },
  processes: { ...unixProcesses, argumentsOf, ownerOfConnection },
  terminals: unixTerminals('C.UTF-8', (ofUser) => loginShellOf(ofUser)),
  program: {
    ...unixProgram,
    runtimes: { x64: 'linux-x64', arm64: 'linux-arm64' },
    serviceManagers: [systemd, openrc],
  },
  desktops: {
    find: async () =>
      (await discoverDesktops()).map(async (found) => {
        const desktop = await found
        return desktop && withLauncher(desktop)
      }),
    dropFolder,
    connector: linuxConnector,
    keepBlank: keepX11Blank,
    channelToAgent,
    browsers() {
      const opener = inProgramFolder('xdg-open')
      return {
        chromiums: browserNames.map(inProgramFolder).filter((path) => path !== undefined),
        opener: opener === undefined ? undefined : [opener],
      }
    },
  },
  osDescription,
  memory,
  fixedDrives,
  async currentUsers() {
    const users = [...(await utmpUsers()), ...(await logindUsers()), ...(await desktopUsers())]
    return [...new Set(users)].filter((name) => name !== '').sort()
  },
  stopReason,
  isVirtualInterface: (name) =>
    /^(veth|docker|br-|virbr|cni|flannel|cali|tun|tap|wg|tailscale|zt|podman|lxc)/.test(name),
  scriptCommand: (file, args) => ['/bin/sh', file, ...args],
  commandLine: unixCommandLine,
  powerVariant,
  powerVariants: () => powerVariants(),
  lockProblem: (clock) => lockProblem(clock),
  powerCommand: (change) =>
    existsSync('/run/systemd/system')
      ? ['systemctl', change === 'restart' ? 'reboot' : 'poweroff']
      : ['/sbin/shutdown', change === 'restart' ? '-r' : '-h', 'now'],
}
