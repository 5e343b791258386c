import { Op, type Transaction } from 'sequelize'
import type { App } from '../call/call.ts'

/** Replaces a group or tag in the placements of installer keys. */
export async function replaceInPlacements(
  { models }: App,
  transaction: Transaction,
  field: 'deviceGroupIds' | 'tagIds',
  id: string,
  intoId: string,
): Promise<void> {
  const rows = await models.InstallerKeyPlacement.findAll({
    where: { [field]: { [Op.like]: `%${id}%` } },
    transaction,
  })
  for (const row of rows) {
    const ids = (JSON.parse(row[field]) as string[]).map((one) => (one === id ? intoId : one))
    await row.update({ [field]: JSON.stringify([...new Set(ids)]) }, { transaction })
  }
}
