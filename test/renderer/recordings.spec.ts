import { readFile } from 'node:fs/promises'
import { openVp8 } from '../../agent/platform/linux/video/vp8-encoder.ts'
import { expectAccessible } from './support/fixtures.ts'
import { XProgram } from '../agent/desktop/x-program.ts'
import { expect, isNear, pixelAt, takeControl, test } from './support/real-desktop.ts'
import { green, numberOf, record, recordedPixel, red } from './support/recorded-picture.ts'
import { TerminalAgent } from './support/terminal-agent.ts'
import { openTerminal, screen } from './support/terminal-page.ts'

test.setTimeout(180_000)

test('a screen is recorded by a press, plays, and jumps', async ({ page, server, desktop }) => {
  const program = await XProgram.start(desktop.display.name)
  const window = await program.openWindow(100, 100, 300, 200)
  await takeControl(page, server.url, desktop)
  const show = async (color: readonly [number, number, number]) => {
    await program.fill(0, 0, 300, 200, numberOf(color), window)
    await expect.poll(async () => isNear(await pixelAt(page, 250, 200), color)).toBe(true)
  }
  await show(green)
  await record(page, server)
  await expectAccessible(page)
  await page.keyboard.press('F5')
  await show(red)
  await page.getByRole('button', { name: 'Stop recording' }).click()
  await expect(page.getByText('The recording is stored.')).toBeVisible()
  program.stop()

  await page.getByRole('link', { name: 'Recordings' }).click()
  await page.getByRole('row').last().click()
  const canvas = page.getByRole('img', { name: 'Recorded screen' })
  await expect.poll(async () => isNear(await recordedPixel(canvas), green)).toBe(true)
  await expectAccessible(page)
  await page.getByRole('combobox', { name: 'Speed' }).click()
  await page.getByRole('option', { name: '8×' }).click()
  const slider = page.getByRole('slider', { name: 'Position' })
  const position = async () => Number(await slider.getAttribute('aria-valuenow'))
  await slider.press('Space')
  await expect.poll(async () => isNear(await recordedPixel(canvas), red)).toBe(true)
  await expect(page.getByRole('button', { name: 'Play' })).toBeVisible()
  const end = await position()
  await slider.press('ArrowLeft')
  await expect.poll(position).toBe(Math.max(0, end - 5_000))
  await slider.press('Home')
  await expect.poll(async () => isNear(await recordedPixel(canvas), green)).toBe(true)
  const marks = page.getByRole('region', { name: 'What happened' })
  await marks.getByRole('button', { name: 'F5' }).click()
  await expect.poll(async () => isNear(await recordedPixel(canvas), green)).toBe(true)
  const beforeMark = await position()
  await slider.press('Home')
  await slider.press('Shift+ArrowRight')
  await expect.poll(position).toBe(beforeMark)
  await slider.press('f')
  await expect(marks).toBeHidden()
  await slider.press('f')
  await expect(marks).toBeVisible()
  const saving = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Save as WebM' }).click()
  const saved = await saving
  expect(saved.suggestedFilename()).toMatch(/\.webm$/)
  const film = (await readFile(await saved.path())).toString('base64')
  const player = await page.context().newPage()
  const shown = await player.evaluate(async (content) => {
    const video = document.createElement('video')
    const seekTo = async (at: number) => {
      const isThere = new Promise((resolve) => video.addEventListener('seeked', resolve, { once: true }))
      video.currentTime = at
      await isThere
      const picture = new OffscreenCanvas(video.videoWidth, video.videoHeight).getContext('2d')!
      picture.drawImage(video, 0, 0)
      return Array.from(picture.getImageData(250, 200, 1, 1).data.slice(0, 3))
    }
    const isLoaded = new Promise((resolve, reject) => {
      video.addEventListener('loadeddata', resolve)
      video.addEventListener('error', () => reject(new Error(video.error?.message)))
    })
    video.src = `data:video/webm;base64,${content}`
    await isLoaded
    const { duration } = video
    return { duration, first: await seekTo(0.01), last: await seekTo(duration) }
  }, film)
  expect(shown.duration).toBeCloseTo(end / 1000, 0)
  expect([isNear(shown.first, green), isNear(shown.last, red)]).toEqual([true, true])
})

