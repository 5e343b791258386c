import { expect, freshPageTest as test } from './support/fixtures.ts'
import { recordedPixel } from './support/recorded-picture.ts'
import { isNear, pixelAt } from './support/real-desktop.ts'
import { displayOf, plainPicture, ScriptedDesktop } from './support/scripted-desktop.ts'
import { TerminalAgent } from './support/terminal-agent.ts'
import { openTerminal, screen } from './support/terminal-page.ts'
import { keyPacket } from '../support/vp8.ts'

// T18, T35: a recording holds what its device sent, so its player trusts it no more than a session trusts the device.

const size = { width: 320, height: 240 }
const most = 2_147_483_647
const markup = '<img src=x onerror=document.title="taken">'
const whole = { x: 0, y: 0, ...size, imageFormat: 0 as const }
const blue = [30, 40, 200] as const

/** Frames that no player can draw. */
async function hostileFrames() {
  const regionsOf = (...regions: object[]) => ({ regions: regions.map((region) => ({ ...whole, ...region })) as never })
  const key = await keyPacket(size.width, size.height, [200, 30, 30])
  // Header and sizes are right, but eight partitions are announced and none follows.
  const broken = Buffer.concat([key.subarray(0, 10), Buffer.from([0, 3]), Buffer.alloc(40, 0xff)])
  broken.writeUIntLE(0x10 | (42 << 5), 0, 3)
  const encodedImage = plainPicture(1, 1, [200, 30, 30])
  const video = (packet: Uint8Array) => ({ regions: [], moves: [], video: { packet, areas: [whole] } })
  return [
    regionsOf({ encodedImage: Buffer.from(markup) }),
    regionsOf({ x: -most, width: most, height: Number.NaN, encodedImage }),
    regionsOf(...Array.from({ length: 2_000 }, () => ({ encodedImage }))),
    { regions: [], moves: [{ x: 0, y: 0, width: most, height: -most, fromX: -most, fromY: most }] },
    video(Buffer.from(markup)),
    ...[broken, broken, broken].map(video),
  ]
}

test(
  'a recording of a hostile screen plays, shows its texts as text, and ends with its last picture',
  { tag: '@night' },
  async ({ page, server, owner }) => {
    const desktop = await ScriptedDesktop.start(owner)
    desktop.displays = [displayOf(0, size.width, size.height), { ...displayOf(1, 320, 240, 320), name: markup }]
    await page.goto(`${server.url}/devices/${desktop.deviceId}/control`)
    await page.getByRole('button', { name: 'Control', exact: true }).click()
    await expect(page.getByText('In control')).toBeVisible()
    await page.getByRole('button', { name: 'Record', exact: true }).click()
    await expect(page.getByRole('status', { name: 'Recording', exact: true })).toBeVisible()
    const { channel } = desktop
    await desktop.paint([30, 140, 60])
    await channel!.send('DisplayShown', { displayId: 'display-1' })
    for (const frame of await hostileFrames()) {
      await channel!.sendFrame(() => Promise.resolve(frame))
    }
    // A recording has the size of the display that was shown last.
    const absurd = { ...displayOf(1, 320, 240, 320), capturePixelSize: { width: most, height: -most } }
    await channel!.send('DisplayData', { displays: [desktop.displays[0]!, absurd] })
    await channel!.sendFrame(async () => ({ regions: [{ ...whole, encodedImage: plainPicture(1, 1, blue) }] }))
    await channel!.send('DisplayData', { displays: desktop.displays })
    await desktop.paint(blue)
    await expect.poll(async () => isNear(await pixelAt(page, 250, 200, size), blue)).toBe(true)
    await page.getByRole('button', { name: 'Stop recording' }).click()
    await expect(page.getByText('The recording is stored.')).toBeVisible()

    await page.getByRole('link', { name: 'Recordings' }).click()
    await page.getByRole('row').last().click()
    const canvas = page.getByRole('img', { name: 'Recorded screen' })
    await page.getByRole('button', { name: 'Play', exact: true }).click()
    await page.getByRole('slider', { name: 'Position' }).press('End')
    await expect.poll(async () => isNear(await recordedPixel(canvas), blue)).toBe(true)
    await expect(page.getByRole('region', { name: 'What happened' })).toContainText(markup)
    await expect(page).not.toHaveTitle('taken')
    await desktop.stop()
  },
)

test(
  'a recording of a hostile terminal writes to no clipboard, and answers nothing while it plays',
  { tag: '@night' },
  async ({ page, server, owner, context }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    const agent = await TerminalAgent.start(owner, { isPty: true })
    await openTerminal(page, server.url, agent)
    await page.getByRole('button', { name: 'Record', exact: true }).click()
    await expect(page.getByRole('button', { name: 'Stop recording' })).toBeVisible()
    const stolen = Buffer.from('rm -rf /').toString('base64')
    await agent.print(`\x1b]0;${markup}\x07\x1b]52;c;${stolen}\x07\x1b]52;c;?\x07\x05\x1b[c\x1b[6n\x1b[21t`)
    await agent.print('\x1b[8;60000;60000t\x1b]8;;javascript:alert(1)\x07all recorded\x1b]8;;\x07')
    await expect(screen(page)).toContainText('all recorded')
    await page.getByRole('button', { name: 'Stop recording' }).click()
    await expect(page.getByText('The recording is stored.')).toBeVisible()
    await page.evaluate(() => navigator.clipboard.writeText('mine'))

    await page.getByRole('link', { name: 'Recordings' }).click()
    await page.getByRole('row').last().click()
    const inputs = agent.inputs.length
    await page.getByRole('button', { name: 'Play', exact: true }).click()
    await expect(screen(page).filter({ visible: true })).toContainText('all recorded')
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('mine')
    await expect(page).not.toHaveTitle('taken')
    expect(agent.inputs).toHaveLength(inputs)
    await agent.stop()
  },
)
