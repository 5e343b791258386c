import { randomUUID } from 'node:crypto'
import type { RecordingMode, RecordingPolicyDto } from '../../shared/dtos/recording.ts'
import type { App, Call } from '../call/call.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import { invalid } from '../ground/errors.ts'
import { withParent } from '../organization/customer-sites.ts'
import { holdsAt, placeOf, type PolicyPlace } from '../organization/scoped-policies.ts'
import type { RecordingPolicyRow } from './tables.ts'

export const defaultRetentionDays = 90
export const defaultQuotaMegabytes = 20_000
const bytesPerMegabyte = 1_000_000

export const policiesOf = async ({ models }: Pick<App, 'models'>, tenantId: string): Promise<RecordingPolicyRow[]> =>
  (await models.RecordingPolicy.findAll({ where: { tenantId } })).map((row) => row.get({ plain: true }))

/**
 * Mode at a place among policies. `always` wins, so that nobody escapes it with a tag. Otherwise the most specific
 * policy applies: tag, site, customer, tenant; among tags `off` wins.
 */
export function modeAmong(
  policies: readonly Pick<RecordingPolicyRow, 'customerId' | 'tagId' | 'mode'>[],
  place: PolicyPlace,
): RecordingMode {
  const holding = policies.filter(holdsAt(place))
  const distanceOf = ({ customerId, tagId }: (typeof holding)[number]) =>
    tagId !== null ? -1 : customerId === null ? Infinity : place.customerIds.indexOf(customerId)
  const nearest = Math.min(...holding.map(distanceOf))
  const modes = holding.filter((policy) => distanceOf(policy) === nearest).map(({ mode }) => mode)
  if (holding.some(({ mode }) => mode === 'always')) {
    return 'always'
  }
  return modes.includes('off') ? 'off' : 'allowed'
}

/** Whether sessions on a device are recorded. */
export async function recordingMode(app: App, device: DeviceState): Promise<RecordingMode> {
  const policies = await policiesOf(app, device.tenantId)
  return policies.length === 0 ? 'allowed' : modeAmong(policies, await placeOf(app, device))
}

/** How long recordings are kept, and how much of the disk they may take. `customerIds`: a site before its customer. */
export function limitsFor(policies: readonly RecordingPolicyRow[], customerIds: readonly string[]) {
  const [ofTenant] = policies.filter((policy) => policy.tagId === null && policy.customerId === null)
  const ofCustomers = customerIds.flatMap((id) => policies.filter(({ customerId }) => customerId === id))
  const days = ofCustomers.flatMap(({ retentionDays }) => retentionDays ?? [])
  return {
    retentionDays: days[0] ?? ofTenant?.retentionDays ?? defaultRetentionDays,
    tenantBytes: (ofTenant?.quotaMegabytes ?? defaultQuotaMegabytes) * bytesPerMegabyte,
    /** Sites count for their customer too. */
    ofCustomers: ofCustomers.flatMap(({ customerId, quotaMegabytes }) =>
      customerId === null || quotaMegabytes === null
        ? []
        : [{ customerId, maxBytes: quotaMegabytes * bytesPerMegabyte }],
    ),
  }
}

/** Most bytes of a single recording: all the space that its customer or tenant has for recordings. */
export async function spaceFor(app: App, tenantId: string, customerId: string | null): Promise<number> {
  const limits = limitsFor(await policiesOf(app, tenantId), await withParent(app, customerId))
  return Math.min(limits.tenantBytes, ...limits.ofCustomers.map(({ maxBytes }) => maxBytes))
}

/** Throws 400 for two policies of the same things, and for things of another tenant. */
async function check({ models }: App, tenantId: string, policies: readonly RecordingPolicyDto[]) {
  const targets = policies.map(({ customerId, tagId }) => `${customerId} ${tagId}`)
  if (new Set(targets).size < targets.length) {
    throw invalid({ policies: ['Two policies are for the same devices.'] })
  }
  if (policies.some(({ customerId, tagId }) => customerId !== null && tagId !== null)) {
    throw invalid({ policies: ['A policy is for a customer or for a tag.'] })
  }
  if (
    policies.some(({ tagId, retentionDays, quotaMegabytes }) => tagId !== null && (retentionDays ?? quotaMegabytes))
  ) {
    throw invalid({ policies: ['Days and space are set for the organization or for a customer.'] })
  }
  const customerIds = policies.flatMap(({ customerId }) => customerId ?? [])
  const tagIds = policies.flatMap(({ tagId }) => tagId ?? [])
  const customers = await models.Customer.count({ where: { tenantId, id: customerIds } })
  const tags = await models.Tag.count({ where: { tenantId, id: tagIds } })
  if (customers < customerIds.length || tags < tagIds.length) {
    throw invalid({ policies: ['A customer or tag is not of this organization.'] })
  }
}

/** Replaces the policies of a tenant. Running sessions keep theirs. */
export async function replacePolicies(
  { app, actor }: Call,
  tenantId: string,
  policies: readonly RecordingPolicyDto[],
): Promise<RecordingPolicyRow[]> {
  await check(app, tenantId, policies)
  const rows = policies.map((policy) => ({ ...policy, id: randomUUID(), tenantId }))
  const summary = policies.map(({ customerId, tagId, mode }) => `${tagId ?? customerId ?? 'organization'}: ${mode}`)
  await app.database.write(async (transaction) => {
    await app.models.RecordingPolicy.destroy({ where: { tenantId }, transaction })
    await app.models.RecordingPolicy.bulkCreate(rows, { transaction })
    const details = { policies: summary.join(', ') }
    await app.audit.recordIn(transaction, actor, [{ kind: 'recording.policies-changed', tenantId, details }])
  })
  return rows
}
