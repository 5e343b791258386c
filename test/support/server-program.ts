import { join } from 'node:path'
import { root } from '../../tools/processes.mjs'
import { isStale } from '../../tools/stale.mjs'

const built = join(root, 'dist/server/main.js')

/** Program of the server, for a process of its own: the built one, which starts in half of the time, unless it is stale. */
export const serverProgram = isStale(
  built,
  ['server', 'shared'].map((folder) => join(root, folder)),
)
  ? join(root, 'server/main.ts')
  : built
