import type { Touched } from '../engines/database/database.ts'
import { keysIn, Mirror } from '../call/mirrors/mirror.ts'
import type { AlertRow } from './tables.ts'

/** Device, account, check or event that an alert is about. */
export interface Subject {
  /** Id of the device; else a name that is unique in the alert. */
  readonly subject: string
  readonly deviceId: string | null
  readonly name: string
  readonly since: number
  readonly goneAt: number | null
  readonly detail: string | null
}

export interface StoredAlert {
  readonly row: AlertRow
  /** The oldest first. */
  readonly subjects: readonly Subject[]
}

type Row = AlertRow & { key: string; subjects: string }
type Packed = [
  subject: string,
  deviceId: string | null,
  name: string,
  since: number,
  goneAt: number | null,
  detail: string | null,
]

/** Alerts with their subjects as JSON: thousands of rows took ten times as long. */
export const alertsSql = `SELECT a.id AS key, a.*, (
    SELECT json_group_array(json_array(s.subject, s.deviceId, s.name, s.since, s.goneAt, s.detail) ORDER BY s.since, s.subject)
    FROM alert_subjects AS s WHERE s.alertId = a.id
  ) AS subjects FROM alerts AS a`

export const readAlert = ({ key: _, subjects, ...row }: Row): StoredAlert => ({
  row,
  subjects: (JSON.parse(subjects) as Packed[]).map(([subject, deviceId, name, since, goneAt, detail]) => ({
    subject,
    deviceId,
    name,
    since,
    goneAt,
    detail,
  })),
})
export type AlertWithSubjects = Row

const none: readonly never[] = []
const noSubjects: ReadonlyMap<string, string> = new Map()

/** Mirror of the alerts that are not closed. */
export class ActiveAlerts extends Mirror<Row, StoredAlert> {
  protected readonly sql = `${alertsSql} WHERE a.closedAt IS NULL`
  #byTenant: Map<string, StoredAlert[]> | undefined
  #byRule: Map<string | null, StoredAlert[]> | undefined
  readonly #subjects = new Map<string, ReadonlyMap<string, string>>()
  #tenants = new Set<string>()

  override keysOf(touched: Touched): Iterable<string> {
    return keysIn(touched, 'alerts', 'alert_subjects')
  }

  protected override entryOf(row: Row): StoredAlert {
    return readAlert(row)
  }

  protected override removed(_: string, { row }: StoredAlert): void {
    this.#tenants.add(row.tenantId)
  }

  protected override changed(ids: readonly string[]): void {
    this.#byTenant = undefined
    this.#byRule = undefined
    this.#subjects.clear()
    ids.forEach((id) => this.#tenants.add(this.get(id)?.row.tenantId ?? ''))
  }

  get(id: string): StoredAlert | undefined {
    return this.held.get(id)
  }

  get all(): Iterable<StoredAlert> {
    return this.held.values()
  }

  /** The newest first. */
  ofTenant(tenantId: string): readonly StoredAlert[] {
    this.#byTenant ??= Map.groupBy(
      [...this.held.values()].toSorted((a, b) => b.row.openedAt - a.row.openedAt || (a.row.id < b.row.id ? 1 : -1)),
      ({ row }) => row.tenantId,
    )
    return this.#byTenant.get(tenantId) ?? none
  }

  ofRule(ruleId: string): readonly StoredAlert[] {
    this.#byRule ??= Map.groupBy(this.held.values(), ({ row }) => row.ruleId)
    return this.#byRule.get(ruleId) ?? none
  }

  /** Alert of each subject of a rule whose cause is not gone. */
  openOf(ruleId: string): ReadonlyMap<string, string> {
    if (this.held.size === 0) {
      return noSubjects
    }
    const known = this.#subjects.get(ruleId)
    if (known) {
      return known
    }
    const open = new Map(
      this.ofRule(ruleId).flatMap(({ row, subjects }) =>
        subjects.flatMap(({ subject, goneAt }): [string, string][] => (goneAt === null ? [[subject, row.id]] : [])),
      ),
    )
    this.#subjects.set(ruleId, open)
    return open
  }

  /** Tenants whose alerts have changed since the last call. */
  takeChanged(): Set<string> {
    const taken = this.#tenants
    this.#tenants = new Set()
    return taken
  }
}
