import type { App } from '../call/call.ts'
import { useStoredCertificate } from '../network/certificate.ts'
import { followSettings, readNetworkRow } from '../network/serving.ts'
import { readStoredSettings } from '../settings/server-settings.ts'

const eventsMs = 1_000
const settingsMs = 5_000

/** Follows what other servers of the database change in tables without a mirror. Returns a function that stops. */
export async function followServers(app: App): Promise<() => void> {
  if (app.config.cluster.redisUrl === undefined) {
    return () => {}
  }
  const { clock, log, network } = app
  // Made now, so that no two servers make an identity or a key at the same time.
  await app.tls()
  await app.releaseKeys.named()
  let known = JSON.stringify(await readNetworkRow(app))
  const follow = async () => {
    app.storedSettings.apply(await readStoredSettings(app))
    app.releaseKeys.forget()
    const row = JSON.stringify(await readNetworkRow(app))
    if (row !== known) {
      await network.changes.run(async () => {
        await followSettings(app)
        await useStoredCertificate(app)
      })
      known = row
    }
  }
  let following: Promise<void> | undefined
  const cancels = [
    clock.every(eventsMs, () => app.events.look()),
    clock.every(settingsMs, () => {
      following ??= follow()
        .catch((error: unknown) => log.warn({ err: error }, 'Settings of other servers could not be read; retrying.'))
        .finally(() => (following = undefined))
    }),
  ]
  return () => cancels.forEach((cancel) => cancel())
}
