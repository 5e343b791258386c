import type { Page } from '@playwright/test'
import { expect, freshPageTest as test } from './support/fixtures.ts'
import { TerminalAgent } from './support/terminal-agent.ts'
import { openTerminal, screen } from './support/terminal-page.ts'

/** Number of pixels that differ from the first one. */
const differentPixels = (page: Page, image: Buffer) =>
  page.evaluate(
    async (bytes) => {
      const bitmap = await createImageBitmap(new Blob([new Uint8Array(bytes)], { type: 'image/png' }))
      const canvas = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d')!
      canvas.drawImage(bitmap, 0, 0)
      const { data } = canvas.getImageData(0, 0, bitmap.width, bitmap.height)
      const pixels = Array.from({ length: data.length / 4 }, (_, index) => data.slice(index * 4, index * 4 + 3).join())
      return pixels.filter((pixel) => pixel !== pixels[0]).length
    },
    [...image],
  )

for (const scale of [1, 1.25, 2]) {
  test.describe(`on a screen of scale ${scale}`, () => {
    test.use({ deviceScaleFactor: scale })

    test('underscores are visible in every size', { tag: '@night' }, async ({ page, server, owner }) => {
      const agent = await TerminalAgent.start(owner, { isPty: true })
      await openTerminal(page, server.url, agent)
      await agent.print('____\r\n')
      const row = screen(page).locator('div').first()
      await expect(row).toHaveText(/^____/)
      await page.keyboard.press('Control+0')
      const invisible: number[] = []
      for (let size = 14; size >= 8; size--) {
        const { x, y, height } = (await row.boundingBox())!
        const image = await page.screenshot({ clip: { x, y, width: 16, height } })
        if ((await differentPixels(page, image)) === 0) {
          invisible.push(size)
        }
        await page.keyboard.press('Control+-')
      }
      expect(invisible).toEqual([])
      await agent.stop()
    })
  })
}

test(
  'reverse video has the color of the background, and emoji take two cells',
  { tag: '@night' },
  async ({ page, server, owner }) => {
    const agent = await TerminalAgent.start(owner, { isPty: true })
    await openTerminal(page, server.url, agent)
    await agent.print('\x1b[7mreversed\x1b[0m\r\n🎉|日|\r\n12|12|')
    const reversed = screen(page).getByText('reversed')
    await expect(reversed).toBeVisible()
    const [text, background] = await reversed.evaluate((span) => {
      const probe = document.body.appendChild(document.createElement('i'))
      probe.style.color = 'var(--terminal-background)'
      const colors = [getComputedStyle(span).color, getComputedStyle(probe).color]
      probe.remove()
      return colors
    })
    expect(text).toBe(background)
    const bars = (line: number) =>
      screen(page)
        .locator('> div')
        .nth(line)
        .evaluate((row) => {
          const ends: number[] = []
          const texts = document.createTreeWalker(row, NodeFilter.SHOW_TEXT)
          for (let node = texts.nextNode(); node; node = texts.nextNode()) {
            for (const { index } of (node.nodeValue ?? '').matchAll(/\|/g)) {
              const range = document.createRange()
              range.setStart(node, index)
              range.setEnd(node, index + 1)
              ends.push(Math.round(range.getBoundingClientRect().left))
            }
          }
          return ends
        })
    const [wide, narrow] = [await bars(1), await bars(2)]
    expect(narrow).toHaveLength(2)
    narrow.forEach((left, index) => expect(Math.abs(wide[index]! - left)).toBeLessThanOrEqual(1))
    await agent.stop()
  },
)
