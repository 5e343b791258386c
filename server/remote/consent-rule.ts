import type { DevicePermission } from '../../shared/access.ts'
import {
  consentModes,
  consentSubjects,
  type ConsentMode,
  type ConsentRule,
  type ConsentSubject,
} from '../../shared/dtos/consent.ts'
import type { Call } from '../call/call.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import { deviceRight } from '../fleet/rights.ts'
import { holdsAt, placeOf } from '../organization/scoped-policies.ts'
import { listPolicies } from './consent-policies.ts'
import type { ConsentPolicyRow } from './tables.ts'

/** Rule for a visit, with the names of the policies that ask. */
export interface AppliedRule extends ConsentRule {
  policies: string[]
}

type Policy = Pick<ConsentPolicyRow, 'name' | 'exceptPermission' | 'allowsSilence' | ConsentSubject>

const strictest = (modes: readonly ConsentMode[]): ConsentMode =>
  consentModes.findLast((mode) => modes.includes(mode)) ?? 'never'

/** Policies that decide a subject: whoever controls a screen also sees the screen. */
const decidedBy = (subject: ConsentSubject): readonly ConsentSubject[] =>
  subject === 'control' ? ['control', 'viewing'] : [subject]

/** Combines the policies of a device for one visitor: the strictest wins. */
export function combine(
  policies: readonly Policy[],
  subject: ConsentSubject,
  holds: (permission: DevicePermission) => boolean,
): AppliedRule {
  const asking = policies
    .filter(({ exceptPermission }) => exceptPermission === null || !holds(exceptPermission))
    .map((policy) => ({ ...policy, mode: strictest(decidedBy(subject).map((each) => policy[each])) }))
    .filter(({ mode }) => mode !== 'never')
  return {
    mode: strictest(asking.map(({ mode }) => mode)),
    allowsSilence: asking.every(({ allowsSilence }) => allowsSilence),
    policies: asking.map(({ name }) => name),
  }
}

/** Policies that hold for a device, by name. */
async function policiesOf(call: Call, device: DeviceState): Promise<ConsentPolicyRow[]> {
  const policies = await listPolicies(call, device.tenantId)
  return policies.length === 0 ? [] : policies.filter(holdsAt(await placeOf(call.app, device)))
}

const holder =
  ({ app, principal }: Call, device: DeviceState) =>
  (permission: DevicePermission) =>
    deviceRight(app, principal, permission)(device)

/** Rule for a visit of the caller. */
export const ruleOf = async (call: Call, device: DeviceState, subject: ConsentSubject): Promise<AppliedRule> =>
  combine(await policiesOf(call, device), subject, holder(call, device))

/** Rules for all visits of the caller. */
export async function rulesOf(call: Call, device: DeviceState): Promise<Record<ConsentSubject, AppliedRule>> {
  const policies = await policiesOf(call, device)
  const rules = consentSubjects.map((subject) => [subject, combine(policies, subject, holder(call, device))])
  return Object.fromEntries(rules) as Record<ConsentSubject, AppliedRule>
}
