import { randomUUID } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import type { Locator, Page } from '@playwright/test'
import { startRealDevice, type RealDevice } from '../../support/real-device.ts'
import { freshPageTest } from './fixtures.ts'
import { test as roomTest } from './room.ts'

interface FilesFixtures {
  device: RealDevice
  /** Folder of this machine for the test. */
  folder: string
}

/** Makes a folder for a test, beside the data of an agent. */
function makeFolder(device: RealDevice): string {
  const folder = device.path(randomUUID(), 'work')
  mkdirSync(folder, { recursive: true })
  return folder
}

/** Real agent and server that other tests use too, so that a test leaves both as they are. */
export const test = roomTest.extend<Pick<FilesFixtures, 'folder'>>({
  folder: ({ device }, use) => use(makeFolder(device)),
})

/** Real agent and server of the test alone, which may kill, restart and change them. */
export const testAlone = freshPageTest.extend<FilesFixtures>({
  device: async ({ owner }, use) => {
    const device = await startRealDevice(owner)
    await use(device)
    await device.stop()
  },
  folder: ({ device }, use) => use(makeFolder(device)),
})

export const list = (page: Page) => page.getByRole('grid', { name: /^Files and folders/ })
export const row = (page: Page, name: string | RegExp) => list(page).getByRole('row').filter({ hasText: name })
export const dock = (page: Page) => page.getByRole('region', { name: 'Transfers' })
export const rowNames = (page: Page) =>
  list(page)
    .locator('[data-index]')
    .evaluateAll((rows) =>
      rows
        .toSorted((one, other) => Number(one.getAttribute('data-index')) - Number(other.getAttribute('data-index')))
        .map((each) => each.querySelector('bdi')?.textContent),
    )
export const addressOf = (url: string, { id }: RealDevice, folder: string) =>
  `${url}/devices/${id}/files?${new URLSearchParams({ path: folder }).toString()}`

/** Reproducible pseudo-random bytes. */
export const bytesOf = (size: number) => {
  const bytes = Buffer.alloc(size)
  for (let at = 0, seed = 7; at < size; at += 4) {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
    bytes.writeUInt32LE(seed, Math.min(at, Math.max(0, size - 4)))
  }
  return bytes
}

/** Drops a file of the person on an element; returns whether the page took it, so that the browser does not open it. */
export const dropFile = (target: Locator, name: string) =>
  target.evaluate((element, fileName) => {
    const dataTransfer = new DataTransfer()
    dataTransfer.items.add(new File(['x'], fileName))
    const events = ['dragenter', 'dragover', 'drop'].map(
      (type) => new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer }),
    )
    events.forEach((event) => element.dispatchEvent(event))
    return events.slice(1).every(({ defaultPrevented }) => defaultPrevented)
  }, name)

/** Drops files and folders of this machine on an element, as a drag from a file manager. */
export async function dropPaths(page: Page, target: Locator, files: string[]): Promise<void> {
  const { x, y, width, height } = (await target.boundingBox())!
  const devTools = await page.context().newCDPSession(page)
  const data = { items: [], files, dragOperationsMask: 1 }
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    await devTools.send('Input.dispatchDragEvent', { type, x: x + width / 2, y: y + height / 2, data })
  }
  await devTools.detach()
}

/** Answers uploads as done, so that nothing is written to the home folder of this machine. Returns what was asked. */
export async function answerUploads(page: Page) {
  const uploads: unknown[] = []
  await page.route('**/uploads/*/state*', (route) => {
    uploads.push(route.request().postDataJSON())
    return route.fulfill({ json: { canResume: true, receivedBytes: 1, isDone: true } })
  })
  return uploads
}
