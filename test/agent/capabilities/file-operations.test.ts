import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { FileOperations } from '../../../agent/capabilities/files/operations.ts'
import { PartFiles } from '../../../agent/capabilities/files/parts.ts'
import { manualClock } from '../../support/clock.ts'
import { createTestLog } from '../../support/log.ts'
import { isNight } from '../../support/night.ts'
import { temporaryFolder } from '../../support/server-process.ts'
import { until } from '../../support/until.ts'

const operationKey = 'a'.repeat(64)

async function scene() {
  const folder = await temporaryFolder()
  const parts = new PartFiles(join(folder, 'notes'))
  const operations = new FileOperations({ log: createTestLog(), parts })
  const path = (...names: string[]) => join(folder, ...names)
  mkdirSync(path('in'))
  mkdirSync(path('out'))
  const operate = (kind: 'copy' | 'move', ...items: { path: string; name: string; overwrite?: boolean }[]) =>
    operations.run({
      operationKey,
      kind,
      targetDirectory: path('out'),
      items: items.map((item) => ({ overwrite: false, ...item })),
    })
  return { path, operate, operations }
}

test('a copied tree has the contents, modes, times and links of its source, and nothing of it is left under another name', async () => {
  const { path, operate } = await scene()
  mkdirSync(path('in', 'deep', 'er'), { recursive: true })
  writeFileSync(path('in', 'deep', 'er', 'run.sh'), 'echo', { mode: 0o750 })
  chmodSync(path('in', 'deep', 'er', 'run.sh'), 0o750)
  utimesSync(path('in', 'deep', 'er', 'run.sh'), 1_000_000, 1_000_000)
  symlinkSync('/etc/passwd', path('in', 'deep', 'link'))
  const end = await operate('copy', { path: path('in', 'deep'), name: 'copied' })
  expect(end).toEqual({ isEnded: true, files: 2, totalFiles: 2, bytes: 4, totalBytes: 4, problems: [null] })
  const copied = statSync(path('out', 'copied', 'er', 'run.sh'))
  expect([copied.mode & 0o777, copied.mtimeMs, readFileSync(path('out', 'copied', 'er', 'run.sh'), 'utf8')]).toEqual([
    0o750,
    1_000_000_000,
    'echo',
  ])
  expect(readlinkSync(path('out', 'copied', 'link'))).toBe('/etc/passwd')
  expect(readdirSync(path('out'))).toEqual(['copied'])
  expect(readdirSync(path('notes'))).toEqual([])
})

test('nothing is replaced but a file whose item says so', async () => {
  const { path, operate } = await scene()
  for (const [name, text] of [
    ['in/a', 'new'],
    ['in/b', 'new'],
    ['out/a', 'old'],
    ['out/b', 'old'],
  ] as const) {
    writeFileSync(path(name), text)
  }
  mkdirSync(path('in', 'folder'))
  mkdirSync(path('out', 'folder'))
  const { problems } = await operate(
    'move',
    { path: path('in', 'a'), name: 'a' },
    { path: path('in', 'b'), name: 'b', overwrite: true },
    { path: path('in', 'folder'), name: 'folder', overwrite: true },
    { path: path('in', 'folder'), name: 'a', overwrite: true },
  )
  expect(problems).toEqual([
    'File already exists.',
    null,
    'A directory with the same name already exists',
    'File already exists.',
  ])
  expect([readFileSync(path('out', 'a'), 'utf8'), readFileSync(path('out', 'b'), 'utf8')]).toEqual(['old', 'new'])
  expect(readdirSync(path('in')).toSorted()).toEqual(['a', 'folder'])
})

test('a folder is not put into itself, also where a link hides this', async () => {
  const { path, operate, operations } = await scene()
  mkdirSync(path('out', 'self', 'below'), { recursive: true })
  symlinkSync(path('out', 'self'), path('in', 'hidden'))
  const problem = ['A folder cannot be copied or moved into itself.']
  const into = (kind: 'copy' | 'move', targetDirectory: string) =>
    operations.run({
      operationKey,
      kind,
      targetDirectory,
      items: [{ path: path('out', 'self'), name: 'again', overwrite: false }],
    })
  expect((await into('copy', path('out', 'self', 'below'))).problems).toEqual(problem)
  expect((await into('move', path('in', 'hidden', 'below'))).problems).toEqual(problem)
  const { problems } = await operate('copy', { path: '/', name: 'all' }, { path: path('in', 'none'), name: 'none' })
  expect(problems).toEqual(['A whole drive is not copied or moved.', 'Target path does not exist'])
  expect(readdirSync(path('out', 'self', 'below'))).toEqual([])
})

