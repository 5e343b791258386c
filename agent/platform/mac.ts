import { totalmem } from 'node:os'
import type { MountedDrive, Platform } from './platform.ts'
import { unixCommandLine, unixShells } from './unix-shells.ts'
import { findMacDesktops } from './mac-desktops.ts'
import { runTool } from '../base/run-tool.ts'

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

export const mac: Platform = {
  system: 3,
  systemDrive: '/',
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
  fixedDrives: async () => drivesIn(await runTool('/sbin/mount')),
  currentUsers: async () => usersIn(await runTool('/usr/bin/who')),
  findDesktops: findMacDesktops,
  isVirtualInterface: (name) => /^(utun|awdl|llw|bridge|gif|stf|anpi|ap\d)/.test(name),
  shells: unixShells,
  scriptCommand: (file, args) => ['/bin/sh', file, ...args],
  commandLine: unixCommandLine,
  powerCommand: (change) => ['/sbin/shutdown', change === 'restart' ? '-r' : '-h', 'now'],
}
