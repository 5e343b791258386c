import type { NetworkSettingsDto } from '../../shared/dtos/network.ts'
import type { Call, RequestContext } from '../call/call.ts'
import { conflict, forbidden } from '../ground/errors.ts'
import { refuseRestrictedToken } from '../rights/restricting-token.ts'
import { holds } from '../rights/rights.ts'
import { recordChange } from '../rights/authorization-log.ts'
import { serverTarget } from '../rights/change.ts'
import {
  closePort,
  followSettings,
  isServedByConfiguration,
  openPort,
  readNetworkSettings,
  settingsId,
} from './serving.ts'

/**
 * Stores the settings after they are known to work. Throws 409 for settings that cannot be applied, without any change.
 */
async function store(call: Call, settings: NetworkSettingsDto): Promise<void> {
  const { app, principal } = call
  const { network, models, database, log } = app
  const before = await readNetworkSettings(app)
  const isFixed = isServedByConfiguration(app)
  if (isFixed && settings.isServed !== before.isServed) {
    throw conflict('Service_Urls decides whether the network is served. Change it there.')
  }
  const namesChange = JSON.stringify(settings.names) !== JSON.stringify(before.names)
  if (namesChange && !holds(app, principal, 'server.permissions.write')) {
    throw forbidden('Names of this server may only be changed with the permission server.permissions.write.')
  }
  if (namesChange) {
    // Links that set new passwords are mailed with the first name.
    refuseRestrictedToken(app, principal)
  }
  const isNew = settings.isServed && !isFixed && !network.ports.has(settings.port)
  if (isNew) {
    const problem = await openPort(app, settings.port)
    if (problem !== null) {
      // Retries of the stored port continue.
      if (!before.isServed || before.port !== settings.port) {
        await closePort(app, settings.port)
      }
      throw conflict(problem)
    }
  }
  try {
    await database.write(async (transaction) => {
      const row = { ...settings, names: JSON.stringify(settings.names) }
      await models.NetworkSettings.update(row, { where: { id: settingsId }, transaction })
      await recordChange(call, transaction, {
        actionType: 'network-settings-updated',
        targetType: 'Server',
        targetId: serverTarget,
        tenantId: null,
        before,
        after: settings,
      })
    })
  } catch (error) {
    if (isNew) {
      await closePort(app, settings.port)
    }
    throw error
  }
  log.info({ before, after: settings, actor: call.actor }, 'The network settings were changed.')
}

/** Applies and stores network settings at once. Listeners to close stay open until the response is sent. */
export async function setNetwork(call: Call & Pick<RequestContext, 'closed'>, settings: NetworkSettingsDto) {
  const { app } = call
  const answered = call.closed()
  await app.network.changes.run(async () => {
    await store(call, settings)
    await followSettings(app, { mayClose: false })
  })
  const close = () =>
    app.network.changes
      .run(() => followSettings(app))
      .catch((error: unknown) => app.log.error({ err: error }, 'A port could not be closed.'))
  if (answered.aborted) {
    void close()
  } else {
    answered.addEventListener('abort', () => void close(), { once: true })
  }
}
