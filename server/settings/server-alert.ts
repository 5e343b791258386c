import type { ServerAlertRequestDto } from '../../shared/dtos/server-alert.ts'
import type { OpenCall } from '../call/call.ts'
import type { ServerAlertRow } from './tables.ts'

/** Id of the only row, which the migration created. */
const id = '00000000-0000-0000-0000-000000000001'

export async function getServerAlert({ app: { models } }: OpenCall): Promise<ServerAlertRow> {
  const row = await models.ServerAlert.findByPk(id, { rejectOnEmpty: true })
  return row.get({ plain: true })
}

export async function setServerAlert({ app, actor }: OpenCall, alert: ServerAlertRequestDto): Promise<ServerAlertRow> {
  const row = { id, ...alert }
  await app.database.write(async (transaction) => {
    await app.models.ServerAlert.upsert(row, { transaction })
    await app.audit.recordIn(transaction, actor, [{ kind: 'settings.server-alert-changed', tenantId: null }])
  })
  return row
}
