import { describe, expect, test } from 'vitest'
import type { DevicePermission } from '../../../shared/access.ts'
import type { ConsentMode, ConsentSubject } from '../../../shared/dtos/consent.ts'
import { deviceNotConnected, failure } from '../../../shared/dtos/hub-result.ts'
import type { Call } from '../../../server/call/call.ts'
import type { DeviceState } from '../../../server/fleet/device-state.ts'
import { requireConsent } from '../../../server/remote/consent.ts'
import { combine } from '../../../server/remote/consent-rule.ts'

const policy = (name: string, changes: Partial<Parameters<typeof combine>[0][number]> = {}) => ({
  name,
  exceptPermission: null,
  control: 'never' as ConsentMode,
  viewing: 'never' as ConsentMode,
  terminal: 'never' as ConsentMode,
  files: 'never' as ConsentMode,
  allowsSilence: true,
  ...changes,
})

const none = () => false
const allowed = { mode: 'never', allowsSilence: true, policies: [] }

describe('the rule of a visit', () => {
  const mild = policy('Mild', { control: 'signed-in', terminal: 'signed-in' })
  const strict = policy('Strict', { control: 'always', allowsSilence: false })
  const screens = policy('Screens', { viewing: 'always' })
  const exempt = policy('Exempt', { files: 'always', exceptPermission: 'device.power.manage' })

  test.each<[string, ReturnType<typeof policy>[], ConsentSubject, object]>([
    ['asks nobody without a policy', [], 'control', allowed],
    ['asks nobody for what no policy names', [mild], 'files', allowed],
    ['is that of the only policy', [mild], 'terminal', { mode: 'signed-in', allowsSilence: true, policies: ['Mild'] }],
    [
      'is the strictest of several, in its question and in its answer to silence',
      [mild, strict],
      'control',
      { mode: 'always', allowsSilence: false, policies: ['Mild', 'Strict'] },
    ],
    [
      'of control includes that of viewing',
      [screens],
      'control',
      { mode: 'always', allowsSilence: true, policies: ['Screens'] },
    ],
    ['of viewing leaves that of control out', [strict], 'viewing', allowed],
    [
      'is not loosened by a policy that does not ask',
      [strict, policy('Other')],
      'control',
      { mode: 'always', allowsSilence: false, policies: ['Strict'] },
    ],
  ])('%s', (_, policies, subject, expected) => {
    expect(combine(policies, subject, none)).toEqual(expected)
  })

  test('holds for people without the right that a policy excepts, and not for those with it', () => {
    const holds = (permission: DevicePermission) => permission === 'device.power.manage'
    expect(combine([exempt], 'files', none)).toMatchObject({ mode: 'always', policies: ['Exempt'] })
    expect(combine([exempt], 'files', holds)).toEqual(allowed)
    expect(combine([exempt, policy('All', { files: 'signed-in' })], 'files', holds)).toMatchObject({
      policies: ['All'],
    })
  })
})

test.each([
  ['without a policy', []],
  ['with a policy, which records it', [{ ...policy('Ask', { terminal: 'signed-in' }), customerId: null, tagId: null }]],
])(
  'a visit is refused, %s, when the server of the agent does not report what the agent can do',
  async (_, policies) => {
    const app = {
      database: { all: async () => policies },
      cluster: { id: 'here', ask: () => Promise.reject(new Error('late')) },
      audit: { record: async () => undefined },
    }
    const device = {
      tenantId: 'tenant',
      connectionId: 'connection.elsewhere',
      currentUsers: [],
      customerId: null,
      tagIds: [],
    }
    const visit = requireConsent({ app } as unknown as Call, device as unknown as DeviceState, { subject: 'terminal' })
    expect(await visit).toEqual(failure(deviceNotConnected))
  },
)
