import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { runs } from '../../support/night.ts'
import { until } from '../../support/until.ts'
import { bytesOf, detailOf, someBytes, startFileScene, type FileScene } from './file-scene.ts'

let scene: FileScene

beforeAll(async () => {
  scene = await startFileScene()
})
afterAll(() => scene.stop())

describe('a listing', () => {
  test('has files first, then directories, each by name in any letter case', async () => {
    const path = scene.folder()
    for (const name of ['beta', 'Alpha', '.hidden']) {
      writeFileSync(`${path}/${name}`, name)
    }
    mkdirSync(`${path}/zoo/deep`, { recursive: true })
    mkdirSync(`${path}/Bar`)
    const { directoryExists, entries } = await scene.contents(path)
    expect(directoryExists).toBe(true)
    expect(entries.map(({ name }) => name)).toEqual(['.hidden', 'Alpha', 'beta', 'Bar', 'zoo'])
    expect(entries[0]).toMatchObject({ isHidden: true, size: 7, isDirectory: false, canRead: true, canWrite: true })
    expect(entries.map(({ hasSubfolders }) => hasSubfolders)).toEqual([false, false, false, false, true])
    expect(entries[4]).toMatchObject({ isDirectory: true, size: 0, fullPath: `${path}/zoo` })
    expect(Date.parse(entries[0]!.lastModified)).toBe(statSync(`${path}/.hidden`).mtime.getTime())
  })

  test('of subdirectories has only directories', async () => {
    const path = scene.folder()
    writeFileSync(`${path}/file`, '')
    mkdirSync(`${path}/b`)
    mkdirSync(`${path}/a`)
    const body = { deviceId: scene.device.id, directoryPath: path }
    const { subdirectories } = await scene.owner.deviceFileSystem.subdirectories({
      tenantId: scene.owner.tenantId,
      body,
    })
    expect(subdirectories.map(({ name }) => name)).toEqual(['a', 'b'])
  })

  test('of a missing directory fails with the reason', async () => {
    expect(await scene.contents(scene.device.path('nowhere'))).toEqual({ directoryExists: false, entries: [] })
  })

  test('of an empty directory is empty', async () => {
    expect(await scene.contents(scene.folder())).toEqual({ directoryExists: true, entries: [] })
  })

  test('of a relative path is rejected with the reason', async () => {
    await expect(scene.contents('etc')).rejects.toThrow('The path must be absolute.')
  })

  test('of thousands of names arrives whole and in order', async () => {
    const path = scene.folder()
    const names = Array.from({ length: runs(3_000) }, (_, index) => `entry-${String(index).padStart(6, '0')}`)
    for (const [index, name] of names.toReversed().entries()) {
      writeFileSync(`${path}/${name}`, '')
      // Create the files in steps: while this process is blocked, its server and client time out.
      if (index % 500 === 0) {
        await setImmediate()
      }
    }
    const { entries } = await scene.contents(path)
    expect(entries.map(({ name }) => name)).toEqual(names)
  }, 60_000)

  test('shows pipes, sockets and dead links without opening them, and the kind of a link target', async () => {
    const path = scene.folder()
    execFileSync('mkfifo', [`${path}/pipe`])
    const listener = createServer().listen(`${path}/socket`)
    onTestFinished(() => void listener.close())
    symlinkSync('/nowhere/at/all', `${path}/dead`)
    symlinkSync('/usr', `${path}/usr`)
    await until(() => existsSync(`${path}/socket`))
    const { entries } = await scene.contents(path)
    expect(entries.map(({ name, isDirectory, isLink, canRead }) => [name, isDirectory, isLink, canRead])).toEqual([
      ['dead', false, true, false],
      ['pipe', false, undefined, false],
      ['socket', false, undefined, false],
      ['usr', true, true, true],
    ])
    for (const name of ['pipe', 'socket']) {
      const response = await scene.download(`${path}/${name}`)
      expect([response.status, await detailOf(response)]).toEqual([500, 'Only files and directories can be sent.'])
    }
  })

  test('names that are not UTF-8 are listed, read, replaced and deleted by their listed text', async () => {
    const path = scene.folder()
    const raw = (name: Buffer) => Buffer.concat([Buffer.from(`${path}/`), name])
    const names = [Buffer.from('caf\xe9', 'latin1'), Buffer.from([0xff, 0xfe, 0x41]), Buffer.from('\uef80ok')]
    names.forEach((name, index) => writeFileSync(raw(name), `content ${index}`))
    const { entries } = await scene.contents(path)
    expect(new Set(entries.map(({ name }) => name)).size).toBe(3)
    const texts: string[] = []
    for (const { fullPath } of entries) {
      texts.push((await bytesOf(await scene.download(fullPath))).toString())
    }
    expect(texts.toSorted()).toEqual(['content 0', 'content 1', 'content 2'])
    for (const { fullPath, name } of entries) {
      expect((await scene.upload(path, someBytes(3), { name, overwrite: true })).status).toBe(200)
      await scene.owner.deviceFileSystem.deletePath({
        params: { deviceId: scene.device.id },
        tenantId: scene.owner.tenantId,
        body: { filePath: fullPath },
      })
    }
    expect(readdirSync(path)).toEqual([])
  })
})

