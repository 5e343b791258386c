import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { addMember } from '../support/people.ts'
import { addressOf, dock, list, row, rowNames, test, testAlone } from './support/files.ts'
import { expect, expectAccessible, usePage } from './support/fixtures.ts'

test(
  'a folder is renamed by F2, files are moved by drag, out of the page too, and pasted by keys, and nothing is replaced unasked',
  { tag: '@night' },
  async ({ page, server, device, folder }) => {
    mkdirSync(join(folder, 'Reports'))
    writeFileSync(join(folder, 'a.txt'), 'new')
    writeFileSync(join(folder, 'b.txt'), 'b')
    writeFileSync(join(folder, 'Reports', 'a.txt'), 'old')
    await page.goto(addressOf(server.url, device, folder))
    await row(page, 'Reports').click()
    await page.keyboard.press('F2')
    const dialog = page.getByRole('dialog', { name: 'Rename “Reports”' })
    await expect(dialog.getByLabel('Name')).toBeFocused()
    await expectAccessible(page)
    await page.keyboard.type('b.txt')
    await page.keyboard.press('Enter')
    await expect(dialog).toContainText('File already exists.')
    await dialog.getByLabel('Name').fill('Archive')
    await page.keyboard.press('Enter')
    await expect(row(page, 'Archive')).toHaveAttribute('aria-selected', 'true')
    expect(readFileSync(join(folder, 'Archive', 'a.txt'), 'utf8')).toBe('old')

    await row(page, 'b.txt').dispatchEvent('pointerdown', { button: 0 })
    const draggedOut = () =>
      row(page, 'b.txt').evaluate((element) => {
        const dataTransfer = new DataTransfer()
        element.dispatchEvent(new DragEvent('dragstart', { bubbles: true, cancelable: true, dataTransfer }))
        element.dispatchEvent(new DragEvent('dragend', { bubbles: true, dataTransfer }))
        return dataTransfer.getData('DownloadURL')
      })
    let saved = ''
    await expect.poll(async () => (saved = await draggedOut())).toMatch(/^application\/octet-stream:b\.txt:http/)
    const address = saved.slice('application/octet-stream:b.txt:'.length)
    expect(await (await page.request.get(address)).text()).toBe('b')
    expect((await page.request.get(address)).status()).toBe(401)

    await row(page, 'b.txt').dragTo(row(page, 'Archive'))
    await expect(row(page, 'b.txt')).toHaveCount(0)
    await expect(dock(page)).toContainText('b.txt')
    expect(readFileSync(join(folder, 'Archive', 'b.txt'), 'utf8')).toBe('b')

    await row(page, 'a.txt').click()
    await page.keyboard.press('Control+d')
    await expect(row(page, 'a (2).txt')).toBeVisible()
    await row(page, 'a.txt').click()
    await page.keyboard.press('Control+x')
    await row(page, 'Archive').dblclick()
    await expect(row(page, 'b.txt')).toBeVisible()
    await page.getByRole('button', { name: 'Move 1 item here' }).click()
    const conflict = page.getByRole('dialog', { name: '“a.txt” already exists' })
    await expect(conflict).toBeVisible()
    expect(readFileSync(join(folder, 'Archive', 'a.txt'), 'utf8')).toBe('old')
    await conflict.getByRole('button', { name: 'Replace' }).click()
    await expect.poll(() => readFileSync(join(folder, 'Archive', 'a.txt'), 'utf8')).toBe('new')
    await expect.poll(() => existsSync(join(folder, 'a.txt'))).toBe(false)
    await expect.poll(() => rowNames(page)).toEqual(['a.txt', 'b.txt'])
    expect(readdirSync(folder).toSorted()).toEqual(['Archive', 'a (2).txt'])
  },
)

test(
  'a file that is dropped before the page has drawn the drag goes to the folder under the pointer',
  { tag: '@night' },
  async ({ page, server, device, folder }) => {
    mkdirSync(join(folder, 'Archive'))
    writeFileSync(join(folder, 'b.txt'), 'b')
    await page.goto(addressOf(server.url, device, folder))
    const source = await row(page, 'b.txt').elementHandle()
    await row(page, 'Archive').evaluate(async (target, dragged) => {
      const dataTransfer = new DataTransfer()
      const send = (element: Element, type: string) =>
        element.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer }))
      send(dragged!, 'dragstart')
      await Promise.resolve()
      send(target, 'dragover')
      send(target, 'drop')
    }, source)
    await expect(row(page, 'b.txt')).toHaveCount(0)
    await expect.poll(() => existsSync(join(folder, 'Archive', 'b.txt'))).toBe(true)
  },
)

testAlone(
  'only a person with the right to change files is offered to rename, cut and paste',
  { tag: '@night' },
  async ({ page, context, server, owner, device, folder }) => {
    writeFileSync(join(folder, 'only.txt'), 'read')
    await usePage(context, await addMember(server, owner.tenantId, ['device.read', 'device.file-system.read']))
    await page.goto(addressOf(server.url, device, folder))
    await row(page, 'only.txt').click({ button: 'right' })
    await expect(page.getByRole('menuitem', { name: 'Copy the path' })).toBeVisible()
    for (const name of ['Rename', 'Cut', 'Duplicate']) {
      await expect(page.getByRole('menuitem', { name })).toHaveCount(0)
    }
    await page.keyboard.press('Escape')
    await list(page).focus()
    await page.keyboard.press('F2')
    await expect(page.getByRole('dialog')).toHaveCount(0)
  },
)
