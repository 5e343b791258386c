import { applianceRecordings } from '../../shared/api/appliance-recordings.ts'
import { createClient } from '../../shared/contract/client.ts'
import type { RecordingDto } from '../../shared/dtos/recording.ts'
import type { Account } from '../simulate/fleet.ts'
import { withRealAgent } from '../simulate/real-agent.ts'
import { sleep, type Round } from './measure.ts'
import { play, withPage, withPlace, type Viewer } from './remote-control.ts'
import type { Stage } from './scenes.ts'

/** Office work of a minute: typing with pauses, then reading with the wheel, then nothing. */
const typedMs = 35_000
const typingStepMs = 160
const readMs = 15_000
const wheelMs = 1_000
const stepsOfWheel = 6
const restMs = 10_000
const minutesPerHour = 60
const scenes = ['motion', 'scrolling', 'typing'] as const

async function typeFor({ typing }: Stage['scenes']): Promise<void> {
  for (let step = 1; step * typingStepMs <= typedMs; step++) {
    typing(step)
    await sleep(typingStepMs)
  }
}

async function readFor({ scrolling }: Stage['scenes']): Promise<void> {
  for (let turn = 0; turn * wheelMs < readMs; turn++) {
    for (let step = 1; step <= stepsOfWheel; step++) {
      scrolling(turn * stepsOfWheel + step)
      await sleep(1000 / 60)
    }
    await sleep(wheelMs - (stepsOfWheel * 1000) / 60)
  }
}

/** Parts of a minute; `rest` has only the picture with which each recording begins. */
const officeMinute: Readonly<Record<'rest' | 'typed' | 'read', (scenes: Stage['scenes']) => Promise<void>>> = {
  rest: () => sleep(restMs),
  typed: typeFor,
  read: readFor,
}

/** Newest recording, once its file is complete. */
async function newestRecording(url: string, { tenantId, fetch }: Account): Promise<RecordingDto> {
  const recordings = createClient(applianceRecordings, { baseUrl: url, fetch })
  for (;;) {
    const [newest] = (await recordings.list({ tenantId, query: { limit: 1 } })).items
    if (newest && newest.state !== 'running') {
      return newest
    }
    await sleep(200)
  }
}

async function record({ page }: Viewer, work: () => Promise<void>): Promise<void> {
  await page.getByRole('button', { name: 'Record', exact: true }).click()
  await page.getByRole('button', { name: 'Stop recording' }).waitFor()
  await work()
  await page.getByRole('button', { name: 'Stop recording' }).click()
  await page.getByRole('button', { name: 'Record', exact: true }).waitFor()
}

/** Cost of a recording on the frames that a page draws, and its bytes. */
export async function recording(round: Round): Promise<void> {
  await withPlace(({ server, account, browser, stage, display }) =>
    withRealAgent(server.url, account, async (deviceId) => {
      const address = new URL(`/devices/${deviceId}/control`, server.url)
      const inPage = async (work: (viewer: Viewer) => Promise<void>) => {
        stage.clear()
        await withPage(browser, { address, display, onLoad: () => {} }, work)
      }
      const seconds = round.number('seconds', 8)
      const measured = (viewer: Viewer, scene: (typeof scenes)[number]) =>
        play(stage.scenes[scene], viewer, server, seconds)
      for (const scene of scenes.filter((name) => round.wants(name))) {
        await inPage(async (viewer) => {
          round.record(scene, await measured(viewer, scene))
          await record(viewer, async () => round.record(`${scene}, recorded`, await measured(viewer, scene)))
        })
      }
      if (round.wants('office')) {
        await inPage(async (viewer) => {
          const megabytes = { rest: 0, typed: 0, read: 0 }
          for (const part of ['rest', 'typed', 'read'] as const) {
            await record(viewer, () => officeMinute[part](stage.scenes))
            megabytes[part] = (await newestRecording(server.url, account)).bytes / 1e6
          }
          const [typed, read] = [megabytes.typed, megabytes.read].map((all) => (all - megabytes.rest) * minutesPerHour)
          round.record('an hour of office work', {
            megabytes: megabytes.rest + typed! + read!,
            typedMegabytes: typed!,
            readMegabytes: read!,
            firstPictureMegabytes: megabytes.rest,
          })
        })
      }
    }),
  )
}
