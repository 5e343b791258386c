import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { addressOf, bytesOf, dock, list, row, test } from './support/files.ts'
import { expect, expectAccessible } from './support/fixtures.ts'

test('files and folders are uploaded; existing names ask before they are replaced', async ({
  page,
  server,
  device,
  folder,
}) => {
  const source = join(folder, '..', 'source')
  mkdirSync(join(source, 'tree', 'deep'), { recursive: true })
  const big = bytesOf(3_000_000)
  writeFileSync(join(source, 'tree', 'deep', 'big.bin'), big)
  writeFileSync(join(source, 'tree', 'one.txt'), 'one')
  for (const name of ['a.txt', 'b.txt', 'c.txt']) {
    writeFileSync(join(folder, name), 'old')
    writeFileSync(join(source, name), `new ${name}`)
  }
  await page.goto(addressOf(server.url, device, folder))
  await expect(row(page, 'a.txt')).toBeVisible()
  const upload = async (entry: string, paths: string | string[]) => {
    const choosing = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Upload' }).click()
    await page.getByRole('menuitem', { name: entry }).click()
    await (await choosing).setFiles(paths)
  }
  await upload('Folder…', join(source, 'tree'))
  await expect(dock(page)).toContainText('2 of 2 files')
  expect(readFileSync(join(folder, 'tree', 'deep', 'big.bin')).equals(big)).toBe(true)
  expect(readFileSync(join(folder, 'tree', 'one.txt'), 'utf8')).toBe('one')
  await expect(row(page, 'tree')).toBeVisible()

  await upload(
    'Files…',
    ['a.txt', 'b.txt', 'c.txt'].map((name) => join(source, name)),
  )
  const about = (name: string) => page.getByRole('dialog').filter({ hasText: `“${name}” already exists` })
  await expect(about('a.txt')).toBeVisible()
  await expectAccessible(page)
  await about('a.txt').getByRole('button', { name: 'Keep both' }).click()
  await about('b.txt').getByRole('checkbox').check()
  await about('b.txt').getByRole('button', { name: 'Replace' }).click()
  await expect(row(page, 'a (2).txt')).toBeVisible()
  await expect.poll(() => readFileSync(join(folder, 'c.txt'), 'utf8')).toBe('new c.txt')
  await expect.poll(() => readFileSync(join(folder, 'b.txt'), 'utf8')).toBe('new b.txt')
  expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('old')
  expect(readFileSync(join(folder, 'a (2).txt'), 'utf8')).toBe('new a.txt')
  await expect(list(page)).toBeFocused()
  await expectAccessible(page)
})

test(
  'dropped files and folders go to the folder under the pointer',
  { tag: '@night' },
  async ({ page, server, device, folder }) => {
    mkdirSync(join(folder, 'inbox'))
    await page.goto(addressOf(server.url, device, folder))
    await expect(row(page, 'inbox')).toBeVisible()
    // Browsers create no file system entries for files of a script, so these imitate a drag from the desktop.
    await row(page, 'inbox').evaluate((element) => {
      const file = (name: string, text: string) => ({
        name,
        isFile: true,
        isDirectory: false,
        file: (done: (file: File) => void) => done(new File([text], name)),
      })
      const folderOf = (name: string, children: object[]) => ({
        name,
        isFile: false,
        isDirectory: true,
        createReader() {
          let rest = [children, []]
          return { readEntries: (done: (some: object[]) => void) => done(rest.shift() ?? []) }
        },
      })
      const dropped = [
        file('empty.txt', ''),
        folderOf('outer', [folderOf('inner', [file('deep "quoted".txt', 'deep')]), folderOf('nothing', [])]),
      ]
      const dataTransfer = {
        types: ['Files'],
        files: [],
        dropEffect: 'none',
        items: dropped.map((entry) => ({ webkitGetAsEntry: () => entry })),
      }
      const event = (type: string) =>
        Object.defineProperty(new Event(type, { bubbles: true, cancelable: true }), 'dataTransfer', {
          value: dataTransfer,
        })
      for (const type of ['dragenter', 'dragover', 'drop']) {
        element.dispatchEvent(event(type))
      }
    })
    const inbox = join(folder, 'inbox')
    await expect.poll(() => existsSync(join(inbox, 'outer', 'nothing'))).toBe(true)
    await expect.poll(() => existsSync(join(inbox, 'empty.txt'))).toBe(true)
    await expect.poll(() => existsSync(join(inbox, 'outer', 'inner', 'deep "quoted".txt'))).toBe(true)
    await expect(dock(page)).toContainText('all done')
    expect(readFileSync(join(inbox, 'outer', 'inner', 'deep "quoted".txt'), 'utf8')).toBe('deep')
  },
)

test(
  'two uploads with taken names each ask, and both are sent',
  { tag: '@night' },
  async ({ page, server, device, folder }) => {
    for (const name of ['a.txt', 'b.txt']) {
      writeFileSync(join(folder, name), 'old')
    }
    await page.goto(addressOf(server.url, device, folder))
    await expect(row(page, 'b.txt')).toBeVisible()
    await list(page).evaluate((element) => {
      for (const name of ['a.txt', 'b.txt']) {
        const dataTransfer = new DataTransfer()
        dataTransfer.items.add(new File([`new ${name}`], name))
        element.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }))
      }
    })
    // In either order.
    for (const _ of ['a.txt', 'b.txt']) {
      await page.getByRole('dialog').getByRole('button', { name: 'Replace' }).click()
    }
    for (const name of ['a.txt', 'b.txt']) {
      await expect.poll(() => readFileSync(join(folder, name), 'utf8')).toBe(`new ${name}`)
    }
  },
)

