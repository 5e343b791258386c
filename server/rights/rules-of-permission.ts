import type { Rule } from './rule-mirror.ts'

/** Rules by permission, of lists that the mirror keeps until they change: a list may have 20,000 rules (T26). */
const known = new WeakMap<readonly Rule[], ReadonlyMap<string, readonly Rule[]>>()

export function rulesOfPermission(rules: readonly Rule[], permission: string): readonly Rule[] {
  const byPermission = known.get(rules) ?? Map.groupBy(rules, ({ permissionName }) => permissionName)
  known.set(rules, byPermission)
  return byPermission.get(permission) ?? []
}
