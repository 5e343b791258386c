import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import sharp from 'sharp'
import { expect, onTestFinished, test } from 'vitest'
import { ControlHolders } from '../../../../agent/desktop/session/control-holders.ts'
import { maxClipboardBytes } from '../../../../shared/remote-control/clipboard.ts'
import { PictureParts, sendPicture } from '../../../../shared/remote-control/picture-parts.ts'
import { openPolicy } from '../../../../shared/remote-control/policy.ts'
import { controlRequest, folderPurpose } from '../../../../shared/remote-control/values.ts'
import { until } from '../../../support/until.ts'
import { handled, startScene, type Scene } from './scene.ts'

const noise = Buffer.from(Array.from({ length: 200 * 150 * 3 }, (_, index) => (index * index) >> 3))
const png = await sharp(noise, { raw: { width: 200, height: 150, channels: 3 } })
  .png()
  .toBuffer()
const paste = ({ viewer }: Scene, picture: Uint8Array, contentId = 1) =>
  sendPicture(contentId, picture, (part) => viewer.send('ClipboardPicture', part))

test('a picture copied at the device is offered, and sent when the viewer asks for it', async () => {
  const scene = await startScene()
  scene.desktop.clipboardPicture = png
  scene.desktop.clipboard.onChange()
  const [offer] = await until(() => scene.told.ClipboardOffer)
  expect(offer).toEqual({ offerId: offer!.offerId, byteCount: png.length, width: 200, height: 150, files: [] })
  expect(scene.told.ClipboardPicture).toBeUndefined()
  await scene.viewer.send('RequestClipboardPicture', { offerId: offer!.offerId })
  const parts = new PictureParts()
  const whole = await until(() =>
    scene.told.ClipboardPicture?.splice(0)
      .map((part) => parts.add(part))
      .at(-1),
  )
  expect(Buffer.from(whole).equals(png)).toBe(true)
})

test('a picture of the viewer reaches the clipboard whole, and damaged, foreign and too large ones are refused', async () => {
  const scene = await startScene()
  await paste(scene, png)
  await until(() => scene.told.ClipboardResult?.some(({ reason }) => reason === null))
  expect(scene.desktop.clipboardPicture?.equals(png)).toBe(true)
  await paste(scene, Buffer.from('GIF89a and no picture at all'), 2)
  const bomb = Buffer.from(png)
  bomb.writeUInt32BE(100_000, 16)
  await paste(scene, bomb, 3)
  await scene.viewer.send('ClipboardPicture', { contentId: 4, byteCount: maxClipboardBytes + 1, part: png })
  await scene.viewer.send('ClipboardPicture', { contentId: 5, byteCount: 10, part: png })
  await until(() => scene.told.ClipboardResult?.length === 5)
  const results = scene.told.ClipboardResult?.toSorted((a, b) => a.contentId - b.contentId)
  expect(results?.slice(1).map(({ reason }) => reason)).toEqual([
    'This is not a PNG picture that fits a screen.',
    'This is not a PNG picture that fits a screen.',
    'This picture is larger than the 16 MiB that clipboards share. Send it as a file.',
    'This picture was damaged on its way.',
  ])
  expect(scene.desktop.clipboardPicture?.equals(png)).toBe(true)
})

test('files are pasted from a folder of this user, which ends with the session', async () => {
  const scene = await startScene()
  await scene.viewer.send('RequestFolder', { purpose: folderPurpose.Clipboard })
  const [answer] = await until(() => scene.told.Folder)
  const { path } = answer!
  expect(statSync(dirname(path)).mode & 0o077).toBe(0)
  await writeFile(join(path, 'report.pdf'), 'pdf')
  for (const [contentId, name] of ['../../etc/passwd', '/etc/passwd', 'missing', 'report.pdf'].entries()) {
    await scene.viewer.send('ClipboardFiles', { contentId, names: [name] })
  }
  await until(() => scene.told.ClipboardResult?.length === 4)
  expect(scene.told.ClipboardResult?.filter(({ reason }) => reason === null)).toEqual([{ contentId: 3, reason: null }])
  expect(scene.desktop.clipboardFiles).toEqual([join(path, 'report.pdf')])
  // A screen that changes while the session ends holds nothing up.
  const area = { x: 0, y: 0, width: 320, height: 200 }
  scene.desktop.input.releaseAll = () => {
    scene.desktop.fill(area, () => [9, 9, 9])
    return undefined
  }
  scene.viewer.close()
  expect(await scene.ended).toMatchObject({ pasted: ['files'] })
  expect(existsSync(dirname(path))).toBe(false)
})

