import type { App } from '../call/call.ts'

/** A customer, and the customer whose site it is. */
export async function withParent({ models }: Pick<App, 'models'>, customerId: string | null): Promise<string[]> {
  if (customerId === null) {
    return []
  }
  const parent = await models.CustomerParent.findByPk(customerId)
  return parent ? [customerId, parent.parentId] : [customerId]
}

/** Ids of a customer and of its sites. */
export async function withSites({ models }: Pick<App, 'models'>, customerId: string): Promise<ReadonlySet<string>> {
  const sites = await models.CustomerParent.findAll({ where: { parentId: customerId }, raw: true })
  return new Set([customerId, ...sites.map((site) => site.customerId)])
}
