import type { App } from '../../server/call/call.ts'
import type { Clock } from '../../server/ground/clock.ts'
import { notify, type Notification } from '../../server/notifications/notify.ts'
import { openApp, type Stop } from '../../server/open-app.ts'
import { loadConfig } from '../../server/settings/config.ts'
import type { TestServer } from './server.ts'

/** Runs work on the data of a stopped server, which starts again afterwards. */
async function onStopped(server: TestServer, clock: Clock, work: (app: App) => Promise<void>): Promise<void> {
  await server.whileStopped(async (database) => {
    await database.close()
    const settings = {
      DataDirectory: server.directory,
      Environment: 'Testing',
      ...server.database?.settings,
      ...server.settings,
    }
    const env = Object.fromEntries(Object.entries(settings).map(([key, value]) => [`Service_${key}`, value]))
    const stops: Stop[] = []
    const deps = { log: server.log, clock, secretStore: 'file' } as const
    try {
      const { app } = await openApp(loadConfig({ env }), deps, (stop) => void stops.push(stop))
      await work(app)
    } finally {
      for (const stop of stops.toReversed()) {
        await stop()
      }
    }
  })
}

/**
 * Stores notifications on the data of a server that is killed before it sends any: nothing but the transaction of `notify`
 * remains of its run.
 */
export const notifyAndDie = (server: TestServer, clock: Clock, notifications: readonly Notification[]) =>
  onStopped(server, clock, async (app) => {
    await app.database.write(async (transaction) => {
      for (const notification of notifications) {
        await notify(app, transaction, notification)
      }
    })
  })
