import { createHmac } from 'node:crypto'
import type { ClusterSecret } from '../../server/engines/cluster/secret.ts'

/** Secret of servers that a test makes without a database. */
export const clusterSecret: ClusterSecret = {
  sign: (text, purpose) => createHmac('sha256', 'key').update(`${purpose} ${text}`).digest(),
  seal: (text, purpose) => `${purpose} ${text}`,
  unseal: (sealed, purpose) => (sealed.startsWith(`${purpose} `) ? sealed.slice(purpose.length + 1) : undefined),
}
