import { randomUUID } from 'node:crypto'
import type { RecordingMode, RecordingPolicyDto } from '../../shared/dtos/recording.ts'
import type { App, Call } from '../call/call.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import { invalid } from '../ground/errors.ts'
import type { RecordingPolicyRow } from './tables.ts'

export const defaultRetentionDays = 90
export const defaultQuotaMegabytes = 20_000
const bytesPerMegabyte = 1_000_000

export const policiesOf = async ({ models }: Pick<App, 'models'>, tenantId: string): Promise<RecordingPolicyRow[]> =>
  (await models.RecordingPolicy.findAll({ where: { tenantId } })).map((row) => row.get({ plain: true }))

/** A customer, and the customer whose site it is. */
export async function customersOf({ models }: Pick<App, 'models'>, customerId: string | null): Promise<string[]> {
  if (customerId === null) {
    return []
  }
  const parent = await models.CustomerParent.findByPk(customerId)
  return parent ? [customerId, parent.parentId] : [customerId]
}

/**
 * Mode of a device among policies. `always` wins, so that nobody escapes it with a tag. Otherwise the most specific
 * policy applies: tag, site, customer, tenant; among tags `off` wins.
 */
export function modeAmong(
  policies: readonly Pick<RecordingPolicyRow, 'customerId' | 'tagId' | 'mode'>[],
  { tagIds, customerIds }: { tagIds: readonly string[]; customerIds: readonly string[] },
): RecordingMode {
  const ofTags = policies.filter(({ tagId }) => tagId !== null && tagIds.includes(tagId))
  const ofCustomers = customerIds.map((id) => policies.filter(({ customerId }) => customerId === id))
  const ofTenant = policies.filter(({ tagId, customerId }) => tagId === null && customerId === null)
  const levels = [ofTags, ...ofCustomers, ofTenant].map((level) => level.map(({ mode }) => mode))
  if (levels.some((modes) => modes.includes('always'))) {
    return 'always'
  }
  const modes = levels.find(({ length }) => length > 0) ?? []
  return modes.includes('off') ? 'off' : 'allowed'
}

/** Whether sessions on a device are recorded. */
export async function recordingMode(app: App, { tenantId, tagIds, customerId }: DeviceState): Promise<RecordingMode> {
  const policies = await policiesOf(app, tenantId)
  return policies.length === 0
    ? 'allowed'
    : modeAmong(policies, { tagIds, customerIds: await customersOf(app, customerId) })
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
  const limits = limitsFor(await policiesOf(app, tenantId), await customersOf(app, customerId))
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
