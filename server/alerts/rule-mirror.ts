import { AlertCondition, alertKinds, type AlertSubject } from '../../shared/dtos/alert-rule.ts'
import type { Touched } from '../engines/database/database.ts'
import { keysIn, Mirror } from '../call/mirrors/mirror.ts'
import { compileCondition } from './conditions.ts'
import type { AlertRuleRow } from './tables.ts'

type Row = AlertRuleRow & { key: string }

/** A rule with its condition, compiled. */
export interface Rule {
  readonly row: AlertRuleRow
  readonly condition: AlertCondition
  readonly subject: AlertSubject
  readonly userIds: readonly string[]
  /** Set for a condition that lasts and that reports of devices decide. */
  readonly lasting: ReturnType<typeof compileCondition>
}
export type LastingRule = Rule & { readonly lasting: NonNullable<Rule['lasting']> }

const isLasting = (rule: Rule): rule is LastingRule => rule.lasting !== undefined

const none: readonly never[] = []

/** Mirror of the rules, which each heartbeat of a device asks. */
export class AlertRules extends Mirror<Row, Rule> {
  protected readonly sql = 'SELECT id AS key, * FROM alert_rules'
  /** Rules in force that reports decide, of each tenant; undefined after a change. */
  #lasting: Map<string, LastingRule[]> | undefined
  #tenants = new Set<string>()

  override keysOf(touched: Touched): Iterable<string> {
    return keysIn(touched, 'alert_rules')
  }

  protected override entryOf({ key: _, ...stored }: Row): Rule {
    const row = { ...stored, isEnabled: Boolean(stored.isEnabled) }
    const condition = AlertCondition.parse(JSON.parse(row.condition))
    return {
      row,
      condition,
      subject: alertKinds.get(condition.kind)!.subject,
      userIds: JSON.parse(row.userIds) as string[],
      lasting: compileCondition(condition),
    }
  }

  protected override storedOf({ row }: Rule): unknown {
    return row
  }

  protected override removed(_: string, { row }: Rule): void {
    this.#tenants.add(row.tenantId)
  }

  protected override changed(ids: readonly string[]): void {
    this.#lasting = undefined
    ids.forEach((id) => this.#tenants.add(this.get(id)?.row.tenantId ?? ''))
  }

  get(id: string): Rule | undefined {
    return this.held.get(id)
  }

  get all(): Iterable<Rule> {
    return this.held.values()
  }

  /** Rules in force. */
  enabled(): Rule[] {
    return [...this.held.values()].filter(({ row }) => row.isEnabled)
  }

  ofTenant(tenantId: string): Rule[] {
    return [...this.held.values()].filter(({ row }) => row.tenantId === tenantId)
  }

  lastingOf(tenantId: string): readonly LastingRule[] {
    this.#lasting ??= Map.groupBy(this.enabled().filter(isLasting), ({ row }) => row.tenantId)
    return this.#lasting.get(tenantId) ?? none
  }

  /** Tenants whose rules have changed since the last call. */
  takeChanged(): Set<string> {
    const taken = this.#tenants
    this.#tenants = new Set()
    return taken
  }
}
