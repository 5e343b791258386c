import { spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import type { CommandLine } from '../../base/command-line.ts'
import type { OutlivingProcess, ProcessRules } from '../platform.ts'
import { watched } from '../spawned-process.ts'

/** Signals a process group; a spawned process leads the group that has its id. */
function signalGroup(pid: number, signal: NodeJS.Signals) {
  try {
    process.kill(-pid, signal)
  } catch {
    // The processes have already exited.
  }
}

async function startOutliving([program, ...args]: CommandLine, outputFile = '/dev/null'): Promise<OutlivingProcess> {
  const output = openSync(outputFile, 'a', 0o600)
  const child = spawn(program, args, { detached: true, stdio: ['ignore', output, output], cwd: '/' })
  const { ended } = watched(child)
  child.unref()
  closeSync(output)
  return { ended }
}

export const unixProcesses: ProcessRules = { hasGroups: true, signalGroup, killTree: signalGroup, startOutliving }
