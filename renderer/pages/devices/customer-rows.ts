import type { CustomerNode } from '../../components/customer-tree.ts'
import { hasValue, noneValue, parseQuery, type DeviceQuery } from '../../../shared/device-query.ts'

/** Row of the tree: all devices, a customer, one of its sites, or the devices without a customer. */
export interface TreeRow {
  key: string
  /** Value of `customer:` in the search; undefined: devices of all customers. */
  value: string | undefined
  customer: CustomerNode | undefined
  level: 1 | 2
  /** Undefined for a row without sites. */
  isExpanded: boolean | undefined
}

const allRow: TreeRow = { key: 'all', value: undefined, customer: undefined, level: 1, isExpanded: undefined }
const noneRow: TreeRow = { key: 'none', value: noneValue, customer: undefined, level: 1, isExpanded: undefined }

/** Visible rows; the sites of collapsed customers are left out. */
export function treeRows(customers: readonly CustomerNode[], collapsed: ReadonlySet<string>): TreeRow[] {
  const parents = new Set(customers.map(({ parentId }) => parentId))
  const shown = customers.filter(({ parentId }) => parentId === null || !collapsed.has(parentId))
  const rows = shown.map((customer): TreeRow => ({
    key: customer.id,
    value: customer.name,
    customer,
    level: customer.parentId === null ? 1 : 2,
    isExpanded: parents.has(customer.id) ? !collapsed.has(customer.id) : undefined,
  }))
  return [allRow, ...rows, noneRow]
}

/** Whether a row names the customer that the search is limited to. */
export const isChosen = ({ value }: TreeRow, query: DeviceQuery): boolean =>
  value === undefined
    ? !query.terms.some(({ field, isExcluded }) => field === 'customer' && !isExcluded)
    : hasValue(query, 'customer', value)

/** Position of the first chosen row. */
export const chosenIndex = (rows: readonly TreeRow[], text: string) => {
  const query = parseQuery(text)
  return Math.max(
    0,
    rows.findIndex((row) => isChosen(row, query)),
  )
}
