import { execFile, execFileSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import {
  chownSync,
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
import { basename } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { isNight } from '../../support/night.ts'
import { until } from '../../support/until.ts'
import { bytesOf, detailOf, someBytes, startFileScene, type FileScene } from './file-scene.ts'

/** Asynchronous, because blocking this process would close its connections. */
const execute = promisify(execFile)

let scene: FileScene

beforeAll(async () => {
  scene = await startFileScene()
})
afterAll(() => scene.stop())

const isRoot = process.getuid?.() === 0

/** Lists the names in a zip with an independent program. */
async function unpacked(
  response: Response,
): Promise<{ names: string[]; read: (name: string) => string; into: string }> {
  const into = scene.folder()
  writeFileSync(`${into}.zip`, await bytesOf(response))
  const script =
    'import sys,zipfile; z=zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; z.extractall(sys.argv[2]); print("\\n".join(z.namelist()))'
  const printed = (await execute('python3', ['-c', script, `${into}.zip`, into])).stdout
  return { names: printed.trim().split('\n').toSorted(), read: (name) => readFileSync(`${into}/${name}`, 'utf8'), into }
}

describe('a download', () => {
  test.each([0, 1, 30_720, 30_721, 5_000_003])('of %i bytes arrives unchanged', async (size) => {
    const path = `${scene.folder()}/a.bin`
    const content = someBytes(size)
    writeFileSync(path, content)
    const response = await scene.download(path)
    expect(response.headers.get('content-length')).toBe(String(size))
    expect(response.headers.get('content-disposition')).toContain('a.bin')
    expect((await bytesOf(response)).equals(content)).toBe(true)
  })

  test.each(['/proc/version', '/sys/kernel/mm/transparent_hugepage/enabled'].filter((path) => existsSync(path)))(
    'of %s arrives whole, whatever size the system reports',
    async (path) => {
      const response = await scene.download(path)
      expect(response.headers.get('content-length')).toBeNull()
      expect((await bytesOf(response)).toString()).toBe(readFileSync(path, 'utf8'))
    },
  )

  test('of a missing file is rejected with the reason', async () => {
    const response = await scene.download('/no/such/file')
    expect([response.status, await detailOf(response)]).toEqual([500, 'Target path does not exist'])
  })

  test('of a directory is a zip with the name of the directory, and other programs can read it', async () => {
    const path = scene.folder()
    mkdirSync(`${path}/tree/empty`, { recursive: true })
    writeFileSync(`${path}/tree/größe.txt`, 'ä')
    const response = await scene.download(`${path}/tree`)
    expect(response.headers.get('content-disposition')).toContain('tree.zip')
    const { names, read } = await unpacked(response)
    expect(names).toEqual(['tree/', 'tree/empty/', 'tree/größe.txt'])
    expect(read('tree/größe.txt')).toBe('ä')
  })

  test('without a reader does not delay other calls', async () => {
    const path = `${scene.folder()}/large.bin`
    execFileSync('truncate', ['-s', '300M', path])
    const abort = new AbortController()
    const slow = await scene.owner.fetch(scene.address('download/ID', { filePath: path }), { signal: abort.signal })
    await until(async () => (await scene.contents('/usr')).directoryExists)
    const segments = await scene.owner.deviceFileSystem.pathSegments({
      tenantId: scene.owner.tenantId,
      body: { deviceId: scene.device.id, targetPath: '/usr' },
    })
    expect(segments.pathExists).toBe(true)
    abort.abort()
    await slow.arrayBuffer().catch(() => {})
    const memoryKb = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${scene.device.pid}/status`, 'utf8'))?.[1])
    expect(memoryKb).toBeLessThan(400_000)
  })

  test('whose reader disconnects is no longer read on the device', async () => {
    const path = `${scene.folder()}/large.bin`
    execFileSync('truncate', ['-s', '4G', path])
    const abort = new AbortController()
    const response = await scene.owner.fetch(scene.address('download/ID', { filePath: path }), { signal: abort.signal })
    await response.body!.getReader().read()
    const isOpen = () =>
      readdirSync(`/proc/${scene.device.pid}/fd`).some((fd) => linkOf(`/proc/${scene.device.pid}/fd/${fd}`) === path)
    expect(isOpen()).toBe(true)
    abort.abort()
    await until(() => !isOpen())
  })
})

describe('an interrupted download', () => {
  const rest = (filePath: string, headers: Record<string, string>) =>
    scene.owner.fetch(scene.address('download/ID', { filePath }), { headers })

  test('resumes at its offset while the file is unchanged', async () => {
    const path = `${scene.folder()}/a.bin`
    const content = someBytes(500_000)
    writeFileSync(path, content)
    const whole = await scene.download(path)
    const etag = whole.headers.get('etag') ?? ''
    expect([whole.status, whole.headers.get('accept-ranges')]).toEqual([200, 'bytes'])
    await whole.arrayBuffer()
    const part = await rest(path, { range: 'bytes=123456-', 'if-range': etag })
    expect(part.status).toBe(206)
    expect(part.headers.get('content-range')).toBe('bytes 123456-499999/500000')
    expect(part.headers.get('etag')).toBe(etag)
    expect((await bytesOf(part)).equals(content.subarray(123_456))).toBe(true)
    expect((await rest(path, { range: 'bytes=499999-' })).headers.get('content-length')).toBe('1')

    const other = someBytes(500_000)
    writeFileSync(path, other)
    const again = await rest(path, { range: 'bytes=123456-', 'if-range': etag })
    expect([again.status, again.headers.get('content-range')]).toEqual([200, null])
    expect((await bytesOf(again)).equals(other)).toBe(true)
  })

  test.each(['bytes=500000-', 'bytes=0-', 'bytes=5-9', 'bytes=-5', 'bytes=1-,5-', 'lines=1-'])(
    'is sent whole for the range %s',
    async (range) => {
      const path = `${scene.folder()}/a.bin`
      writeFileSync(path, someBytes(500_000))
      const response = await rest(path, { range })
      expect([response.status, (await bytesOf(response)).length]).toEqual([200, 500_000])
    },
  )

  test('is sent whole when the client names its part by a date or a weak ETag', async () => {
    const path = `${scene.folder()}/a.bin`
    writeFileSync(path, someBytes(100))
    for (const condition of ['Wed, 21 Oct 2026 07:28:00 GMT', 'W/"1"']) {
      expect((await rest(path, { range: 'bytes=10-', 'if-range': condition })).status).toBe(200)
    }
  })

  test('of a directory starts again', async () => {
    const response = await rest(scene.folder(), { range: 'bytes=10-' })
    expect([response.status, response.headers.get('etag')]).toEqual([200, null])
    await response.arrayBuffer()
  })
})

describe('a download with a requested hash', () => {
  const asked = (filePath: string, init: RequestInit = {}) =>
    scene.owner.fetch(scene.address('download/ID', { filePath }), init)
  const sha256 = (content: Uint8Array) => `sha-256=:${createHash('sha256').update(content).digest('base64')}:`

  test('has the hash of the whole file, also for a range and for HEAD', async () => {
    const path = `${scene.folder()}/a.bin`
    const content = someBytes(3_000_000)
    writeFileSync(path, content)
    const wanted = { 'want-repr-digest': 'sha-512=3, sha-256=10' }
    for (const [method, range, length] of [
      ['GET', undefined, 3_000_000],
      ['GET', 'bytes=2000000-', 1_000_000],
      ['HEAD', undefined, 0],
    ] as const) {
      const response = await asked(path, { method, headers: { ...wanted, ...(range && { range }) } })
      expect(response.headers.get('repr-digest')).toBe(sha256(content))
      expect((await bytesOf(response)).length).toBe(length)
    }
  })

  test.each(['sha-256=0', 'md5=1', 'sha-512=9', 'xsha-256=1'])('by %s has no hash', async (wanted) => {
    const path = `${scene.folder()}/a.bin`
    writeFileSync(path, 'a')
    const response = await asked(path, { headers: { 'want-repr-digest': wanted } })
    expect([response.headers.get('repr-digest'), await response.text()]).toEqual([null, 'a'])
  })

  test('of a directory has no hash', async () => {
    const response = await asked(scene.folder(), { headers: { 'want-repr-digest': 'sha-256=1' } })
    expect([response.status, response.headers.get('repr-digest')]).toEqual([200, null])
    await response.arrayBuffer()
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
    const path = scene.folder()
    for (const name of ['one', 'two']) {
      mkdirSync(`${path}/${name}`)
      writeFileSync(`${path}/${name}/same.txt`, name)
    }
    const { names, read } = await unpacked(
      await scene.archive([`${path}/one/same.txt`, `${path}/two/same.txt`, `${path}/two`]),
    )
    expect(names).toEqual(['same (2).txt', 'same.txt', 'two/', 'two/same.txt'])
    expect(read('same (2).txt')).toBe('two')
  })

  test.runIf(isNight)('of many files has the announced length', async () => {
    const path = scene.folder()
    for (let index = 0; index < 3000; index++) {
      writeFileSync(`${path}/${index}`, `${index}`.repeat(index % 50))
    }
    const response = await scene.archive([path])
    const announced = Number(response.headers.get('content-length'))
    const { names, into } = await unpacked(response)
    expect(names.length).toBe(3001)
    expect(statSync(`${into}.zip`).size).toBe(announced)
  })

  test.skipIf(process.platform !== 'linux')('renames misleading names and lists what it omits', async () => {
    const path = scene.folder()
    for (const name of [Buffer.from([0x63, 0xe9]), Buffer.from([0x63, 0xea]), Buffer.from('c\u202Egnp')]) {
      writeFileSync(Buffer.concat([Buffer.from(`${path}/`), name]), name)
    }
    symlinkSync('/etc/hostname', `${path}/link`)
    execFileSync('mkfifo', [`${path}/pipe`])
    const { entries } = await scene.contents(path)
    const noUtf8 = entries.find(({ name }) => name === 'c\uEFE9')!
    const single = await scene.download(noUtf8.fullPath)
    expect(single.headers.get('content-disposition')).toContain('%25E9')
    expect(await bytesOf(single)).toEqual(Buffer.from([0x63, 0xe9]))
    const { names, read } = await unpacked(await scene.archive([path]))
    const top = basename(path)
    expect(names).toEqual(['Not in this archive.txt', `${top}/`, `${top}/c%E2%80%AEgnp`, `${top}/c%E9`, `${top}/c%EA`])
    const leftOut = read('Not in this archive.txt')
    expect(leftOut).toContain(`${top}/link (link to /etc/hostname)\n${top}/pipe (named pipe)\n`)
  })

  test('has names that every system can store, as single downloads have', async () => {
    const path = scene.folder()
    for (const name of ['NUL', 'com1.txt', 'a<b>|c?.txt', 'a_b__c_.txt', 'x. .', 'C:x']) {
      writeFileSync(`${path}/${name}`, name)
    }
    const { names } = await unpacked(await scene.archive([path]))
    const below = names.map((name) => name.split('/')[1] ?? '').filter((name) => name !== '')
    expect(below.toSorted((a, b) => (a < b ? -1 : 1))).toEqual([
      'C_x',
      '_NUL',
      '_com1.txt',
      'a_b__c_ (2).txt',
      'a_b__c_.txt',
      'x',
    ])
  })

  test('names the missing target', async () => {
    const response = await scene.archive([scene.folder(), '/no/such'])
    expect([response.status, await detailOf(response)]).toEqual([500, 'Target path does not exist: /no/such'])
  })

  test('whose file is truncated while it is read fails', async () => {
    const path = scene.folder()
    execFileSync('truncate', ['-s', '150M', `${path}/a`])
    const response = await scene.archive([path])
    const reader = response.body!.getReader()
    await reader.read()
    writeFileSync(`${path}/a`, 'less')
    const rest = async () => {
      while (!(await reader.read()).done) {
        // Only the end counts.
      }
    }
    await expect(rest()).rejects.toThrow('terminated')
  }, 60_000)
})

describe('an upload', () => {
  test.each([1, 81_920, 3_000_001])('of %i bytes is written unchanged', async (size) => {
    const path = scene.folder()
    const content = someBytes(size)
    expect((await scene.upload(path, content)).status).toBe(200)
    expect(readFileSync(`${path}/a.bin`).equals(content)).toBe(true)
    expect(statSync(`${path}/a.bin`).mode & 0o777).toBe(0o644)
    expect(readdirSync(path)).toEqual(['a.bin'])
  })

  test('over an existing file needs overwrite, and keeps the mode of the file', async () => {
    const path = scene.folder()
    writeFileSync(`${path}/a.bin`, 'old')
    chmodSync(`${path}/a.bin`, 0o640)
    const refused = await scene.upload(path, someBytes(5))
    expect([refused.status, await detailOf(refused)]).toEqual([500, 'File already exists.'])
    expect(readFileSync(`${path}/a.bin`, 'utf8')).toBe('old')
    expect((await scene.upload(path, someBytes(5), { overwrite: true })).status).toBe(200)
    expect(statSync(`${path}/a.bin`)).toMatchObject({ size: 5, mode: 0o100640 })
  })

  test.each([
    ['into no directory', 'nowhere', 'Directory does not exist'],
    ['over a directory', '', 'A directory with the same name already exists'],
  ])('%s is rejected', async (_, below, reason) => {
    const path = scene.folder()
    mkdirSync(`${path}/a.bin`)
    const response = await scene.upload(`${path}/${below}`, someBytes(5), { overwrite: true })
    expect([response.status, await detailOf(response)]).toEqual([500, reason])
  })

  test.skipIf(!isRoot)('onto a full disk is rejected with the reason and leaves no file', async () => {
    const path = scene.folder()
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', path])
    onTestFinished(() => void execFileSync('umount', [path]))
    const response = await scene.upload(path, someBytes(2_000_000))
    expect([response.status, await detailOf(response)]).toEqual([500, 'The disk of the device is full.'])
    expect(readdirSync(path)).toEqual([])
  })

  test('whose client disconnects is never visible under its name and leaves no file', async () => {
    const path = scene.folder()
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
    const sent = scene.owner
      .fetch(scene.address('upload/ID'), { ...options, headers } as RequestInit)
      .catch(() => undefined)
    const names = await until(() => (readdirSync(path).length > 0 ? readdirSync(path) : undefined))
    expect(names).toEqual([expect.stringMatching(/^\..*\.farhand-part$/)])
    expect(statSync(`${path}/${names[0]}`).mode & 0o777).toBe(0o600)
    abort.abort()
    await sent
    await until(() => readdirSync(path).length === 0)
  })

  test.runIf(isNight)(
    'of 100 MB during a download arrives unchanged',
    async () => {
      const path = scene.folder()
      const content = someBytes(100_000_000)
      writeFileSync(`${path}/down.bin`, content)
      const [up, down] = await Promise.all([
        scene.upload(path, content),
        scene.download(`${path}/down.bin`).then(bytesOf),
      ])
      expect(up.status).toBe(200)
      const hash = (data: Uint8Array) => createHash('sha256').update(data).digest('hex')
      expect(hash(readFileSync(`${path}/a.bin`))).toBe(hash(content))
      expect(hash(down)).toBe(hash(content))
    },
    60_000,
  )
})

test.skipIf(!isRoot)(
  'new files and folders belong to the owner of their folder, replaced ones keep theirs',
  async () => {
    const folder = scene.folder()
    chownSync(folder, 12_345, 23_456)
    const ownerOf = (path: string) => {
      const { uid, gid } = statSync(path)
      return [uid, gid]
    }
    await scene.upload(folder, someBytes(10))
    expect(ownerOf(`${folder}/a.bin`)).toEqual([12_345, 23_456])
    const { deviceId, tenantId } = { deviceId: scene.device.id, tenantId: scene.owner.tenantId }
    const body = { parentPath: folder, directoryName: 'new' }
    await scene.owner.deviceFileSystem.createDirectory({ params: { deviceId }, tenantId, body })
    expect(ownerOf(`${folder}/new`)).toEqual([12_345, 23_456])
    chownSync(`${folder}/a.bin`, 0, 0)
    await scene.upload(folder, someBytes(10), { overwrite: true })
    expect(ownerOf(`${folder}/a.bin`)).toEqual([0, 0])
  },
)
