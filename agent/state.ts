import { readFileSync, rmSync } from 'node:fs'
import { machineName } from './facts.ts'
import { writeFileAtomically } from './write-file.ts'
import { makePrivateFolder } from './folders.ts'
import type { Paths } from './paths.ts'
import { UserError } from './errors.ts'
import type { ServerAccess } from './trust/access.ts'

/** What a running agent tells `status` and `install` about itself. */
export interface AgentState {
  pid: number
  state: 'connecting' | 'online' | 'refused'
  deviceName: string
  /** Where it is or looks for its server. */
  serverUri: string
  /** Why it is not online. */
  detail: string
  sinceMs: number
}

const readText = (file: string) => {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/** Whether the process lives and, where the system tells, is an agent: ids are used again after a restart. */
function isAgentProcess(pid: number) {
  try {
    process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
  const commandLine = readText(`/proc/${pid}/cmdline`)
  return commandLine === '' ? process.platform !== 'linux' : /\bmain\.[jt]s\0.*\brun\b/s.test(commandLine)
}

/** Id of the agent process that serves this data folder, if one does. */
export function runningPid({ pidFile }: Paths): number | undefined {
  const pid = Number(readText(pidFile).trim())
  return pid > 0 && pid !== process.pid && isAgentProcess(pid) ? pid : undefined
}

/** The state written by the running agent; undefined when none runs. */
export function readState(paths: Paths): AgentState | undefined {
  const pid = runningPid(paths)
  const text = readText(paths.stateFile)
  const state = text === '' ? undefined : (JSON.parse(text) as AgentState)
  return state?.pid === pid ? state : undefined
}

/** Claims the data folder for this process. Throws `UserError` when another agent serves it. */
export function claimFolder(paths: Paths): () => void {
  const pid = runningPid(paths)
  if (pid) {
    throw new UserError(
      `Another agent (process ${pid}) already serves ${paths.settingsFolder}. Use "uninstall" to stop it, or another ` +
        `--instance-id or --data-dir to run a second one.`,
    )
  }
  makePrivateFolder(paths.settingsFolder)
  writeFileAtomically(paths.pidFile, `${process.pid}\n`)
  return () => {
    rmSync(paths.pidFile, { force: true })
    rmSync(paths.stateFile, { force: true })
  }
}

export function stateWriter(paths: Paths, access: Pick<ServerAccess, 'origin'>) {
  return (state: AgentState['state'], detail = '') =>
    writeFileAtomically(
      paths.stateFile,
      JSON.stringify({
        pid: process.pid,
        state,
        deviceName: machineName(),
        serverUri: access.origin,
        detail,
        sinceMs: Date.now(),
      } satisfies AgentState),
    )
}
