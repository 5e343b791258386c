import { execFile, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { promisify } from 'node:util'
import type { Page } from '@playwright/test'
import sharp from 'sharp'
import { gnomeFilesType } from '../../agent/platform/linux/file-uris.ts'
import { maxClipboardBytes } from '../../shared/remote-control/clipboard.ts'
import { dropFile, dropPaths } from './support/files.ts'
import { expect, screenOf, takeControl, test } from './support/real-desktop.ts'

test.setTimeout(180_000)

/** Puts a picture in one color on the clipboard of the browser. */
const copyInBrowser = (page: Page, color: string) =>
  page.evaluate(async (fill) => {
    const canvas = new OffscreenCanvas(40, 30)
    const context = canvas.getContext('2d')!
    context.fillStyle = fill
    context.fillRect(0, 0, 40, 30)
    await navigator.clipboard.write([new ClipboardItem({ 'image/png': await canvas.convertToBlob() })])
  }, color)

/** Color of the picture on the clipboard of the browser. */
const colorInBrowser = (page: Page) =>
  page.evaluate(async () => {
    const [item] = await navigator.clipboard.read()
    const bitmap = await createImageBitmap(await item!.getType('image/png'))
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d')!
    context.drawImage(bitmap, 0, 0)
    return [bitmap.width, bitmap.height, ...context.getImageData(5, 5, 1, 1).data.slice(0, 3)]
  })

test(
  'a picture is pasted both ways, files are pasted and offered, and a file and a folder dropped on the screen land on its desktop',
  { tag: '@night' },
  async ({ page, server, desktop, context }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await takeControl(page, server.url, desktop)
    const env = { ...process.env, DISPLAY: desktop.display.name }
    const pastedThere = async (type: string) => {
      const options = ['-selection', 'clipboard', '-out', '-target', type]
      return (await promisify(execFile)('xclip', options, { env, encoding: 'buffer' })).stdout
    }
    const copyThere = (content: Buffer | string, type: string) => {
      const xclip = spawn('xclip', ['-selection', 'clipboard', '-target', type], {
        env,
        stdio: ['pipe', 'ignore', 'ignore'],
      })
      xclip.stdin.end(content)
    }
    const note = page.getByRole('status')

    await copyInBrowser(page, 'rgb(200, 40, 90)')
    await screenOf(page).click()
    await page.keyboard.press('Control+v')
    await expect(note.filter({ hasText: 'Sent to the device. Paste it there.' })).toBeVisible()
    const { data, info } = await sharp(await pastedThere('image/png'))
      .removeAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true })
    expect([info.width, info.height, ...data.subarray(0, 3)]).toEqual([40, 30, 200, 40, 90])

    const background = { r: 10, g: 160, b: 220 }
    const picture = await sharp({ create: { width: 32, height: 24, channels: 3, background } })
      .png()
      .toBuffer()
    copyThere(picture, 'image/png')
    await expect(note.filter({ hasText: 'Copied from the device' })).toBeVisible()
    expect(await colorInBrowser(page)).toEqual([32, 24, 10, 160, 220])

    // The picture of the device is not sent back to it.
    await page.keyboard.press('Control+v')
    copyThere(`copy\nfile://${import.meta.filename}`, gnomeFilesType)
    await expect(note.filter({ hasText: /clipboard-and-drop\.spec\.ts copied on / })).toBeVisible()
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save it here' }).click()
    expect((await download).suggestedFilename()).toBe('clipboard-and-drop.spec.ts')

    const pasteFile = (name: string, bytes: number) =>
      page.getByLabel(/^Keyboard of /).evaluate(
        (element, file) => {
          const clipboardData = new DataTransfer()
          clipboardData.items.add(new File(['x'.repeat(file.bytes)], file.name))
          element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
        },
        { name, bytes },
      )
    await pasteFile('film.mp4', maxClipboardBytes + 1)
    await expect(note.filter({ hasText: 'larger than the 16 MiB that clipboards share' })).toBeVisible()
    await pasteFile('figures.csv', 7)
    await expect(note.filter({ hasText: '1 file is on the clipboard of the device.' })).toBeVisible()
    const pasted = new URL(String(await pastedThere('text/uri-list')).trim())
    expect(readFileSync(pasted, 'utf8')).toBe('x'.repeat(7))

    const name = `farhand-drop-${randomUUID()}.txt`
    await dropFile(screenOf(page), name)
    const landed = page.getByRole('alert').filter({ hasText: /^1 file sent to / })
    await expect(landed).toBeVisible()
    const [, folder] = /^1 file sent to (.+) on /.exec((await landed.textContent())!)!
    expect(readFileSync(`${folder}/${name}`, 'utf8')).toBe('x')
    rmSync(`${folder}/${name}`)

    const dropped = `farhand-drop-${randomUUID()}`
    mkdirSync(desktop.device.path(dropped, 'deep'), { recursive: true })
    writeFileSync(desktop.device.path(dropped, 'one.txt'), 'one')
    writeFileSync(desktop.device.path(dropped, 'deep', 'two.txt'), 'two')
    await dropPaths(page, screenOf(page), [desktop.device.path(dropped)])
    await expect(page.getByRole('alert').filter({ hasText: /^2 files sent to / })).toBeVisible()
    expect(readFileSync(`${folder}/${dropped}/one.txt`, 'utf8')).toBe('one')
    expect(readFileSync(`${folder}/${dropped}/deep/two.txt`, 'utf8')).toBe('two')
    rmSync(`${folder}/${dropped}`, { recursive: true })

    await page.getByRole('button', { name: 'End the session' }).click()
    await expect(page.getByText('You ended the session.')).toBeVisible()
    await expect.poll(() => existsSync(pasted)).toBe(false)
  },
)
