import { spawnSync } from 'node:child_process'

/** Another user of this machine, without rights. */
export const somebody = { uid: 65_534, gid: 65_534 }

const agent = new URL('../../agent/main.ts', import.meta.url).pathname

/** Whether tests can act as that user: they run as root on Linux, with a Node and a checkout that others may read. */
export const canActAsSomebody =
  process.platform === 'linux' &&
  process.getuid?.() === 0 &&
  spawnSync(process.execPath, [agent, '--version'], { ...somebody, cwd: '/' }).status === 0
