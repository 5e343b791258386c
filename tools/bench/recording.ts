import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from '@playwright/test'
import { applianceRecordings } from '../../shared/api/appliance-recordings.ts'
import { createClient } from '../../shared/contract/client.ts'
import type { Round } from './measure.ts'
import { openPage, openPlace, play, type Place } from './remote-control.ts'

/** Office work of a minute: typing with pauses, then reading with the wheel, then nothing. */
const typedMs = 35_000
const typingStepMs = 160
const readMs = 15_000
const wheelMs = 1_000
const stepsOfWheel = 6
const restMs = 10_000
const minutesPerHour = 60
const scenes = ['motion', 'scrolling', 'typing'] as const

async function typeFor({ stage }: Place): Promise<void> {
  for (let step = 1; step * typingStepMs <= typedMs; step++) {
    stage.scenes.typing(step)
    await sleep(typingStepMs)
  }
}

async function readFor({ stage }: Place): Promise<void> {
  for (let turn = 0; turn * wheelMs < readMs; turn++) {
    for (let step = 1; step <= stepsOfWheel; step++) {
      stage.scenes.scrolling(turn * stepsOfWheel + step)
      await sleep(1000 / 60)
    }
    await sleep(wheelMs - (stepsOfWheel * 1000) / 60)
  }
}

async function record<T>(page: Page, work: () => Promise<T>): Promise<T> {
  await page.getByRole('button', { name: 'Record', exact: true }).click()
  await page.getByRole('button', { name: 'Stop recording' }).waitFor()
  const done = await work()
  await page.getByRole('button', { name: 'Stop recording' }).click()
  await page.getByRole('button', { name: 'Record', exact: true }).waitFor()
  return done
}

/** Megabytes of a recording of `work`, once its file is complete. */
async function megabytesOf({ server, account }: Place, page: Page, work: () => Promise<void>): Promise<number> {
  await record(page, work)
  const recordings = createClient(applianceRecordings, { baseUrl: server.url, fetch: account.fetch })
  for (;;) {
    const { items } = await recordings.list({ tenantId: account.tenantId, query: { limit: 1 } })
    if (items[0] && items[0].state !== 'running') {
      return items[0].bytes / 1e6
    }
    await sleep(200)
  }
}

/** Cost of a recording on the frames that a page draws, alternating with the same scene without one; and its bytes. */
export async function recording(round: Round): Promise<void> {
  await using place = await openPlace()
  const seconds = round.number('seconds', 6)
  for (const scene of scenes.filter((name) => round.wants(name))) {
    await using control = await openPage(place)
    const draw = () => play(place, control.page, scene, seconds)
    const recorded = () => record(control.page, draw)
    await round.measure(`${scene}, recorded; bare: not recorded`, [recorded, draw], (work) => work())
  }
  if (round.wants('office')) {
    await using control = await openPage(place)
    place.stage.clear()
    const megabytes = (work: () => Promise<void>) => megabytesOf(place, control.page, work)
    // Has only the picture with which each recording begins.
    const firstPicture = await megabytes(() => sleep(restMs))
    const typed = ((await megabytes(() => typeFor(place))) - firstPicture) * minutesPerHour
    const read = ((await megabytes(() => readFor(place))) - firstPicture) * minutesPerHour
    round.record('an hour of office work', { megabytes: firstPicture + typed + read, typed, read, firstPicture })
  }
}
