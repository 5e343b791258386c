import { randomUUID } from 'node:crypto'
import { formatKey } from '../../server/credentials/key-format.ts'

/** Settings that create an unrestricted service account on a fresh server, and its headers. */
export function serviceAccount() {
  const id = randomUUID()
  const secret = randomUUID() + randomUUID()
  return {
    settings: {
      Service_Bootstrap__ServerServiceAccountName: 'Benchmark',
      Service_Bootstrap__ServerServiceAccountTokenId: id,
      Service_Bootstrap__ServerServiceAccountTokenSecret: secret,
    },
    headers: { 'x-api-key': formatKey({ id, secret }) },
  }
}
