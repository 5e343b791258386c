import { auditKinds, type AuditKind, type AuditKindDefinition } from './audit-kinds.ts'

/** Details that an event of a kind may carry. */
export type AuditDetails<K extends AuditKind = AuditKind> = Partial<
  Record<(typeof auditKinds)[K]['details'][number], string | number | boolean | null>
>

export const auditOutcomes = ['success', 'failure'] as const
export type AuditOutcome = (typeof auditOutcomes)[number]

export const isAuditKind = (name: string): name is AuditKind => Object.hasOwn(auditKinds, name)

/** An event as far as its sentence needs it. */
export interface AuditSubject {
  kind: string
  outcome: AuditOutcome
  count: number
  actorName: string
  targetName: string | null
  deviceName: string | null
  details: AuditDetails
}

/** The event as a sentence, such as "anna@example.com signed in with a password". */
export function auditSentence({
  kind,
  outcome,
  count,
  actorName,
  targetName,
  deviceName,
  details,
}: AuditSubject): string {
  const definition: AuditKindDefinition | undefined = isAuditKind(kind) ? auditKinds[kind] : undefined
  const text = outcome === 'failure' ? (definition?.fails ?? `failed: ${definition?.says ?? kind}`) : definition?.says
  const values: Record<string, string | number | boolean | null> = {
    ...details,
    target: targetName,
    device: deviceName,
  }
  const filled = (text ?? kind).replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? 'unknown'))
  return `${actorName} ${filled}${count > 1 ? ` (${count} times)` : ''}`
}
