import { expect, test } from './support/fixtures.ts'
import { ScriptedDesktop } from './support/scripted-desktop.ts'

test(
  'a screenshot is kept in a note, which shows it, also after its deletion was undone',
  { tag: '@night' },
  async ({ page, server, owner }) => {
    const desktop = await ScriptedDesktop.start(owner)
    await page.goto(`${server.url}/devices/${desktop.deviceId}/control`)
    await page.getByRole('button', { name: 'Control', exact: true }).click()
    await expect(page.getByText('In control')).toBeVisible()
    await desktop.paint([20, 120, 200])
    await page.getByRole('button', { name: 'Screenshot', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: /^Screenshot of / })
    await dialog.getByRole('button', { name: 'Into a note…' }).click()
    await dialog.getByRole('textbox', { name: 'Text of the note' }).fill('The printer shows **E7**.')
    await dialog.getByRole('button', { name: 'Save note' }).click()
    await expect(dialog.getByText(/^Saved in the notes of /)).toBeVisible()
    await desktop.stop()

    await page.goto(`${server.url}/devices/${desktop.deviceId}`)
    const picture = page.getByRole('img', { name: /^Picture in the note of / })
    const size = () => picture.evaluate((image: HTMLImageElement) => [image.naturalWidth, image.naturalHeight])
    await expect.poll(size).toEqual([320, 200])
    await page.getByRole('button', { name: 'Delete note' }).click()
    await expect(picture).toHaveCount(0)
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(size).toEqual([320, 200])
    await picture.click()
    await expect(page.getByRole('dialog').getByRole('link', { name: 'Save' })).toBeVisible()
  },
)
