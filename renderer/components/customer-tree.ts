import type { ContactDto, CustomerDetailsDto } from '../../shared/api/appliance-organization.ts'
import type { CustomerResponseDto } from '../../shared/dtos/customer.ts'

/** A customer with its place in the tree. */
export interface CustomerNode extends CustomerResponseDto {
  /** Customer of which this one is a site. */
  parentId: string | null
  contacts: readonly ContactDto[]
  /** Devices with those of the sites, as a search for the customer finds them. */
  totalDevices: number
}

/** Customers by name, each followed by its sites. */
export function treeOf(
  customers: readonly CustomerResponseDto[],
  details: readonly CustomerDetailsDto[],
): CustomerNode[] {
  const detailsOf = new Map(details.map((each) => [each.customerId, each]))
  const known = new Set(customers.map(({ id }) => id))
  const nodes = customers.map((customer) => {
    const { parentId = null, contacts = [] } = detailsOf.get(customer.id) ?? {}
    // The parent may be about to be deleted.
    const place = parentId !== null && known.has(parentId) ? parentId : null
    return { ...customer, parentId: place, contacts, totalDevices: customer.deviceCount }
  })
  const sites = Map.groupBy(nodes, ({ parentId }) => parentId)
  return (sites.get(null) ?? []).flatMap((node) => {
    const own = sites.get(node.id) ?? []
    return [{ ...node, totalDevices: own.reduce((sum, site) => sum + site.deviceCount, node.deviceCount) }, ...own]
  })
}
