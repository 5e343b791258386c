import { execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { startRealDevice, type RealDevice } from '../../support/real-device.ts'
import { startTestServer, type Member, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

let server: TestServer
let owner: Member
let device: RealDevice

beforeAll(async () => {
  server = await startTestServer({ settings: { AppOptions__MaxFileTransferSize: '0' } })
  owner = await server.owner()
  device = await startRealDevice(owner)
})
afterAll(async () => {
  await device.stop()
  await server.stop()
})

let folders = 0
/** A new folder on the device. */
function folder(): string {
  const path = device.path(`files-${folders++}`)
  mkdirSync(path)
  return path
}

const files = () => owner.deviceFileSystem
const contents = (directoryPath: string) =>
  files().contents({ tenantId: owner.tenantId, body: { deviceId: device.id, directoryPath } })
const address = (operation: string, query: Record<string, string> = {}) =>
  `/api/v1/device-file-system/${operation}/${device.id}?${new URLSearchParams({ tenantId: owner.tenantId, ...query })}`
const download = (filePath: string) => owner.fetch(address('download', { filePath }))
const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer())
const detailOf = async (response: Response) => ((await response.json()) as { detail?: string }).detail
const archive = (targetPaths: string[], archiveFileName = 'some.zip') =>
  owner.fetch(address('download-archive'), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ archiveFileName, targetPaths }),
  })

function upload(directory: string, content: Uint8Array<ArrayBuffer>, { name = 'a.bin', overwrite = false } = {}) {
  const form = new FormData()
  form.append('targetSaveDirectory', directory)
  form.append('overwrite', String(overwrite))
  form.append('file', new Blob([content]), name)
  return owner.fetch(address('upload'), { method: 'POST', body: form })
}

const bytes = (length: number) => new Uint8Array(randomBytes(length))
const isRoot = process.getuid?.() === 0

/** Names in a zip, as an independent program reads it. */
async function unpacked(
  response: Response,
): Promise<{ names: string[]; read: (name: string) => string; into: string }> {
  const into = folder()
  writeFileSync(`${into}.zip`, await bytesOf(response))
  const script =
    'import sys,zipfile; z=zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; z.extractall(sys.argv[2]); print("\\n".join(z.namelist()))'
  const printed = execFileSync('python3', ['-c', script, `${into}.zip`, into], { encoding: 'utf8' })
  return { names: printed.trim().split('\n').toSorted(), read: (name) => readFileSync(`${into}/${name}`, 'utf8'), into }
}

describe('a listing', () => {
  test('has files first, then directories, each by name in any letter case', async () => {
    const path = folder()
    for (const name of ['beta', 'Alpha', '.hidden']) {
      writeFileSync(`${path}/${name}`, name)
    }
    mkdirSync(`${path}/zoo/deep`, { recursive: true })
    mkdirSync(`${path}/Bar`)
    const { directoryExists, entries } = await contents(path)
    expect(directoryExists).toBe(true)
    expect(entries.map(({ name }) => name)).toEqual(['.hidden', 'Alpha', 'beta', 'Bar', 'zoo'])
    expect(entries[0]).toMatchObject({ isHidden: true, size: 7, isDirectory: false, canRead: true, canWrite: true })
    expect(entries.map(({ hasSubfolders }) => hasSubfolders)).toEqual([false, false, false, false, true])
    expect(entries[4]).toMatchObject({ isDirectory: true, size: 0, fullPath: `${path}/zoo` })
    expect(Date.parse(entries[0]!.lastModified)).toBeGreaterThan(Date.now() - 60_000)
  })

  test('of subdirectories has only these', async () => {
    const path = folder()
    writeFileSync(`${path}/file`, '')
    mkdirSync(`${path}/b`)
    mkdirSync(`${path}/a`)
    const body = { deviceId: device.id, directoryPath: path }
    const { subdirectories } = await files().subdirectories({ tenantId: owner.tenantId, body })
    expect(subdirectories.map(({ name }) => name)).toEqual(['a', 'b'])
  })

  test('of a directory that is not there says so', async () => {
    expect(await contents(device.path('nowhere'))).toEqual({ directoryExists: false, entries: [] })
  })

  test('of an empty directory is empty', async () => {
    expect(await contents(folder())).toEqual({ directoryExists: true, entries: [] })
  })

  test('of a path without a root is refused with the reason', async () => {
    await expect(contents('etc')).rejects.toThrow(/must begin at a root/)
  })

  test('of 20,000 names arrives whole and in order', async () => {
    const path = folder()
    const names = Array.from({ length: 20_000 }, (_, index) => `entry-${String(index).padStart(6, '0')}`)
    names.toReversed().forEach((name) => writeFileSync(`${path}/${name}`, ''))
    const { entries } = await contents(path)
    expect(entries.map(({ name }) => name)).toEqual(names)
  }, 60_000)

  test('shows pipes, sockets and dead links, opens none of them, and tells what links lead to', async () => {
    const path = folder()
    execFileSync('mkfifo', [`${path}/pipe`])
    const listener = createServer().listen(`${path}/socket`)
    onTestFinished(() => void listener.close())
    symlinkSync('/nowhere/at/all', `${path}/dead`)
    symlinkSync('/usr', `${path}/usr`)
    await until(() => existsSync(`${path}/socket`))
    const { entries } = await contents(path)
    expect(entries.map(({ name, isDirectory, isLink, canRead }) => [name, isDirectory, isLink, canRead])).toEqual([
      ['dead', false, true, false],
      ['pipe', false, undefined, false],
      ['socket', false, undefined, false],
      ['usr', true, true, true],
    ])
    for (const name of ['pipe', 'socket']) {
      const response = await download(`${path}/${name}`)
      expect([response.status, await detailOf(response)]).toEqual([500, 'Only files and directories can be sent.'])
    }
  })

  test('names that are no UTF-8 are listed, read, replaced and deleted by the text they are listed under', async () => {
    const path = folder()
    const raw = (name: Buffer) => Buffer.concat([Buffer.from(`${path}/`), name])
    const names = [Buffer.from('caf\xe9', 'latin1'), Buffer.from([0xff, 0xfe, 0x41]), Buffer.from('\uef80ok')]
    names.forEach((name, index) => writeFileSync(raw(name), `content ${index}`))
    const { entries } = await contents(path)
    expect(new Set(entries.map(({ name }) => name)).size).toBe(3)
    const texts: string[] = []
    for (const { fullPath } of entries) {
      texts.push((await bytesOf(await download(fullPath))).toString())
    }
    expect(texts.toSorted()).toEqual(['content 0', 'content 1', 'content 2'])
    for (const { fullPath, name } of entries) {
      expect((await upload(path, bytes(3), { name, overwrite: true })).status).toBe(200)
      await files().deletePath({
        params: { deviceId: device.id },
        tenantId: owner.tenantId,
        body: { filePath: fullPath },
      })
    }
    expect(readdirSync(path)).toEqual([])
  })
})