describe('paths', () => {
  const params = () => ({ deviceId: scene.device.id })

  test('are split into segments, whether they exist or not', async () => {
    const segments = (targetPath: string) =>
      scene.owner.deviceFileSystem.pathSegments({
        tenantId: scene.owner.tenantId,
        body: { deviceId: scene.device.id, targetPath },
      })
    const split = { success: true, pathSeparator: '/', errorMessage: null }
    expect(await segments('/usr//share/../bin/')).toEqual({
      ...split,
      pathExists: true,
      pathSegments: ['/', 'usr', 'bin'],
    })
    expect(await segments('/no/such')).toEqual({ ...split, pathExists: false, pathSegments: ['/', 'no', 'such'] })
    expect(await segments('usr')).toMatchObject({ success: false, errorMessage: 'The path must be absolute.' })
  })

  test('are absolute', async () => {
    const { drives } = await scene.owner.deviceFileSystem.rootDrives({
      tenantId: scene.owner.tenantId,
      body: { deviceId: scene.device.id },
    })
    expect(drives[0]).toMatchObject({ name: '/', fullPath: '/', isDirectory: true, hasSubfolders: true })
  })

  test.each([
    ['new.txt', true, ''],
    ['old.txt', false, 'File already exists'],
    ['sub', false, 'A directory with the same name already exists'],
    ['a/b', false, 'File name contains invalid characters'],
    ['..', false, 'File name contains invalid characters'],
  ])('%s is validated', async (fileName, isValid, errorMessage) => {
    const path = scene.folder()
    writeFileSync(`${path}/old.txt`, '')
    mkdirSync(`${path}/sub`)
    const body = { directoryPath: path, fileName }
    expect(
      await scene.owner.deviceFileSystem.validatePath({ params: params(), tenantId: scene.owner.tenantId, body }),
    ).toEqual({
      isValid,
      errorMessage,
    })
  })

  test('in a missing directory are invalid', async () => {
    const body = { directoryPath: scene.device.path('nowhere'), fileName: 'a' }
    const errorMessage = 'Directory does not exist'
    expect(
      await scene.owner.deviceFileSystem.validatePath({ params: params(), tenantId: scene.owner.tenantId, body }),
    ).toEqual({
      isValid: false,
      errorMessage,
    })
  })

  test('of new directories are created, or rejected with the reason', async () => {
    const path = scene.folder()
    const create = (directoryName: string, parentPath = path) =>
      scene.owner.deviceFileSystem.createDirectory({
        params: params(),
        tenantId: scene.owner.tenantId,
        body: { parentPath, directoryName },
      })
    await create('fresh')
    expect(statSync(`${path}/fresh`).isDirectory()).toBe(true)
    writeFileSync(`${path}/taken`, '')
    await expect(create('fresh')).rejects.toThrow('Directory already exists')
    await expect(create('taken')).rejects.toThrow('A file with the same name already exists')
    await expect(create('a', `${path}/none`)).rejects.toThrow('Parent directory does not exist')
    await expect(create('../out')).rejects.toThrow('invalid characters')
  })

  test('are deleted recursively, and rejected when missing', async () => {
    const path = scene.folder()
    mkdirSync(`${path}/tree/a/b`, { recursive: true })
    writeFileSync(`${path}/tree/a/b/file`, '')
    const remove = (filePath: string) =>
      scene.owner.deviceFileSystem.deletePath({ params: params(), tenantId: scene.owner.tenantId, body: { filePath } })
    await remove(`${path}/tree/`)
    expect(readdirSync(path)).toEqual([])
    await expect(remove(`${path}/tree`)).rejects.toThrow('Target path does not exist')
    await expect(remove('/')).rejects.toThrow('A whole drive is not deleted.')
  })
})

describe('logs', () => {
  test('of the agent are listed and read', async () => {
    const { logFileGroups } = await scene.owner.deviceFileSystem.logs({
      params: { deviceId: scene.device.id },
      tenantId: scene.owner.tenantId,
    })
    const [group] = logFileGroups
    expect(group?.groupName).toBe('Agent Logs')
    const [file] = group!.logFiles
    expect(file).toMatchObject({ fileName: 'LogFile.log' })
    const response = await scene.owner.fetch(scene.address('logs/ID/contents', { filePath: file!.fullPath }))
    expect(await response.text()).toContain('Farhand agent started')
  })
})
