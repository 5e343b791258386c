import { Op } from 'sequelize'
import { chunksOf } from '../../shared/chunks.ts'
import { minuteMs } from '../../shared/durations.ts'
import type { App, OpenCall } from '../call/call.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import { hourOf, slotOf, type Ending, type LoadBlock } from './presence.ts'
import type { DeviceLoadRow } from './tables.ts'
import { noteConnected, noteDisconnected } from './connections.ts'
import { noteEvidence } from './absence-evidence.ts'
import { deleteWhere } from '../engines/database/delete-where.ts'

const minuteOf = (at: number) => Math.floor(at / minuteMs)
/** Maximum loads stored per write, so that reports are stored in between. */
const storedTogether = 500
/** Maximum number of server runs stored. */
const runsKept = 100

/** Updates the presence of a device after a stored update. */
export function noteReport(app: App, before: DeviceState | undefined, device: DeviceState): void {
  const { presence, clock } = app
  const now = clock.now()
  if (device.connectionId !== '' && before?.connectionId !== device.connectionId) {
    presence.connected(device.id, now)
    void noteConnected(app, device.id, now)
    if (app.cluster) {
      void continueLoads(app, device.id)
    }
  }
  presence.report(device, now)
}

/**
 * Records the end of a device's connection; `wasSpeaking` is true for the device's active connection. Ends caused by
 * this server are no evidence about the device.
 */
export async function noteEnd(
  app: App,
  deviceId: string,
  endedBy: Ending['by'] | 'server' | undefined,
  wasSpeaking: boolean,
): Promise<void> {
  const device = app.fleet.get(deviceId)
  if (device?.connectionId) {
    return
  }
  const isTheirs = device && wasSpeaking && endedBy !== undefined && endedBy !== 'server'
  const ending = isTheirs ? { at: device.lastSeen, by: endedBy } : undefined
  const connectedAt = app.presence.connectedAt(deviceId)
  app.presence.disconnected(deviceId, ending)
  await Promise.all([
    ending && noteEvidence(app, deviceId, { ended: ending }),
    device && connectedAt !== undefined && noteDisconnected(app, device, connectedAt, ending),
  ])
}

const loadBatch = {
  sql: `INSERT INTO device_loads (deviceId, hour, samples)
    SELECT devices.id, CAST(u.value ->> 'hour' AS BIGINT), u.value ->> 'samples'
    FROM jsonb_each(?) AS u JOIN devices ON devices.id = u.value ->> 'deviceId' WHERE true
    ON CONFLICT (deviceId, hour) DO UPDATE SET samples = excluded.samples
    RETURNING deviceId AS key`,
  key: ({ deviceId }: { deviceId: string; hour: number; samples: string }) => deviceId,
  isMirrored: false as const,
}

async function storeLoads({ database, presence }: App): Promise<void> {
  const batch = database.batch(loadBatch)
  const changed = presence.takeChanged()
  for (const some of chunksOf(changed, storedTogether)) {
    const rows = some.map(({ deviceId, hour, samples }) => ({
      deviceId,
      hour,
      samples: Buffer.from(samples).toString('base64'),
    }))
    await Promise.all(rows.map((row) => batch.run(row)))
  }
}

/** Continues the loads of this hour that another server has stored. */
async function continueLoads({ models, presence, clock, log }: App, deviceId: string): Promise<void> {
  try {
    const where = { deviceId, hour: hourOf(clock.now()) }
    presence.restore((await models.DeviceLoad.findAll({ where, raw: true })).map(blockOf))
  } catch (error) {
    log.warn({ err: error, deviceId }, 'Loads of this hour could not be read.')
  }
}

async function restoreLoads({ models, presence, clock }: App): Promise<void> {
  const found = await models.DeviceLoad.findAll({ where: { hour: hourOf(clock.now()) }, raw: true })
  presence.restore(found.map(blockOf))
}

export const blockOf = ({ deviceId, hour, samples }: DeviceLoadRow): LoadBlock => ({
  deviceId,
  hour,
  samples: new Uint8Array(Buffer.from(samples, 'base64')),
})

/** Load blocks of a device since an hour, including the current block. */
export async function loadBlocksOf(
  { models, presence }: Pick<App, 'models' | 'presence'>,
  deviceId: string,
  since: number,
): Promise<LoadBlock[]> {
  const stored = await models.DeviceLoad.findAll({ where: { deviceId, hour: { [Op.gte]: since } }, raw: true })
  const current = presence.blockOf(deviceId)
  return [...stored.map(blockOf).filter(({ hour }) => hour !== current?.hour), ...(current ? [current] : [])]
}

async function writeRun({ database, models, startedAt }: App, aliveUntil: number): Promise<void> {
  await database.write((transaction) => models.ServerRun.update({ aliveUntil }, { where: { startedAt }, transaction }))
}

async function forgetOldRuns({ database, models }: App): Promise<void> {
  const runs = await models.ServerRun.findAll({ order: [['startedAt', 'DESC']], offset: runsKept, limit: 1, raw: true })
  const oldest = runs[0]
  if (oldest) {
    await database.write((transaction) =>
      models.ServerRun.destroy({ where: { startedAt: { [Op.lte]: oldest.startedAt } }, transaction }),
    )
  }
}

/**
 * Starts recording load and online time: counts connected devices every minute, and stores changed blocks every five
 * minutes. Returns a function that stores the rest.
 */
export async function startPresence(app: App): Promise<() => Promise<void>> {
  await restoreLoads(app)
  const start = app.clock.now()
  await writeRun(app, start)
  await forgetOldRuns(app)
  let slot = slotOf(start)
  let counted = minuteOf(start)
  let storing = Promise.resolve()
  const store = async (now: number) => {
    await writeRun(app, now)
    if (slotOf(now) !== slot) {
      slot = slotOf(now)
      await storeLoads(app)
      app.presence.finishBefore(hourOf(now))
    }
  }
  // Runs twice a minute, so that a late timer skips no minute.
  const cancel = app.clock.every(minuteMs / 2, () => {
    const now = app.clock.now()
    if (minuteOf(now) === counted) {
      return
    }
    counted = minuteOf(now)
    for (const id of app.fleet.onlineIds()) {
      // The server that holds a device counts for it.
      if (app.presence.connectedAt(id) !== undefined) {
        app.presence.countMinute(id, now)
      }
    }
    storing = storing
      .then(() => store(now))
      .catch((error: unknown) => {
        app.log.error({ err: error }, 'The load of devices could not be stored. Retrying.')
      })
  })
  return async () => {
    cancel()
    await storing
    await storeLoads(app)
    await writeRun(app, app.clock.now())
  }
}

/** Deletes device loads older than a day. */
export const removeOldLoads = ({ app }: OpenCall): Promise<void> =>
  deleteWhere(app, 'device_loads', 'hour < ?', hourOf(app.clock.now()) - 25)