describe('paths', () => {
  const params = () => ({ deviceId: device.id })

  test('are taken apart, with and without something there', async () => {
    const segments = (targetPath: string) =>
      files().pathSegments({ tenantId: owner.tenantId, body: { deviceId: device.id, targetPath } })
    const split = { success: true, pathSeparator: '/', errorMessage: null }
    expect(await segments('/usr//share/../bin/')).toEqual({
      ...split,
      pathExists: true,
      pathSegments: ['/', 'usr', 'bin'],
    })
    expect(await segments('/no/such')).toEqual({ ...split, pathExists: false, pathSegments: ['/', 'no', 'such'] })
    expect(await segments('usr')).toMatchObject({ success: false, errorMessage: 'The path must begin at a root.' })
  })

  test('begin at the root', async () => {
    const { drives } = await files().rootDrives({ tenantId: owner.tenantId, body: { deviceId: device.id } })
    expect(drives[0]).toMatchObject({ name: '/', fullPath: '/', isDirectory: true, hasSubfolders: true })
  })

  test.each([
    ['new.txt', true, ''],
    ['old.txt', false, 'File already exists'],
    ['sub', false, 'A directory with the same name already exists'],
    ['a/b', false, 'File name contains invalid characters'],
    ['..', false, 'File name contains invalid characters'],
  ])('%s is validated', async (fileName, isValid, errorMessage) => {
    const path = folder()
    writeFileSync(`${path}/old.txt`, '')
    mkdirSync(`${path}/sub`)
    const body = { directoryPath: path, fileName }
    expect(await files().validatePath({ params: params(), tenantId: owner.tenantId, body })).toEqual({
      isValid,
      errorMessage,
    })
  })

  test('in no directory are not valid', async () => {
    const body = { directoryPath: device.path('nowhere'), fileName: 'a' }
    const errorMessage = 'Directory does not exist'
    expect(await files().validatePath({ params: params(), tenantId: owner.tenantId, body })).toEqual({
      isValid: false,
      errorMessage,
    })
  })

  test('of new directories are made, or refused with the reason', async () => {
    const path = folder()
    const create = (directoryName: string, parentPath = path) =>
      files().createDirectory({ params: params(), tenantId: owner.tenantId, body: { parentPath, directoryName } })
    await create('fresh')
    expect(statSync(`${path}/fresh`).isDirectory()).toBe(true)
    writeFileSync(`${path}/taken`, '')
    await expect(create('fresh')).rejects.toThrow('Directory already exists')
    await expect(create('taken')).rejects.toThrow('A file with the same name already exists')
    await expect(create('a', `${path}/none`)).rejects.toThrow('Parent directory does not exist')
    await expect(create('../out')).rejects.toThrow('invalid characters')
  })

  test('are deleted with all below them, and refused when nothing is there', async () => {
    const path = folder()
    mkdirSync(`${path}/tree/a/b`, { recursive: true })
    writeFileSync(`${path}/tree/a/b/file`, '')
    const remove = (filePath: string) =>
      files().deletePath({ params: params(), tenantId: owner.tenantId, body: { filePath } })
    await remove(`${path}/tree/`)
    expect(readdirSync(path)).toEqual([])
    await expect(remove(`${path}/tree`)).rejects.toThrow('Target path does not exist')
    await expect(remove('/')).rejects.toThrow('A whole drive is not deleted.')
  })
})

