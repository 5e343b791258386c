import { spawnSync } from 'node:child_process'
import { agentProgram } from './built-programs.ts'

/** Unprivileged user of this machine. */
export const somebody = { uid: 65_534, gid: 65_534 }

/** Whether tests can act as that user: requires root on Linux, with a Node and a checkout that others may read. */
export const canActAsSomebody =
  process.platform === 'linux' &&
  process.getuid?.() === 0 &&
  spawnSync(process.execPath, [agentProgram, '--version'], { ...somebody, cwd: '/' }).status === 0