test('a file is downloaded unchanged, several as a zip; folders are created and entries deleted', async ({
  page,
  server,
  device,
  folder,
}) => {
  const content = bytesOf(200_001)
  mkdirSync(join(folder, 'logs', 'old'), { recursive: true })
  writeFileSync(join(folder, 'logs', 'old', 'inner.bin'), content)
  writeFileSync(join(folder, 'data.bin'), content)
  await page.goto(addressOf(server.url, device, folder))
  await expect(row(page, 'data.bin')).toBeVisible()

  const downloading = page.waitForEvent('download')
  await row(page, 'data.bin').dblclick()
  const download = await downloading
  expect(download.suggestedFilename()).toBe('data.bin')
  expect(readFileSync(await download.path()).equals(content)).toBe(true)

  await page.keyboard.press('Control+a')
  const zipping = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download as zip' }).click()
  const zip = await zipping
  expect(zip.suggestedFilename()).toMatch(/ work\.zip$/)
  const listing = `import sys, zipfile, hashlib
archive = zipfile.ZipFile(sys.argv[1])
for name in archive.namelist():
  if not name.endswith('/'): print(name, hashlib.sha256(archive.read(name)).hexdigest())`
  const inside = execFileSync('python3', ['-c', listing, await zip.path()])
  const hash = createHash('sha256').update(content).digest('hex')
  expect(inside.toString().trim().split('\n').toSorted()).toEqual([`data.bin ${hash}`, `logs/old/inner.bin ${hash}`])

  await list(page).focus()
  const dialog = page.getByRole('dialog')
  // Synchronous: on a slow machine no key may reach the list either.
  const isInField = await list(page).evaluate((element) => {
    element.dispatchEvent(new KeyboardEvent('keydown', { key: 'F7', bubbles: true, cancelable: true }))
    return document.activeElement!.matches('[role="dialog"] input')
  })
  expect(isInField).toBe(true)
  await page.keyboard.type('../out')
  await expect(dialog.getByRole('textbox')).toHaveValue('../out')
  await expect(dialog).toContainText('A name cannot contain a slash or a backslash.')
  await dialog.getByRole('textbox').fill('logs')
  await page.keyboard.press('Enter')
  await expect(dialog).toContainText('A directory with the same name already exists')
  await dialog.getByRole('textbox').fill('made here')
  await page.keyboard.press('Enter')
  await expect(row(page, 'made here')).toHaveAttribute('aria-selected', 'true')
  await expect(list(page)).toBeFocused()
  expect(existsSync(join(folder, 'made here'))).toBe(true)
  await expect(dialog).toHaveCount(0)

  await page.keyboard.press('Delete')
  await expect(dialog).toContainText('Delete “made here”?')
  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
  await expect(list(page)).toBeFocused()
  await row(page, 'logs').click()
  await page.keyboard.press('Delete')
  await expect(dialog).toContainText('The folder and everything in it are permanently deleted')
  await dialog.getByRole('button', { name: 'Delete logs' }).click()
  await expect(row(page, 'logs')).toHaveCount(0)
  expect(readdirSync(folder).toSorted()).toEqual(['data.bin', 'made here'])
  await expect(list(page)).toBeFocused()
  await page.keyboard.press('ArrowDown')
  await expect(list(page).locator('[aria-selected=true]')).toHaveCount(1)
})

test(
  'an agent without resumable uploads receives a form; a file that cannot be sent reports why',
  { tag: '@night' },
  async ({ page, server, device, folder }) => {
    const content = bytesOf(1_000_001)
    // Answers about an agent without resumable uploads, and about a name taken meanwhile.
    const state = { canResume: false, receivedBytes: 0, isDone: false }
    const taken = { ...state, canResume: true, problem: 'A file with the same name already exists.' }
    await page.route('**/uploads/*/state*', (route) =>
      route.fulfill({ json: route.request().postData()?.includes('late.bin') ? taken : state }),
    )
    await page.goto(addressOf(server.url, device, folder))
    await expect(page.getByRole('heading', { name: 'This folder is empty' })).toBeVisible()
    const upload = async (name: string) => {
      const source = join(folder, '..', name)
      writeFileSync(source, content)
      const choosing = page.waitForEvent('filechooser')
      await page.getByRole('button', { name: 'Upload' }).click()
      await page.getByRole('menuitem', { name: 'Files…' }).click()
      await (await choosing).setFiles(source)
      return dock(page).getByRole('listitem').first()
    }
    const sent = page.waitForRequest((request) => request.headers()['content-type']?.startsWith('multipart/') === true)
    const name = "für 'alle' %41;=.bin"
    await expect(await upload(name)).toContainText('Done')
    await sent
    await expect(row(page, name)).toBeVisible()
    expect(readFileSync(join(folder, name)).equals(content)).toBe(true)
    await expect(await upload('a "quoted" name.bin')).toContainText('does not support names with quotation marks')
    await expect(await upload('late.bin')).toContainText('A file with the same name already exists.')
    expect(readdirSync(folder)).toEqual([name])
  },
)
