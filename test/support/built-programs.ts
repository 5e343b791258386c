import { join } from 'node:path'
import { root } from '../../tools/processes.mjs'
import { isStale } from '../../tools/stale.mjs'

const at = (path: string) => join(root, path)

/** The built program, which starts in half of the time, or the source if a file of it is newer. */
const newestOf = (name: 'server' | 'agent') =>
  isStale(at(`dist/${name}/main.js`), [at(name), at('shared')]) ? at(`${name}/main.ts`) : at(`dist/${name}/main.js`)

/** Programs to start in processes of their own. */
export const serverProgram = newestOf('server')
export const agentProgram = newestOf('agent')
