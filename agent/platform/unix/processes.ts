import type { ProcessRules } from '../platform.ts'

/** Signals a process group; a spawned process leads the group that has its id. */
function signalGroup(pid: number, signal: NodeJS.Signals) {
  try {
    process.kill(-pid, signal)
  } catch {
    // The processes have already exited.
  }
}

export const unixProcesses: ProcessRules = { hasGroups: true, signalGroup, killTree: signalGroup }