describe('a download', () => {
  test.each([0, 1, 30_720, 30_721, 5_000_003])('of %i bytes arrives unchanged', async (size) => {
    const path = `${folder()}/a.bin`
    const content = bytes(size)
    writeFileSync(path, content)
    const response = await download(path)
    expect(response.headers.get('content-length')).toBe(String(size))
    expect(response.headers.get('content-disposition')).toContain('a.bin')
    expect((await bytesOf(response)).equals(content)).toBe(true)
  })

  test('of something that is not there is refused with the reason', async () => {
    const response = await download('/no/such/file')
    expect([response.status, await detailOf(response)]).toEqual([500, 'Target path does not exist'])
  })

  test('of a directory is a zip of its name, and other programs can read it', async () => {
    const path = folder()
    mkdirSync(`${path}/tree/empty`, { recursive: true })
    writeFileSync(`${path}/tree/größe.txt`, 'ä')
    const response = await download(`${path}/tree`)
    expect(response.headers.get('content-disposition')).toContain('tree.zip')
    const { names, read } = await unpacked(response)
    expect(names).toEqual(['tree/', 'tree/empty/', 'tree/größe.txt'])
    expect(read('tree/größe.txt')).toBe('ä')
  })

  test('while one runs that nobody reads, other calls are answered', async () => {
    const path = `${folder()}/large.bin`
    execFileSync('truncate', ['-s', '300M', path])
    const abort = new AbortController()
    const slow = await owner.fetch(address('download', { filePath: path }), { signal: abort.signal })
    await until(async () => (await contents('/usr')).directoryExists)
    const segments = await files().pathSegments({
      tenantId: owner.tenantId,
      body: { deviceId: device.id, targetPath: '/usr' },
    })
    expect(segments.pathExists).toBe(true)
    abort.abort()
    await slow.arrayBuffer().catch(() => {})
    const memoryKb = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${device.pid}/status`, 'utf8'))?.[1])
    expect(memoryKb).toBeLessThan(400_000)
  })

  test('that its reader leaves is no longer read on the device', async () => {
    const path = `${folder()}/large.bin`
    execFileSync('truncate', ['-s', '4G', path])
    const abort = new AbortController()
    const response = await owner.fetch(address('download', { filePath: path }), { signal: abort.signal })
    await response.body!.getReader().read()
    const isOpen = () =>
      readdirSync(`/proc/${device.pid}/fd`).some((fd) => linkOf(`/proc/${device.pid}/fd/${fd}`) === path)
    expect(isOpen()).toBe(true)
    abort.abort()
    await until(() => !isOpen())
  })
})

const linkOf = (path: string) => {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}

describe('an archive', () => {
  test('of several targets has one entry for each file, with new names for equal ones', async () => {
    const path = folder()
    for (const name of ['one', 'two']) {
      mkdirSync(`${path}/${name}`)
      writeFileSync(`${path}/${name}/same.txt`, name)
    }
    const { names, read } = await unpacked(
      await archive([`${path}/one/same.txt`, `${path}/two/same.txt`, `${path}/two`]),
    )
    expect(names).toEqual(['same (2).txt', 'same.txt', 'two/', 'two/same.txt'])
    expect(read('same (2).txt')).toBe('two')
  })

  test('of many files has the announced length', async () => {
    const path = folder()
    for (let index = 0; index < 3000; index++) {
      writeFileSync(`${path}/${index}`, `${index}`.repeat(index % 50))
    }
    const response = await archive([path])
    const announced = Number(response.headers.get('content-length'))
    const { names } = await unpacked(response)
    expect(names.length).toBe(3001)
    expect(statSync(device.path(`files-${folders - 1}.zip`)).size).toBe(announced)
  })

  test('names the target that is not there', async () => {
    const response = await archive([folder(), '/no/such'])
    expect([response.status, await detailOf(response)]).toEqual([500, 'Target path does not exist: /no/such'])
  })

  test('whose file becomes shorter while it is read breaks off', async () => {
    const path = folder()
    execFileSync('truncate', ['-s', '300M', `${path}/a`])
    writeFileSync(`${path}/b`, 'twelve bytes')
    const response = await archive([path])
    const reader = response.body!.getReader()
    await reader.read()
    writeFileSync(`${path}/b`, 'less')
    const rest = async () => {
      for (let next = await reader.read(); !next.done; next = await reader.read());
    }
    await expect(rest()).rejects.toThrow()
  })
})

describe('an upload', () => {
  test.each([1, 81_920, 3_000_001])('of %i bytes is written unchanged', async (size) => {
    const path = folder()
    const content = bytes(size)
    expect((await upload(path, content)).status).toBe(200)
    expect(readFileSync(`${path}/a.bin`).equals(content)).toBe(true)
    expect(statSync(`${path}/a.bin`).mode & 0o777).toBe(0o644)
    expect(readdirSync(path)).toEqual(['a.bin'])
  })

  test('over an existing file asks for overwrite, and keeps its rights', async () => {
    const path = folder()
    writeFileSync(`${path}/a.bin`, 'old')
    chmodSync(`${path}/a.bin`, 0o640)
    const refused = await upload(path, bytes(5))
    expect([refused.status, await detailOf(refused)]).toEqual([500, 'File already exists.'])
    expect(readFileSync(`${path}/a.bin`, 'utf8')).toBe('old')
    expect((await upload(path, bytes(5), { overwrite: true })).status).toBe(200)
    expect(statSync(`${path}/a.bin`)).toMatchObject({ size: 5, mode: 0o100640 })
  })

  test.each([
    ['into no directory', 'nowhere', 'Directory does not exist'],
    ['over a directory', '', 'A directory with the same name already exists'],
  ])('%s is refused', async (_, below, reason) => {
    const path = folder()
    mkdirSync(`${path}/a.bin`)
    const response = await upload(`${path}/${below}`, bytes(5), { overwrite: true })
    expect([response.status, await detailOf(response)]).toEqual([500, reason])
  })

  test.skipIf(!isRoot)('onto a full disk is refused with the reason and leaves nothing', async () => {
    const path = folder()
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', path])
    onTestFinished(() => void execFileSync('umount', [path]))
    const response = await upload(path, bytes(2_000_000))
    expect([response.status, await detailOf(response)]).toEqual([500, 'The disk of the device is full.'])
    expect(readdirSync(path)).toEqual([])
  })

  test('that its client leaves is never visible under its name and leaves nothing', async () => {
    const path = folder()
    const abort = new AbortController()
    const head = ['targetSaveDirectory', 'overwrite'].map(
      (name) =>
        `--X\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${name === 'overwrite' ? 'false' : path}\r\n`,
    )
    head.push('--X\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n\r\n')
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(Buffer.from(head.join('')))
        controller.enqueue(randomBytes(500_000))
      },
    })
    const options = { method: 'POST', body, duplex: 'half', signal: abort.signal }
    const headers = { 'content-type': 'multipart/form-data; boundary=X', 'content-length': '900000' }
    const sent = owner.fetch(address('upload'), { ...options, headers } as RequestInit).catch(() => undefined)
    const names = await until(() => (readdirSync(path).length > 0 ? readdirSync(path) : undefined))
    expect(names).toEqual([expect.stringMatching(/^\..*\.farhand-part$/)])
    expect(statSync(`${path}/${names[0]}`).mode & 0o777).toBe(0o600)
    abort.abort()
    await sent
    await until(() => readdirSync(path).length === 0)
  })

  test('of 100 MB at once with a download arrives unchanged', async () => {
    const path = folder()
    const content = bytes(100_000_000)
    writeFileSync(`${path}/down.bin`, content)
    const [up, down] = await Promise.all([upload(path, content), download(`${path}/down.bin`).then(bytesOf)])
    expect(up.status).toBe(200)
    const hash = (data: Uint8Array) => createHash('sha256').update(data).digest('hex')
    expect(hash(readFileSync(`${path}/a.bin`))).toBe(hash(content))
    expect(hash(down)).toBe(hash(content))
  }, 60_000)
})

describe('logs', () => {
  test('of the agent are listed and read', async () => {
    const { logFileGroups } = await files().logs({
      params: { deviceId: device.id },
      tenantId: owner.tenantId,
    })
    const [group] = logFileGroups
    expect(group?.groupName).toBe('Agent Logs')
    const [file] = group!.logFiles
    expect(file).toMatchObject({ fileName: 'LogFile.log' })
    const response = await owner.fetch(
      address(`logs`).replace('?', '/contents?') + `&filePath=${encodeURIComponent(file!.fullPath)}`,
    )
    expect(await response.text()).toContain('Farhand agent started')
  })
})
