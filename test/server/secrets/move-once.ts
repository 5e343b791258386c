/** Moves the secrets of a folder once, in a process of its own. Arguments: folder, place. */
import { moveSecrets } from '../../../server/backup/move-secrets.ts'
import { createLog } from '../../../server/log.ts'

const [folder = '', place = ''] = process.argv.slice(2)
const log = createLog({ default: 'None' })
const answer = await moveSecrets(folder, place === 'file' ? 'file' : 'keychain', log).then(
  ([line]) => ({ line }),
  ({ message }: Error) => ({ error: message }),
)
console.log(JSON.stringify(answer))
