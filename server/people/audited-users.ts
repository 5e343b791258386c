import type { AuditTarget } from '../audit/event.ts'

/** User as the target of a change of rights or credentials. */
export const changedUser = ({ id, tenantId }: { id: string; tenantId: string }) =>
  ({ targetType: 'User', targetId: id, tenantId }) as const

/** User as the target of an audit event; an unknown user has no id and no name. */
export const userTarget = (user: { id: string; userName: string } | undefined): AuditTarget => ({
  kind: 'user',
  id: user?.id ?? null,
  name: user?.userName ?? null,
})
