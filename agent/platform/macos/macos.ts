import { totalmem } from 'node:os'
import { join } from 'node:path'
import { environment, isRoot } from '../../base/environment.ts'
import { runTool } from '../../base/run-tool.ts'
import type { MountedDrive, Platform } from '../platform.ts'
import { channelToAgent } from '../unix/agent-channel.ts'
import { unixFiles } from '../unix/files.ts'
import { unixProcesses } from '../unix/processes.ts'
import { unixProgram } from '../unix/program.ts'
import { unixCommandLine } from '../unix/shells.ts'
import { loginShellOf, unixTerminals } from '../unix/terminals.ts'
import { macConnector } from './desktop/connector.ts'
import { findMacDesktops } from './desktops.ts'
import { launchd } from './launchd.ts'
import { UserError } from '../../base/errors.ts'

/**
 * Rejects for an agent of root: macOS has no path that stays bound to an open folder, so that its user could lead the
 * files elsewhere (T32). An agent of the user writes what that user may write.
 */
async function folderOwner(): Promise<undefined> {
  if (isRoot) {
    throw new UserError(
      'On macOS an agent that runs as root writes no files into the folder of a person. Name another folder, or send them on the Files tab.',
    )
  }
}

/** Matches lines such as `/dev/disk3s1s1 on / (apfs, sealed, local, read-only)`. */
const mountPattern = /^(\/dev\/\S+) on (.+) \((\w+), ([^)]*)\)$/

/** Parses the visible drives from the output of `mount`. */
export const drivesIn = (output: string): MountedDrive[] =>
  output.split('\n').flatMap((line) => {
    const [, , rootDirectory = '', driveFormat = '', flags = ''] = mountPattern.exec(line) ?? []
    // Exclude the system's helper volumes, which share the space of a visible volume.
    const isShown = rootDirectory !== '' && /\blocal\b/.test(flags) && !/\bnobrowse\b/.test(flags)
    return isShown
      ? [{ rootDirectory, driveFormat, volumeLabel: rootDirectory.split('/').at(-1) || 'Macintosh HD' }]
      : []
  })

/** Parses the memory available to programs, in bytes, from the output of `vm_stat`. */
export function availableBytesIn(text: string): number {
  const pageBytes = Number(/page size of (\d+) bytes/.exec(text)?.[1] ?? 4096)
  const pages = (name: string) => Number(new RegExp(`^Pages ${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0)
  return (pages('free') + pages('inactive') + pages('speculative') + pages('purgeable')) * pageBytes
}

/** Parses signed-in users from the output of `who`. */
export const usersIn = (output: string): string[] =>
  [...new Set(output.split('\n').map((line) => line.replace(/\s.*$/, '')))].filter((name) => name !== '').sort()

const fixedDrives = async () => drivesIn(await runTool('/sbin/mount'))

/** Replaces root's `/bin/sh` by zsh, the default on macOS since 2019. */
export const macShellOf = (ofUser: string, isThere?: (file: string) => boolean): string =>
  loginShellOf(ofUser === '/bin/sh' ? '' : ofUser, ['/bin/zsh'], isThere)

const browserNames = ['Google Chrome', 'Chromium', 'Microsoft Edge', 'Brave Browser', 'Vivaldi']

export const macos: Platform = {
  system: 3,
  systemDrive: '/',
  files: {
    ...unixFiles('/Library/Application Support'),
    namesAreBytes: false,
    hasHeldPaths: false,
    folderOwner,
    rootFolders: async () => ['/', ...(await fixedDrives()).map(({ rootDirectory }) => rootDirectory)],
    // Privacy protection of macOS denies access even to root until a person at the Mac allows it.
    deniedAdvice:
      '. macOS lets the agent in there once somebody at the Mac allows "node": System Settings, Privacy & Security, ' +
      'Full Disk Access',
  },
  processes: unixProcesses,
  terminals: unixTerminals('en_US.UTF-8', (ofUser) => macShellOf(ofUser)),
  program: {
    ...unixProgram,
    // macOS stores permissions by the path of the program, so `node` stays a file in one place. Each of our Node versions
    // runs each version of the agent, so the two need not be switched together.
    copiedEntries: ['node'],
    runtimes: { arm64: 'osx-arm64', x64: 'osx-x64' },
    serviceManagers: [launchd],
  },
  desktops: {
    find: findMacDesktops,
    dropFolder: () => Promise.resolve(join(environment.home, 'Desktop')),
    connector: macConnector,
    channelToAgent,
    browsers: () => ({
      chromiums: browserNames.map((name) => `/Applications/${name}.app/Contents/MacOS/${name}`),
      opener: ['/usr/bin/open'],
    }),
  },
  async osDescription() {
    const [name, version] = await Promise.all([
      runTool('/usr/bin/sw_vers', '-productName'),
      runTool('/usr/bin/sw_vers', '-productVersion'),
    ])
    return `${name.trim() || 'macOS'} ${version.trim()}`.trim()
  },
  async memory() {
    const availableBytes = availableBytesIn(await runTool('/usr/bin/vm_stat'))
    return { totalBytes: totalmem(), usedBytes: Math.max(0, totalmem() - availableBytes) }
  },
  fixedDrives,
  currentUsers: async () => usersIn(await runTool('/usr/bin/who')),
  isVirtualInterface: (name) => /^(utun|awdl|llw|bridge|gif|stf|anpi|ap\d)/.test(name),
  scriptCommand: (file, args) => ['/bin/sh', file, ...args],
  commandLine: unixCommandLine,
  // The others need the session of a person.
  powerVariants: async () => ['sleep'],
  powerVariant: async (change) => (change === 'sleep' ? [['/usr/bin/pmset', 'sleepnow']] : undefined),
  powerCommand: (change) => ['/sbin/shutdown', change === 'restart' ? '-r' : '-h', 'now'],
}
