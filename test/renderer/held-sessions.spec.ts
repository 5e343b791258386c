import { expect, expectAccessible, test } from './support/fixtures.ts'
import { ScriptedDesktop } from './support/scripted-desktop.ts'

test(
  'two controlled devices stay connected while lists are shown, and are one click away',
  { tag: '@night' },
  async ({ page, server, owner }) => {
    const desktops = [await ScriptedDesktop.start(owner), await ScriptedDesktop.start(owner)]
    const [first, second] = desktops as [ScriptedDesktop, ScriptedDesktop]
    const screen = page.getByRole('img', { name: /^Screen of/ }).filter({ visible: true })
    const color = async () => {
      const image = await screen.locator('canvas').screenshot()
      return page.evaluate(
        async (bytes) => {
          const bitmap = await createImageBitmap(new Blob([new Uint8Array(bytes)], { type: 'image/png' }))
          const context = new OffscreenCanvas(1, 1).getContext('2d')!
          context.drawImage(bitmap, -bitmap.width / 2, -bitmap.height / 2)
          return Array.from(context.getImageData(0, 0, 1, 1).data.slice(0, 3), (value) => Math.round(value / 32))
        },
        [...image],
      )
    }

    // With one desktop and nothing to ask, the row's button begins the session without another click.
    await page.goto(`${server.url}/devices`)
    const rows = page.getByRole('row').filter({ has: page.getByRole('gridcell') })
    for (const index of desktops.keys()) {
      const row = rows.nth(index)
      await row.hover()
      await row.getByRole('link', { name: /^Control / }).click()
      await expect(page.getByText('In control').filter({ visible: true })).toBeVisible()
      expect(desktops.flatMap(({ requests }) => requests)).toHaveLength(index + 1)
      await page.getByRole('link', { name: 'Devices', exact: true }).first().click()
    }
    const chips = page.getByRole('list', { name: 'Your running sessions' })
    await expect(chips.getByRole('link')).toHaveCount(2)
    await expectAccessible(page)
    // Hidden sessions get little bandwidth.
    for (const desktop of desktops) {
      await expect
        .poll(() => desktop.sent('UpdateCaptureSettings').at(-1))
        .toMatchObject({ isMaxBandwidthEnabled: true, maxBandwidthMbps: 0.2 })
    }
    // The pictures go on meanwhile.
    await first.paint([200, 40, 40])
    await second.paint([40, 40, 200])
    for (const [{ deviceId }, expected] of [
      [first, [6, 1, 1]],
      [second, [1, 1, 6]],
    ] as const) {
      await chips.locator(`a[href*="${deviceId}"]`).click()
      await expect(page.getByText('In control').filter({ visible: true })).toBeVisible()
      await expect.poll(color).toEqual(expected)
      // The head gives its space to the picture.
      expect((await screen.boundingBox())!.y).toBeLessThan(100)
      await page.getByRole('link', { name: 'Sessions', exact: true }).first().click()
    }
    const { items } = await owner.applianceRemoteSessions.list({})
    const open = items.filter(({ kind }) => kind === 'remote-control').map(({ id }) => id)
    expect(open.toSorted()).toEqual([first.sessionId, second.sessionId].toSorted())
    expect(desktops.flatMap(({ requests }) => requests)).toHaveLength(2)

    // The last choice is the default the next time.
    await chips.locator(`a[href*="${first.deviceId}"]`).click()
    await page.getByRole('button', { name: 'View only', exact: true }).click()
    await expect.poll(() => first.requests).toHaveLength(2)
    await page.getByRole('link', { name: 'Devices', exact: true }).first().click()
    await chips.getByRole('button', { name: /^End / }).first().click()
    await chips.getByRole('button', { name: /^End / }).first().click()
    await expect(chips).toHaveCount(0)
    await page.goto(`${server.url}/devices/${first.deviceId}`)
    await page.getByRole('group', { name: 'Actions' }).getByRole('link', { name: 'Remote control' }).click()
    await expect.poll(() => first.requests).toHaveLength(3)
    expect(first.requests.at(-1)).toMatchObject({ policy: { canInteract: false } })
    await expect(page.getByRole('toolbar').getByText('View only')).toBeVisible()
    // A reload begins nothing.
    await page.reload()
    await expect(page.getByRole('button', { name: 'Control', exact: true })).toBeVisible()
    expect(first.requests).toHaveLength(3)
    await Promise.all(desktops.map((desktop) => desktop.stop()))
  },
)