test('folders for pasted files are few, and those of a killed process are removed', async () => {
  // No process has this id: Linux has ids up to 4,194,304.
  const abandoned = mkdtempSync(join(tmpdir(), 'farhand-clipboard-4999999-'))
  writeFileSync(join(abandoned, 'report.pdf'), 'pdf')
  const running = mkdtempSync(join(tmpdir(), `farhand-clipboard-${process.ppid}-`))
  onTestFinished(() => rmSync(running, { recursive: true }))
  const scene = await startScene()
  for (let sent = 0; sent < 25; sent++) {
    await scene.viewer.send('RequestFolder', { purpose: folderPurpose.Clipboard })
  }
  await until(() => scene.told.Folder?.length === 25)
  const folders = scene.told.Folder ?? []
  expect([existsSync(abandoned), existsSync(running)]).toEqual([false, true])
  await until(() => readdirSync(dirname(folders[0]?.path ?? '')).length === 20)
  expect(existsSync(folders.at(-1)?.path ?? '')).toBe(true)
  scene.viewer.close()
  await scene.ended
})

test('files copied at the device are offered by path, and those that its user cannot see are not', async () => {
  const scene = await startScene()
  scene.desktop.clipboardFiles = [import.meta.filename, import.meta.dirname, '/nowhere/at/all']
  scene.desktop.clipboard.onChange()
  const [offer] = await until(() => scene.told.ClipboardOffer)
  expect(offer?.files.map(({ path, isFolder }) => [basename(path), isFolder])).toEqual([
    ['clipboard.test.ts', false],
    ['session', true],
  ])
})

/** Tries everything that a viewer can do with a clipboard. */
async function tryAll(scene: Scene) {
  const { viewer, desktop, sessionId } = scene
  desktop.clipboardText = 'secret'
  desktop.clipboard.onChange()
  await viewer.send('RequestClipboardText', {})
  await viewer.send('ClipboardText', { text: 'mine', sessionId })
  await paste(scene, png)
  await viewer.send('RequestFolder', { purpose: folderPurpose.Clipboard })
  await handled(scene)
  await until(() => scene.told.ClipboardResult)
}

test('a viewer who may only watch neither gets nor gives anything, whatever its other rights (T05)', async () => {
  const scene = await startScene({ request: { policy: { ...openPolicy, canInteract: false } } })
  await tryAll(scene)
  expect([scene.told.ClipboardText, scene.told.ClipboardOffer, scene.desktop.clipboardText]).toEqual([
    undefined,
    undefined,
    'secret',
  ])
  expect([scene.desktop.clipboardPicture, scene.told.Folder?.[0]?.path]).toEqual([null, ''])
})

test('of viewers who share control, those without it neither get nor give anything (T05)', async () => {
  const holders = new ControlHolders()
  const first = await startScene({ holders, request: { sharesControl: true, viewerPrincipalId: 'a' } })
  await until(() => first.told.ControlHolders)
  const second = await startScene({ holders, request: { sharesControl: true, viewerPrincipalId: 'b' } })
  await tryAll(second)
  expect([second.told.ClipboardText, second.desktop.clipboardText]).toEqual([undefined, 'secret'])
  await second.viewer.send('RequestControl', { request: controlRequest.Take, viewerId: 0 })
  await second.viewer.send('ClipboardText', { text: 'mine', sessionId: second.sessionId })
  await until(() => second.desktop.clipboardText === 'mine')
})

test('a session whose clipboard is off exchanges nothing until it is on again', async () => {
  const scene = await startScene()
  await scene.viewer.send('ToggleClipboard', { isEnabled: false })
  await until(() => scene.told.ClipboardStatus?.some(({ isEnabled }) => !isEnabled))
  await tryAll(scene)
  expect([scene.told.ClipboardText, scene.desktop.clipboardText, scene.desktop.clipboardPicture]).toEqual([
    undefined,
    'secret',
    null,
  ])
  await scene.viewer.send('ToggleClipboard', { isEnabled: true })
  await scene.viewer.send('RequestClipboardText', {})
  await until(() => scene.told.ClipboardText?.some(({ text }) => text === 'secret'))
})
