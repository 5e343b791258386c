/** `node seal-once.ts DIRECTORY PREFERENCE seal|unseal TEXT`: uses the store like one start of the server. */
import { createLog } from '../../../../server/ground/log.ts'
import { openSecretStore } from '../../../../server/engines/secrets/open.ts'
import { openSealer } from '../../../../server/engines/secrets/sealer.ts'

const answer = (content: object) => process.stdout.write(JSON.stringify(content))

const [directory = '', preference, action, text = ''] = process.argv.slice(2)
try {
  const store = await openSecretStore({
    directory,
    preference: preference === 'keychain' ? 'keychain' : 'auto',
    log: createLog({ default: 'None' }),
  })
  const sealer = await openSealer(store)
  const result = action === 'seal' ? sealer.seal(text, 'here') : sealer.unseal(text, 'here').toString()
  answer({ kind: store.kind, result })
} catch (error) {
  answer({ error: error instanceof Error ? error.message : String(error) })
}
