import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import type { Options } from '../base/arguments.ts'
import { isRoot } from '../base/environment.ts'
import { platform } from '../platform/index.ts'
import { pathsFor } from '../platform/paths.ts'

/** Uid of a process if the process is a running agent. */
function agentOwner(pid: string): number | undefined {
  try {
    const isAgent = /\bmain\.[jt]s\0run\b/.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8'))
    return isAgent ? statSync(`/proc/${pid}`).uid : undefined
  } catch {
    // The process has ended, or is hidden from us.
    return undefined
  }
}

/** Describes an agent on this device that this user did not install; undefined if none is visible. */
export function foreignAgent({ instanceId, dataDir }: Options): string | undefined {
  if (dataDir || !platform.program.allowsUserInstallations) {
    return undefined
  }
  const ofSystem = pathsFor({ ...(instanceId && { instanceId }) }, platform, true)
  if (!isRoot && existsSync(ofSystem.programFolder)) {
    return `The agent of this device is installed for the whole system, in ${ofSystem.programFolder}. Run this as root (sudo).`
  }
  const processes = existsSync('/proc') ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : []
  for (const pid of processes) {
    const uid = agentOwner(pid)
    if (uid !== undefined && uid !== process.getuid?.()) {
      return (
        `The agent that runs here (process ${pid}) belongs to the user with the number ${uid}. ` +
        `Run this as that user: sudo -u '#${uid}' -H followed by this command.`
      )
    }
  }
  return undefined
}
