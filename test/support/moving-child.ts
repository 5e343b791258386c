/** Moves a data folder, and waits for a line on standard input before the folder is renamed. */
import { once } from 'node:events'
import promises from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { createLog } from '../../server/ground/log.ts'

const [, , from = '', to = ''] = process.argv
const { rename } = promises
promises.rename = async (source, target) => {
  if (source === from) {
    process.stdout.write('renaming\n')
    await once(process.stdin, 'data')
  }
  return rename(source, target)
}
syncBuiltinESMExports()
const { moveDataFolder } = await import('../../server/backup/move-folder.ts')
await moveDataFolder(from, to, createLog({ default: 'None' }))
process.stdout.write('moved\n')
process.exit(0)
