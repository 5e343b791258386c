import { expect, test } from 'vitest'
import { auditSentence } from '../../shared/audit.ts'
import { auditKinds, type AuditKindDefinition } from '../../shared/audit-kinds.ts'

const event = {
  kind: 'sign-in.password',
  outcome: 'success',
  count: 1,
  actorName: 'ada@example.org',
  targetName: null,
  deviceName: null,
  details: {},
} as const

test('an event reads as a sentence, with the names of its target, device and details', () => {
  expect(auditSentence(event)).toBe('ada@example.org signed in with a password')
  expect(auditSentence({ ...event, outcome: 'failure', count: 20 })).toBe(
    'ada@example.org could not sign in with a password (20 times)',
  )
  const power = { ...event, kind: 'device.power', deviceName: 'desk-7', details: { command: 'restart' } }
  expect(auditSentence(power)).toBe('ada@example.org sent restart to desk-7')
})

test('an event of an unknown kind, from a newer version, reads as its kind', () => {
  expect(auditSentence({ ...event, kind: 'moon.landed' })).toBe('ada@example.org moon.landed')
})

test.each(Object.entries<AuditKindDefinition>(auditKinds))(
  'the sentences of %s name only its details',
  (_, definition) => {
    const names = ['target', 'device', ...(definition.details ?? [])]
    const used = `${definition.says} ${definition.fails ?? ''}`.matchAll(/\{(\w+)\}/g)
    expect([...used].map(([, name]) => name).filter((name) => !names.includes(name!))).toEqual([])
  },
)
