import { expect, test } from 'vitest'
import { auditSentence } from '../../shared/audit.ts'
import { permissionTexts } from '../../shared/permission-texts.ts'
import { auditKinds, type AuditKindDefinition } from '../../shared/audit-kinds.ts'

const event = {
  kind: 'sign-in.password',
  outcome: 'success',
  count: 1,
  actorKind: 'user',
  actorName: 'ada@example.org',
  targetId: null,
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

test.each([
  [{ actorName: null }, 'Somebody'],
  [{ actorName: 'The server' }, 'The user “The server”'],
  [{ actorKind: 'guest', actorName: 'ada@example.org' }, 'The guest “ada@example.org”'],
  [
    { actorKind: 'service-account', actorName: 'ada@example.org” signed out. “The server' },
    'The service account “ada@example.org" signed out. "The server”',
  ],
  [{ actorKind: 'system', actorName: null }, 'The server'],
  [{ actorKind: 'anonymous', actorName: null }, 'A visitor'],
] as const)('the sentence of %j begins with %s, so that no name is taken for another principal', (actor, subject) => {
  expect(auditSentence({ ...event, ...actor })).toBe(`${subject} signed in with a password`)
})

test('the end of a session reads the same for whoever ended it, also for names that follow the kind of the actor', () => {
  const ended = { ...event, kind: 'session.ended', deviceName: 'desk-7', details: { session: 'terminal' } } as const
  expect(auditSentence(ended)).toBe('ada@example.org’s session (terminal) on desk-7 ended')
  expect(auditSentence({ ...ended, actorKind: 'guest', actorName: 'bob', count: 2 })).toBe(
    'The guest “bob”’s session (terminal) on desk-7 ended (2 times)',
  )
  expect(auditSentence({ ...ended, kind: 'recording.ended', details: { recording: 'terminal' } })).toBe(
    'ada@example.org’s session (terminal) on desk-7 is no longer recorded',
  )
})

test('values that programs use read as words', () => {
  const details = { session: 'remote-control', sessionId: 'x', reason: 'Done.' } as const
  expect(auditSentence({ ...event, kind: 'session.ended', deviceName: 'desk-7', details })).toBe(
    'ada@example.org’s session (remote control) on desk-7 ended',
  )
  const given = { ...event, kind: 'change.permission-assignment-created', targetName: 'bob@example.org' }
  expect(auditSentence({ ...given, details: { permission: 'device.terminal.use', effect: 'Allow' } })).toBe(
    `ada@example.org set “${permissionTexts['device.terminal.use'].displayName}” (allowed) for bob@example.org`,
  )
})

test.each([
  ['', 'desk', 'set the alias of srv-7 to “desk”'],
  ['desk', 'till', 'changed the alias of srv-7 from “desk” to “till”'],
  ['till', '', 'removed the alias “till” of srv-7'],
])('an alias that was “%s” and is “%s” reads as %s', (before, after, sentence) => {
  const renamed = { ...event, kind: 'device.alias-changed', deviceName: 'srv-7', details: { before, after } }
  expect(auditSentence(renamed)).toBe(`ada@example.org ${sentence}`)
})

test('a target without a name, such as the key of an install command, reads as its id', () => {
  const created = { ...event, kind: 'credential.installer-key-created', targetId: '8c964677' }
  expect(auditSentence(created)).toBe('ada@example.org created the installer key 8c964677')
  expect(auditSentence({ ...created, targetName: 'Laptops' })).toBe('ada@example.org created the installer key Laptops')
})

test('an event of an unknown kind, from a newer version, reads as its kind', () => {
  expect(auditSentence({ ...event, kind: 'moon.landed' })).toBe('ada@example.org moon.landed')
})

test.each(Object.entries<AuditKindDefinition>(auditKinds))(
  'the sentences of %s name only its details',
  (_, definition) => {
    const names = ['target', 'device', ...(definition.details ?? [])]
    const { says, fails, ifEmpty } = definition
    const used = [says, fails, ifEmpty?.before, ifEmpty?.after].join().matchAll(/\{(\w+)\}/g)
    expect([...used].map(([, name]) => name).filter((name) => !names.includes(name!))).toEqual([])
  },
)