test('hostile names are rejected, and a link is moved itself', async () => {
  const { path, operate } = await scene()
  writeFileSync(path('in', 'a'), 'a')
  symlinkSync('/etc/passwd', path('in', 'link'))
  const names = ['../a', '..', 'x/y', `${'n'.repeat(256)}`]
  const { problems } = await operate('copy', ...names.map((name) => ({ path: path('in', 'a'), name })))
  expect(problems).toEqual(names.map(() => 'File name contains invalid characters'))
  expect(readdirSync(path('out'))).toEqual([])
  expect((await operate('move', { path: path('in', 'link'), name: 'moved' })).problems).toEqual([null])
  expect(lstatSync(path('out', 'moved')).isSymbolicLink()).toBe(true)
  expect(existsSync('/etc/passwd')).toBe(true)
})

test('a canceled copy leaves nothing, and reports what was not done', async () => {
  const { path, operate, operations } = await scene()
  for (let index = 0; index < 200; index++) {
    writeFileSync(path('in', `f${index}`), 'x')
  }
  const running = operate('copy', { path: path('in'), name: 'all' }, { path: path('in', 'f0'), name: 'f0' })
  const watch = setInterval(() => operations.stateOf(operationKey)?.files && operations.end(operationKey), 1)
  const { problems } = await running
  clearInterval(watch)
  expect(problems).toEqual(['It was canceled.', 'It was canceled.'])
  expect([readdirSync(path('out')), readdirSync(path('notes'))]).toEqual([[], []])
})

describe.skipIf(
  statSync('/dev/shm').dev === statSync(tmpdir()).dev && statSync('/dev/shm').dev === statSync('/tmp').dev,
)('a move to another file system', () => {
  const withTree = async () => {
    const all = await scene()
    const own = statSync(all.path('out')).dev
    const other = [tmpdir(), '/tmp', '/dev/shm'].find((place) => statSync(place).dev !== own)!
    const away = mkdtempSync(join(other, 'farhand-test-'))
    mkdirSync(join(away, 'tree'))
    writeFileSync(join(away, 'tree', 'file'), 'content')
    return { ...all, away }
  }

  test('copies, then deletes its source', async () => {
    const { path, operate, away } = await withTree()
    expect((await operate('move', { path: join(away, 'tree'), name: 'tree' })).problems).toEqual([null])
    expect(readFileSync(path('out', 'tree', 'file'), 'utf8')).toBe('content')
    expect(readdirSync(away)).toEqual([])
  })

  test.runIf(isNight)('deletes nothing if a file was put into its source meanwhile', async () => {
    const { path, operate, operations, away } = await withTree()
    for (let index = 0; index < 200; index++) {
      writeFileSync(join(away, 'tree', `f${index}`), 'x')
    }
    const watch = setInterval(() => {
      if (operations.stateOf(operationKey)?.files) {
        writeFileSync(join(away, 'tree', 'late'), 'x')
      }
    }, 1)
    const { problems } = await operate('move', { path: join(away, 'tree'), name: 'tree' })
    clearInterval(watch)
    expect(problems).toEqual(['It changed while it was copied. The copy is there, and nothing was deleted.'])
    expect(readFileSync(join(away, 'tree', 'late'), 'utf8')).toBe('x')
    expect(readFileSync(path('out', 'tree', 'file'), 'utf8')).toBe('content')
    rmSync(away, { recursive: true })
  })
})

test('an agent that starts after a crash removes the unfinished copy of a folder', async () => {
  const { path } = await scene()
  mkdirSync(path('out', 'copy', 'deep'), { recursive: true })
  writeFileSync(path('out', 'copy', 'deep', 'file'), 'x')
  const { dev, ino } = statSync(path('out', 'copy'))
  const parts = new PartFiles(path('notes'))
  await parts.note('a'.repeat(64), {
    directory: path('out'),
    name: 'copy',
    isKept: false,
    isTree: true,
    file: { dev, ino },
  })
  const stop = parts.start(manualClock())
  await until(() => !existsSync(path('out', 'copy')))
  stop()
})

test('one person holds half of the operations of a device, and others get the rest', async () => {
  const { path, operations } = await scene()
  writeFileSync(path('in', 'a'), 'a')
  const start = (owner: string, number: number) => {
    const items = [{ path: path('in', 'a'), name: `${owner}${number}`, overwrite: false }]
    const keys = { operationKey: `${owner}${number}`.padEnd(64, '0'), ownerKey: owner.repeat(64) }
    return operations.run({ ...keys, kind: 'copy', targetDirectory: path('out'), items })
  }
  const running = [1, 2, 3, 4].map((number) => start('a', number))
  await expect(start('a', 5)).rejects.toThrow('You already copy or move on this device 4 times.')
  running.push(start('b', 1))
  expect((await Promise.all(running)).map(({ problems }) => problems)).toEqual(running.map(() => [null]))
})