test(
  'a film is recorded as video, and shown at the place that is jumped to',
  { tag: '@night' },
  async ({ page, server, desktop }) => {
    const encoder = openVp8({ width: 64, height: 64 })
    test.skip(!encoder, 'This machine has no libvpx.')
    encoder?.close()
    const program = await XProgram.start(desktop.display.name)
    const window = await program.openWindow(100, 100, 640, 448)
    await takeControl(page, server.url, desktop)
    const stage = page.workers().find((worker) => worker.url().includes('stage-worker'))!
    await stage.evaluate(() => {
      const { prototype } = VideoDecoder
      const { decode } = prototype
      const counted = Object.assign(globalThis, { decoded: 0 })
      prototype.decode = function (chunk) {
        counted.decoded++
        decode.call(this, chunk)
      }
    })
    const decoded = () => stage.evaluate(() => (globalThis as unknown as { decoded: number }).decoded)
    await page.getByRole('button', { name: 'Record', exact: true }).click()
    await expect(page.getByRole('status', { name: 'Recording', exact: true })).toBeVisible()
    const play = async (color: readonly [number, number, number], isDone: () => Promise<boolean>) => {
      for (let frame = 0; frame % 20 !== 0 || !(await isDone()); frame++) {
        await program.fill(0, 0, 640, 448, numberOf(color) ^ (frame % 8), window)
      }
    }
    await play(green, async () => (await decoded()) > 0)
    // Only the video has this color: images come before it, and after the film.
    await play(red, async () => isNear(await pixelAt(page, 250, 200), red))
    // The list of what happened leads to a second before each key.
    const redSince = performance.now()
    await play(red, () => Promise.resolve(performance.now() - redSince > 1_500))
    await page.keyboard.press('F5')
    const before = await decoded()
    await play(red, async () => (await decoded()) > before + 10)
    await program.fill(0, 0, 640, 448, numberOf(green), window)
    await expect.poll(async () => isNear(await pixelAt(page, 250, 200), green)).toBe(true)
    await page.getByRole('button', { name: 'Stop recording' }).click()
    await expect(page.getByText('The recording is stored.')).toBeVisible()
    program.stop()

    await page.getByRole('link', { name: 'Recordings' }).click()
    await page.getByRole('row').last().click()
    const canvas = page.getByRole('img', { name: 'Recorded screen' })
    await page.getByRole('region', { name: 'What happened' }).getByRole('button', { name: 'F5' }).click()
    await expect.poll(async () => isNear(await recordedPixel(canvas), red)).toBe(true)
    await page.getByRole('slider', { name: 'Position' }).press('End')
    await expect.poll(async () => isNear(await recordedPixel(canvas), green)).toBe(true)
  },
)

test(
  'a terminal is recorded by a press, plays, and is saved as asciicast',
  { tag: '@night' },
  async ({ page, server, owner }) => {
    const agent = await TerminalAgent.start(owner, { isPty: true })
    await openTerminal(page, server.url, agent)
    await page.getByRole('button', { name: 'Record', exact: true }).click()
    await expect(page.getByRole('button', { name: 'Stop recording' })).toBeVisible()
    await agent.print('recorded words\r\n')
    await expect(screen(page)).toContainText('recorded words')
    await page.getByRole('button', { name: 'Stop recording' }).click()
    await expect(page.getByText('The recording is stored.')).toBeVisible()

    await page.getByRole('link', { name: 'Recordings' }).click()
    await page.getByRole('row').last().click()
    await page.getByRole('combobox', { name: 'Speed' }).click()
    await page.getByRole('option', { name: '0.5×' }).click()
    await page.getByRole('button', { name: 'Play' }).click()
    // The terminal itself goes on in the background.
    await expect(screen(page).filter({ visible: true })).toContainText('recorded words')
    const saving = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save as asciicast' }).click()
    const saved = await saving
    expect(saved.suggestedFilename()).toMatch(/\.cast$/)
    const [header = '', ...events] = (await readFile(await saved.path(), 'utf8')).trim().split('\n')
    expect(JSON.parse(header)).toMatchObject({ version: 2 })
    expect(events.join('\n')).toContain('recorded words')
    await agent.stop()
  },
)

test('the recording settings are saved only after a change', async ({ page, server, owner: _ }) => {
  await page.goto(`${server.url}/settings/recording`)
  const save = page.getByRole('button', { name: 'Save', exact: true })
  await expect(save).toBeDisabled()
  await page.getByRole('textbox', { name: 'Space in GB' }).fill('30')
  await save.click()
  await expect(page.getByText('Saved.')).toBeVisible()
  await expect(save).toBeDisabled()
})
