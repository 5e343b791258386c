import { instant } from '../ground/instant.ts'
import { hourMs, minuteMs } from '../../shared/durations.ts'
import type { DeviceLoadDto } from '../../shared/dtos/device-absence.ts'
import type { App } from '../call/call.ts'
import type { DeviceState } from '../fleet/device-state.ts'
import { hourOf, sampleOf, slotMs, slotOf } from './presence.ts'
import { loadBlocksOf } from './load-recording.ts'
import { serverTime } from './server-time.ts'

const slots = 288
/** Minimum server runtime within a slot for the slot to have a value. */
const leastSeenMs = 30_000

/** CPU, memory and online time of the last day. */
export async function loadOf(
  app: Pick<App, 'clock' | 'models' | 'presence'>,
  device: DeviceState,
): Promise<DeviceLoadDto> {
  const now = app.clock.now()
  const start = Math.floor(now / slotMs) * slotMs - (slots - 1) * slotMs
  const blocks = new Map((await loadBlocksOf(app, device.id, hourOf(start))).map((block) => [block.hour, block]))
  const ranMs = await serverTime(app, start)

  const load: DeviceLoadDto = { slotMs, start: instant(start), cpu: [], memory: [], online: [] }
  for (let at = start; at <= now; at += slotMs) {
    const block = blocks.get(Math.floor(at / hourMs))
    const sample = (row: 'cpu' | 'memory' | 'onlineMinutes') => block && sampleOf(block, row, slotOf(at))
    const share = (percent: number | undefined) => (percent === undefined ? null : percent / 100)
    const seenMs = ranMs(Math.max(at, device.createdAt), at + slotMs)
    load.cpu.push(share(sample('cpu')))
    load.memory.push(share(sample('memory')))
    const onlineMs = (sample('onlineMinutes') ?? 0) * minuteMs
    // Presence is sampled at whole minutes, so a report within the slot counts as a minute online.
    const wasThere = sample('cpu') !== undefined && onlineMs === 0 ? minuteMs : onlineMs
    load.online.push(seenMs < leastSeenMs && wasThere === 0 ? null : Math.min(1, wasThere / Math.max(seenMs, minuteMs)))
  }
  return load
}
