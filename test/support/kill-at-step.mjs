/**
 * Preloaded into the agent that installs itself, the keeper of a server, and a process that places a program: kills its process group before the step that FARHAND_KILL_AT names. A step
 * is a change of the file system; those of the installer script are counted in the same file by the programs that it runs.
 */
import fs from 'node:fs'
import promises from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'

const { FARHAND_STEPS: steps = '', FARHAND_KILL_AT: killAt } = process.env
const { appendFileSync, statSync } = fs

/** Counts calls that change the file system, and kills before one. */
function count(target, names) {
  for (const name of names) {
    const original = target[name]
    target[name] = (...args) => {
      const isChange = !name.startsWith('open') || String(args[1]).startsWith('w')
      if (isChange) {
        appendFileSync(steps, `${name} ${args[0]}\n`.slice(-99).padStart(100))
        if (statSync(steps).size === 100 * Number(killAt)) {
          process.kill(0, 'SIGKILL')
        }
      }
      return original(...args)
    }
  }
}

// The children of a keeper have a channel to it.
if (['install', 'place'].includes(process.argv[2]) || (process.argv[2] === '--headless' && !process.channel)) {
  const linking = ['symlinkSync', 'linkSync', 'copyFileSync']
  count(fs, [...linking, 'renameSync', 'rmSync', 'mkdirSync', 'rmdirSync', 'openSync'])
  count(promises, ['rename', 'rm', 'mkdir', 'open'])
  syncBuiltinESMExports()
}
