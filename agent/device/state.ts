import { readFileSync, rmSync } from 'node:fs'
import { bestEffort } from '../base/best-effort.ts'
import { machineName } from './facts.ts'
import { writeFileAtomically } from '../base/write-file.ts'
import { makePrivateFolder } from '../platform/folders.ts'
import type { Paths } from '../base/paths.ts'
import { platform } from '../platform/index.ts'
import { UserError } from '../base/errors.ts'
import type { ServerAccess } from '../trust/access.ts'

/** State of a running agent, for `status` and `install`. */
export interface AgentState {
  pid: number
  state: 'connecting' | 'online' | 'refused'
  deviceName: string
  /** Address of the server, or the address the agent is trying. */
  serverUri: string
  /** Reason why the agent is not online. */
  detail: string
  /** Start of this state, not the time of the last write. */
  sinceMs: number
}

const readText = (file: string) => {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/**
 * Returns whether the process exists and, if the system reports programs, is an agent: process ids are reused after a
 * restart.
 */
function isAgentProcess(pid: number) {
  try {
    process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
  const args = platform.processes.argumentsOf?.(pid)
  return args === undefined || /\bmain\.[jt]s\0.*\brun\b/s.test(args)
}

/** Process id of the agent that serves this data folder, if running. */
export function runningPid({ pidFile }: Paths): number | undefined {
  const pid = Number(readText(pidFile).trim())
  return pid > 0 && pid !== process.pid && isAgentProcess(pid) ? pid : undefined
}

/** Reads the state of the running agent; undefined without a running agent. */
export function readState(paths: Paths): AgentState | undefined {
  const pid = runningPid(paths)
  const text = readText(paths.stateFile)
  const state = text === '' ? undefined : (JSON.parse(text) as AgentState)
  return state?.pid === pid ? state : undefined
}

/** Claims the data folder for this process. Throws `UserError` if another agent serves the folder. */
export function claimFolder(paths: Paths): () => void {
  const pid = runningPid(paths)
  if (pid) {
    throw new UserError(
      `Another agent (process ${pid}) already serves ${paths.settingsFolder}. Use "uninstall" to stop it, or another ` +
        `--instance-id or --data-dir to run a second one.`,
    )
  }
  makePrivateFolder(paths.settingsFolder)
  bestEffort(() => writeFileAtomically(paths.pidFile, `${process.pid}\n`))
  return () => [paths.pidFile, paths.stateFile].forEach((file) => bestEffort(() => rmSync(file, { force: true })))
}

export function stateWriter(paths: Paths, access: Pick<ServerAccess, 'origin'>) {
  let current: Pick<AgentState, 'state' | 'sinceMs'> | undefined
  return (state: AgentState['state'], detail = '') => {
    // Each report writes the state again; an unchanged state keeps its start.
    current = current?.state === state ? current : { state, sinceMs: Date.now() }
    const written: AgentState = {
      ...current,
      pid: process.pid,
      deviceName: machineName(),
      serverUri: access.origin,
      detail,
    }
    bestEffort(() => writeFileAtomically(paths.stateFile, JSON.stringify(written)))
  }
}
