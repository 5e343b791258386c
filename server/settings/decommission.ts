import { hostname } from 'node:os'
import type { DecommissionDto } from '../../shared/dtos/server-setting.ts'
import { systemCall, type App, type Call } from '../call/call.ts'
import { conflict, invalid } from '../ground/errors.ts'

/*
 * A server that is being given up tells each agent that reports to uninstall itself, and deletes the device. That cannot
 * be undone, so it is said at start, on every page, in the health report and the audit log (T46).
 */

const key = 'ServerLifecycle__DecommissionServer'

/** Throws 409 while the server is given up: an agent that is installed now would be removed at once. */
export function refuseWhileDecommissioned({ config }: App): void {
  if (config.serverLifecycle.decommissionServer) {
    throw conflict('This server is being decommissioned: it removes every agent that reports. Add devices elsewhere.')
  }
}

/** Warns at start, in the log and the audit log, that agents are removed. */
export async function warnOfDecommission(app: App): Promise<void> {
  if (app.config.serverLifecycle.decommissionServer) {
    app.log.warn(
      {},
      'This server is being decommissioned: every agent that reports is told to uninstall itself, and its device is deleted.',
    )
    await app.audit.record(systemCall(app).actor, { kind: 'server.decommission-continued', tenantId: null })
  }
}

/**
 * Begins or ends the decommission at once. Throws 400 unless it begins with the name of this server, and 409 where the
 * configuration decides.
 */
export async function setDecommission(call: Call, { isEnabled, serverName }: DecommissionDto): Promise<void> {
  const { app, actor } = call
  const { storedSettings, database, models, audit, log } = app
  if (isEnabled && serverName?.trim() !== hostname()) {
    throw invalid({ serverName: [`must be the name of this server: ${hostname()}`] })
  }
  if (storedSettings.lockedBy(key).length > 0) {
    throw conflict(`Service_${key} decides this: change it there and start the server again.`)
  }
  await storedSettings.changes.run(async () => {
    const texts = new Map(storedSettings.texts)
    texts.delete(key)
    await database.write(async (transaction) => {
      await models.ServerSetting.destroy({ where: { key }, transaction })
      if (isEnabled) {
        texts.set(key, 'true')
        await models.ServerSetting.create({ key, value: 'true' }, { transaction })
      }
      const kind = isEnabled ? 'server.decommission-began' : 'server.decommission-ended'
      await audit.recordIn(transaction, actor, [{ kind, tenantId: null }])
    })
    storedSettings.apply(texts)
  })
  log.warn({ actor, isEnabled }, isEnabled ? 'The decommission of this server began.' : 'The decommission has ended.')
}
