import type { Transaction } from 'sequelize'
import type { App, OpenCall } from '../call/call.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import { withParent } from './customer-sites.ts'

type Scope = 'customerId' | 'tagId'

interface Scoped {
  customerId: string | null
  tagId: string | null
}

/** Tags of a device, and its customers: a site before the customer that it belongs to. */
export interface PolicyPlace {
  tagIds: readonly string[]
  customerIds: readonly string[]
}

/** Test whether a policy holds at a place. Policies of a customer hold for its sites, too. */
export const holdsAt =
  ({ tagIds, customerIds }: PolicyPlace) =>
  ({ customerId, tagId }: Scoped): boolean =>
    (customerId === null || customerIds.includes(customerId)) && (tagId === null || tagIds.includes(tagId))

export const placeOf = async (
  app: App,
  { tagIds, customerId }: Pick<DeviceState, 'tagIds' | 'customerId'>,
): Promise<PolicyPlace> => ({ tagIds, customerIds: await withParent(app, customerId) })

const of = (scope: Scope, id: string) => (scope === 'tagId' ? { tagId: id } : { customerId: id })

/** Moves the policies of a customer or a tag that is merged into another: the database deletes the others with it. */
export async function movePolicies(
  { models }: App,
  transaction: Transaction,
  scope: Scope,
  id: string,
  intoId: string,
): Promise<void> {
  const { ConsentPolicy, RecordingPolicy } = models
  await ConsentPolicy.update(of(scope, intoId), { where: of(scope, id), transaction })
  const moved = await RecordingPolicy.findOne({ where: of(scope, id), transaction })
  const known = await RecordingPolicy.findOne({ where: of(scope, intoId), transaction })
  // A customer or a tag has one policy of recordings; the stricter one stays.
  if (moved && (!known || moved.mode === 'always')) {
    await known?.destroy({ transaction })
    await moved.update(of(scope, intoId), { transaction })
  }
}

/** Records the policies of consent and recordings that the database deletes with their customer or tag (T46). */
export async function recordLostPolicies(
  { app, actor }: OpenCall,
  transaction: Transaction,
  scope: Scope,
  scopeId: string,
): Promise<void> {
  const lost = await app.models.ConsentPolicy.findAll({ where: of(scope, scopeId), transaction })
  const lostRecording = await app.models.RecordingPolicy.findAll({ where: of(scope, scopeId), transaction })
  await app.audit.recordIn(
    transaction,
    actor,
    lostRecording.map(({ tenantId, mode }) => ({
      kind: 'recording.policies-changed',
      tenantId,
      details: { policies: `${scopeId}: ${mode}, deleted with its ${scope === 'tagId' ? 'tag' : 'customer'}` },
    })),
  )
  await app.audit.recordIn(
    transaction,
    actor,
    lost.map(({ tenantId, id, name }) => ({
      kind: 'settings.consent-policy-deleted',
      tenantId,
      target: { kind: 'setting', id, name },
    })),
  )
}
