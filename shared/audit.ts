import { auditValue } from './audit-values.ts'
import { cutText } from './cut-text.ts'
import { auditKinds, type AuditKind, type AuditKindDefinition } from './audit-kinds.ts'

/** Details that an event of a kind may carry. */
export type AuditDetails<K extends AuditKind = AuditKind> = Partial<
  Record<(typeof auditKinds)[K]['details'][number], string | number | boolean | null>
>

export const auditOutcomes = ['success', 'failure'] as const
export type AuditOutcome = (typeof auditOutcomes)[number]

export const auditActorKinds = ['user', 'guest', 'service-account', 'system', 'anonymous'] as const
export type AuditActorKind = (typeof auditActorKinds)[number]

export const isAuditKind = (name: string): name is AuditKind => Object.hasOwn(auditKinds, name)

/** An event as far as its sentence needs it. */
export interface AuditSubject {
  kind: string
  outcome: AuditOutcome
  count: number
  actorKind: AuditActorKind
  actorName: string | null
  targetId: string | null
  targetName: string | null
  deviceName: string | null
  details: AuditDetails
}

/** Longest name or value in a sentence; the entry has the whole. */
const longestInSentence = 512

const shortened = (text: string) => (text.length > longestInSentence ? `${cutText(text, longestInSentence)}…` : text)

const quoted = (name: string) => `“${name.replaceAll(/[“”]/g, '"')}”`

/**
 * Actor as the beginning of a sentence. Names that somebody else chose follow the kind, so that a service account called
 * like a person, or a guest called "The server", is not taken for either (T45). Only people of this server have addresses.
 */
function subjectOf({ actorKind, actorName }: Pick<AuditSubject, 'actorKind' | 'actorName'>): string {
  switch (actorKind) {
    case 'user':
      return actorName === null ? 'Somebody' : actorName.includes('@') ? actorName : `The user ${quoted(actorName)}`
    case 'guest':
      return `The guest ${quoted(actorName ?? '')}`
    case 'service-account':
      return actorName === null ? 'A service account' : `The service account ${quoted(actorName)}`
    case 'system':
      return actorName ?? 'The server'
    case 'anonymous':
      return 'A visitor'
  }
}

function successOf({ says, ifEmpty }: AuditKindDefinition, { before, after }: Record<string, unknown>): string {
  return (before === '' ? ifEmpty?.before : after === '' ? ifEmpty?.after : undefined) ?? says
}

/** The event as a sentence, such as "anna@example.com signed in with a password". */
export function auditSentence(event: AuditSubject): string {
  const { kind, outcome, count, targetId, targetName, deviceName, details } = event
  const definition: AuditKindDefinition | undefined = isAuditKind(kind) ? auditKinds[kind] : undefined
  const success = definition ? successOf(definition, details) : kind
  const text = outcome === 'failure' ? (definition?.fails ?? `failed: ${success}`) : success
  const values: Record<string, string | number | boolean | null> = {
    ...details,
    // Installer keys, for one, need no name; the id is part of their command.
    target: targetName ?? targetId,
    device: deviceName,
  }
  const filled = text.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    shortened(auditValue(name, values[name] ?? 'something unknown')),
  )
  const space = text.startsWith('’s ') ? '' : ' '
  return `${subjectOf(event)}${space}${filled}${count > 1 ? ` (${count} times)` : ''}`
}
