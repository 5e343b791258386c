import { Op } from 'sequelize'
import type { OpenCall } from '../call/call.ts'
import { storeEnd } from './recording.ts'
import { rowsIn } from './recordings.ts'
import type { RecordingRow } from './tables.ts'
import { keepWholeBlocks } from './whole-blocks.ts'

/** Ends recordings that a stop of the server without notice has cut off: they keep all blocks that are whole. */
export async function closeInterruptedRecordings(call: OpenCall): Promise<void> {
  const { app } = call
  const running = { state: 'running', serverId: { [Op.notIn]: app.servers.running } } as const
  for (const row of await rowsIn(app, running)) {
    const end = await keepWholeBlocks(app, row).catch((error: unknown) => {
      app.log.warn({ err: error, recordingId: row.id }, 'An interrupted recording cannot be read.')
      return { bytes: 0, blocks: 0, digest: null, endedAt: row.startedAt }
    })
    await storeInterruption(call, row, end)
  }
}

type End = Omit<Parameters<typeof storeEnd>[2], 'state' | 'problem'>

const storeInterruption = ({ app, actor }: OpenCall, row: RecordingRow, end: End) =>
  storeEnd(
    app,
    row,
    { ...end, state: 'interrupted', problem: 'The server stopped without notice while it was recording.' },
    actor,
    { id: row.deviceId, tenantId: row.tenantId, name: row.deviceName },
  )

/** Completes recordings that another server has closed after the death of this one, without the file, which is here. */
export async function completeInterrupted(call: OpenCall): Promise<void> {
  const { app } = call
  const emptied = { state: 'interrupted', digest: null, serverId: { [Op.notIn]: app.servers.running } } as const
  for (const row of app.cluster ? await rowsIn(app, emptied) : []) {
    const end = await keepWholeBlocks(app, row).catch(() => undefined)
    if (end) {
      await storeInterruption(call, row, end)
    }
  }
}
