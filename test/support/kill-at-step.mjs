/**
 * Preloaded into the agent that installs itself: kills its process group before the step that FARHAND_KILL_AT names. A step
 * is a change of the file system; those of the installer script are counted in the same file by the programs that it runs.
 */
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

const { FARHAND_STEPS: steps = '', FARHAND_KILL_AT: killAt } = process.env
const { appendFileSync, statSync } = fs

if (process.argv[2] === 'install') {
  for (const name of ['renameSync', 'symlinkSync', 'linkSync', 'copyFileSync', 'rmSync', 'mkdirSync', 'openSync']) {
    const original = fs[name]
    fs[name] = (...args) => {
      const isChange = name !== 'openSync' || args[1] === 'w'
      if (isChange) {
        appendFileSync(steps, `${name} ${args[0]}\n`.slice(-99).padStart(100))
        if (statSync(steps).size === 100 * Number(killAt)) {
          process.kill(0, 'SIGKILL')
        }
      }
      return original(...args)
    }
  }
  syncBuiltinESMExports()
}
