import type { BatchKind } from '../../shared/dtos/batch.ts'
import type { NewEvent } from '../events/stored-events.ts'
import type { Actor } from '../ground/actor.ts'

interface EndedJob {
  id: string
  kind: BatchKind
  devices: number
  at: number
  isInterrupted: boolean
}

type Starter = Pick<Actor, 'type' | 'id'> & { source: Pick<Actor['source'], 'name' | 'tenantId'> }

export const jobEnded = (
  { id, kind, devices, at, isInterrupted }: EndedJob,
  { type, id: actorId, source: { name, tenantId } }: Starter,
): NewEvent => ({
  at,
  kind: 'job.ended',
  tenantId,
  subject: id,
  actorId,
  data: JSON.stringify({ job: kind, devices, actor: { kind: type, id: actorId, name }, isInterrupted }),
})

/** Starter of a batch by its owner key; a token with rights of its own is nobody's account. */
export function starterOf(owner: string): Starter {
  const [kind, id = null] = owner.split(' ')
  const type = kind === 'User' ? 'user' : 'service-account'
  return { type, id: kind === 'User' || kind === 'ServiceAccount' ? id : null, source: { name: null, tenantId: null } }
}
