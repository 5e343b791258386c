import { joinSecrets, shareSecrets } from '../../server/backup/share-secrets.ts'
import { createLog } from '../../server/ground/log.ts'

const log = createLog({ default: 'None' })

/** Gives a data folder the secrets of another server, as `secrets share` and `secrets join` do. */
export async function copySecrets(from: string, to: string): Promise<void> {
  const file = `${to}.secrets`
  const typed = await shareSecrets(from, file, { log, now: Date.now() })
  await joinSecrets(to, file, { typed, secretStore: 'file', log, now: Date.now() })
}
