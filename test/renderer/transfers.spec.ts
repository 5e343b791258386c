import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { addressOf, bytesOf, dock, list, row, test } from './support/files.ts'
import { expect, expectAccessible } from './support/fixtures.ts'

test('files and folders are uploaded, and those that are there already are asked about', async ({
  page,
  server,
  device,
  folder,
}) => {
  const source = device.path('source')
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
  const about = (name: string) => page.getByRole('dialog').filter({ hasText: `“${name}” is there already` })
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

test('what is dropped goes to the folder under the pointer, with its folders', async ({
  page,
  server,
  device,
  folder,
}) => {
  mkdirSync(join(folder, 'inbox'))
  await page.goto(addressOf(server.url, device, folder))
  await expect(row(page, 'inbox')).toBeVisible()
  // No browser makes entries of a script's own files: these are what a drag from a desktop has.
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
})

test('files are downloaded as they are, several as a zip; folders are made and things deleted', async ({
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
  // Before anything else can happen: no letter goes to the list, however slow the machine is.
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
  await expect(dialog).toContainText('The folder goes with everything in it')
  await dialog.getByRole('button', { name: 'Delete logs' }).click()
  await expect(row(page, 'logs')).toHaveCount(0)
  expect(readdirSync(folder).toSorted()).toEqual(['data.bin', 'made here'])
  await expect(list(page)).toBeFocused()
  await page.keyboard.press('ArrowDown')
  await expect(list(page).locator('[aria-selected=true]')).toHaveCount(1)
})

test('a device whose agent cannot go on gets its file as a form; what cannot be sent says why', async ({
  page,
  server,
  device,
  folder,
}) => {
  const content = bytesOf(1_000_001)
  // What the server says of such an agent, and of a name that was taken meanwhile.
  const state = { canResume: false, receivedBytes: 0, isDone: false }
  const taken = { ...state, canResume: true, problem: 'A file with the same name already exists.' }
  await page.route('**/uploads/*/state*', (route) =>
    route.fulfill({ json: route.request().postData()?.includes('late.bin') ? taken : state }),
  )
  await page.goto(addressOf(server.url, device, folder))
  await expect(page.getByRole('heading', { name: 'This folder is empty' })).toBeVisible()
  const upload = async (name: string) => {
    writeFileSync(device.path(name), content)
    const choosing = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Upload' }).click()
    await page.getByRole('menuitem', { name: 'Files…' }).click()
    await (await choosing).setFiles(device.path(name))
    return dock(page).getByRole('listitem').first()
  }
  const sent = page.waitForRequest((request) => request.headers()['content-type']?.startsWith('multipart/') === true)
  const name = "für 'alle' %41;=.bin"
  await expect(await upload(name)).toContainText('Done')
  await sent
  await expect(row(page, name)).toBeVisible()
  expect(readFileSync(join(folder, name)).equals(content)).toBe(true)
  await expect(await upload('a "quoted" name.bin')).toContainText('cannot take a name with quotation marks')
  await expect(await upload('late.bin')).toContainText('A file with the same name already exists.')
  expect(readdirSync(folder)).toEqual([name])
})

test('an upload and a download go on after the agent and the server were away, on whatever page', async ({
  page,
  server,
  device,
  folder,
}) => {
  test.setTimeout(180_000)
  const content = bytesOf(60_000_000)
  const source = device.path('large.bin')
  writeFileSync(source, content)
  const offsets: string[] = []
  page.on('request', (request) => {
    const offset = new URL(request.url()).searchParams.get('offset')
    if (request.method() === 'PUT' && offset !== null) {
      offsets.push(offset)
    }
  })
  await page.addInitScript(() => {
    Object.assign(window, {
      showSaveFilePicker: async ({ suggestedName }: { suggestedName: string }) =>
        (await navigator.storage.getDirectory()).getFileHandle(suggestedName, { create: true }),
    })
  })
  const browser = await page.context().newCDPSession(page)
  const slow = (isSlow: boolean) =>
    browser.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 0,
      downloadThroughput: isSlow ? 2_500_000 : -1,
      uploadThroughput: isSlow ? 2_500_000 : -1,
    })
  await browser.send('Network.enable')
  await page.goto(addressOf(server.url, device, folder))
  await expect(page.getByRole('heading', { name: 'This folder is empty' })).toBeVisible()
  await slow(true)
  const choosing = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Upload' }).click()
  await page.getByRole('menuitem', { name: 'Files…' }).click()
  await (await choosing).setFiles(source)
  // Somebody looks at the list: it stays open.
  await dock(page).hover()
  const line = dock(page).getByRole('listitem').filter({ hasText: 'large.bin' }).first()
  await expect(line).toContainText(/[3-9]\.\d MiB of 57 MiB/, { timeout: 30_000 })
  await device.kill()
  await expect(line).toContainText('Interrupted: the device is out of reach.', { timeout: 30_000 })
  await page.getByRole('tab', { name: 'Overview' }).click()
  await device.restart()
  await slow(false)
  await expect(line).toContainText('Done', { timeout: 60_000 })
  expect(readFileSync(join(folder, 'large.bin')).equals(content)).toBe(true)
  expect(Number(offsets.at(-1))).toBeGreaterThan(0)

  await page.getByRole('tab', { name: 'Files' }).click()
  await expect(row(page, 'large.bin')).toBeVisible()
  await slow(true)
  await row(page, 'large.bin').dblclick()
  const down = dock(page).getByRole('listitem').filter({ hasText: 'from' })
  await expect(down).toContainText(/[3-9]\.\d MiB of 57 MiB/, { timeout: 30_000 })
  const rest = page.waitForRequest((request) => request.headers().range !== undefined, { timeout: 60_000 })
  await device.kill()
  await expect(down).toContainText('Interrupted', { timeout: 30_000 })
  await server.restart()
  await slow(false)
  await device.restart()
  await rest
  await expect(down).toContainText('Done', { timeout: 60_000 })
  const saved = await page.evaluate(async () => {
    const file = await (await (await navigator.storage.getDirectory()).getFileHandle('large.bin')).getFile()
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', await file.arrayBuffer()))
    return [...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  })
  expect(saved).toBe(createHash('sha256').update(content).digest('hex'))

  await slow(true)
  await row(page, 'large.bin').dblclick()
  const third = dock(page).getByRole('listitem').first()
  await expect(third).toContainText('MiB of 57 MiB')
  await third.getByRole('button', { name: 'Cancel large.bin' }).click()
  await expect(third).toContainText('Canceled')
  await page.getByRole('button', { name: 'Clear finished' }).click()
  await expect(dock(page)).toHaveCount(0)
})

test('an upload that a reload cut off goes on where it was, with the same file only; then the list folds away', async ({
  page,
  server,
  device,
  folder,
}) => {
  const content = bytesOf(30_000_000)
  const source = device.path('large.bin')
  const other = device.path('other')
  mkdirSync(other)
  writeFileSync(source, content)
  writeFileSync(join(other, 'large.bin'), 'something else')
  const offsets: number[] = []
  page.on('request', (request) => {
    const offset = new URL(request.url()).searchParams.get('offset')
    if (request.method() === 'PUT' && offset !== null) {
      offsets.push(Number(offset))
    }
  })
  const browser = await page.context().newCDPSession(page)
  const slow = (uploadThroughput: number) =>
    browser.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput,
    })
  await browser.send('Network.enable')
  await page.goto(addressOf(server.url, device, folder))
  await expect(page.getByRole('heading', { name: 'This folder is empty' })).toBeVisible()
  await slow(2_500_000)
  const choosing = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Upload' }).click()
  await page.getByRole('menuitem', { name: 'Files…' }).click()
  await (await choosing).setFiles(source)
  await expect(dock(page)).toContainText(/[3-9]\.\d MiB of 29 MiB/, { timeout: 30_000 })
  const asked = page.waitForEvent('dialog').then((dialog) => {
    expect(dialog.type()).toBe('beforeunload')
    return dialog.accept()
  })
  await Promise.all([page.reload(), asked])

  await slow(-1)
  await expect(dock(page)).toContainText('1 cut off')
  await expect(dock(page)).toContainText('Cut off when the page was left.')
  await expectAccessible(page)
  const choose = async (path: string) => {
    const again = page.waitForEvent('filechooser')
    await dock(page).getByRole('button', { name: 'Choose file… large.bin' }).click()
    await (await again).setFiles(path)
  }
  await choose(join(other, 'large.bin'))
  await expect(dock(page)).toContainText('“large.bin” has another size now.')
  await choose(source)
  await expect.poll(() => existsSync(join(folder, 'large.bin')), { timeout: 60_000 }).toBe(true)
  expect(readFileSync(join(folder, 'large.bin')).equals(content)).toBe(true)
  expect(offsets[0]).toBe(0)
  expect(offsets.at(-1)).toBeGreaterThan(0)

  const toggle = dock(page).getByRole('button', { name: 'Transfers' })
  await page.mouse.move(5, 5)
  await expect(toggle).toHaveAttribute('aria-expanded', 'false')
  await expect(dock(page)).toContainText('all done')
  await toggle.click()
  await expect(dock(page).getByRole('listitem')).toContainText('Done')
})
