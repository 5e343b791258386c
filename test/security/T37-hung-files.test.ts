/** Files and processes on a hung file system do not block other work. */
import { spawnSync } from 'node:child_process'
import { chownSync, closeSync, mkdirSync, openSync, symlinkSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { IsolatedReader, type UserFile } from '../../agent/base/isolated-reader.ts'
import { discoverDesktops } from '../../agent/platform/linux/desktops/discover.ts'
import { listProcesses } from '../../agent/platform/linux/desktops/running-processes.ts'
import { startXvfb } from '../../tools/simulate/display.ts'
import { temporaryFolder } from '../agent/support.ts'
import { isNight } from '../support/night.ts'

/** Mounts a FUSE file system whose program never reads a request; undefined where this machine does not allow that. */
function hungMount(): string | undefined {
  let fuse: number
  try {
    fuse = openSync('/dev/fuse', 'r+')
  } catch {
    return undefined
  }
  const folder = join(temporaryFolder(), 'hung')
  mkdirSync(folder)
  const options = 'fd=3,rootmode=40000,user_id=0,group_id=0,allow_other'
  const mount = spawnSync('mount', ['-i', '-t', 'fuse', '-o', options, 'none', folder], {
    stdio: ['ignore', 'ignore', 'ignore', fuse],
  })
  onTestFinished(() => {
    // Fails all requests with an error.
    closeSync(fuse)
    spawnSync('umount', ['-l', folder])
  })
  return mount.status === 0 ? folder : undefined
}

async function read(reader: IsolatedReader, files: readonly UserFile[]) {
  const texts: string[] = []
  await reader.read(files, 100, ({ userId }, bytes) => texts.push(`${userId} ${bytes.toString()}`))
  return texts
}

test('hung files of many users are left out, all other files are read, and this process can read files meanwhile', async ({
  skip,
}) => {
  const hung = hungMount() ?? skip('FUSE cannot be mounted here')
  const file = join(temporaryFolder(), 'file')
  writeFileSync(file, 'text')
  const reader = new IsolatedReader()
  const users = [1, 2, 3, 4, 5, 6]
  const files = [
    { path: file, userId: 100 },
    ...users.map((userId) => ({ path: join(hung, 'file'), userId })),
    ...users.map((userId) => ({ path: file, userId })),
    { path: file, userId: 101 },
  ]
  const reading = read(reader, files)
  expect(await readFile(file, 'utf8')).toBe('text')
  const texts = await reading
  expect(texts).toContain('100 text')
  expect(texts).toContain('101 text')
  // Users with hung files are not waited for again; a reader that does not know them waits for seconds.
  const ended: string[] = []
  const unknowing = read(new IsolatedReader(), files).then(() => ended.push('unknowing'))
  expect(await read(reader, files)).toEqual(['100 text', '101 text'])
  ended.push('knowing')
  await unknowing
  expect(ended).toEqual(['knowing', 'unknowing'])
})

test.runIf(isNight)('a process whose memory is behind a hung file system hides no other process', async ({ skip }) => {
  const hung = hungMount() ?? skip('FUSE cannot be mounted here')
  const folder = temporaryFolder()
  for (const [id, user] of [
    [10, 5_001],
    [11, 5_002],
    [12, 5_003],
    [13, 5_003],
  ] as const) {
    const own = join(folder, String(id))
    mkdirSync(own)
    chownSync(own, user, user)
    if (user === 5_003) {
      writeFileSync(join(own, 'cmdline'), `program-${id}\0`)
      writeFileSync(join(own, 'environ'), `DISPLAY=:${id}\0`)
    } else {
      symlinkSync(join(hung, 'cmdline'), join(own, 'cmdline'))
      symlinkSync(join(hung, 'environ'), join(own, 'environ'))
    }
  }
  const found = await listProcesses(folder)
  expect(found.map(({ id, program, environment }) => [id, program, environment.get('DISPLAY')])).toEqual([
    [10, '', undefined],
    [11, '', undefined],
    [12, 'program-12', ':12'],
    [13, 'program-13', ':13'],
  ])
})

test.runIf(isNight)('an Xauthority file on a hung mount delays its own display alone', async ({ skip }) => {
  const hung = hungMount() ?? skip('FUSE cannot be mounted here')
  const [honest, other] = [await startXvfb('320x200x24'), await startXvfb('320x200x24')]
  onTestFinished(async () => void (await Promise.all([honest.stop(), other.stop()])))
  const stranger = 20_000 + (process.pid % 40_000)
  chownSync(`/tmp/.X11-unix/X${other.name.slice(1)}`, stranger, stranger)
  const processes = temporaryFolder()
  for (const id of [21, 22, 23, 24, 25, 26]) {
    const own = join(processes, String(id))
    mkdirSync(own)
    writeFileSync(join(own, 'cmdline'), 'program\0')
    writeFileSync(join(own, 'environ'), `DISPLAY=${other.name}\0XAUTHORITY=${hung}/${id}\0`)
    chownSync(own, stranger, stranger)
  }
  const begun = performance.now()
  const places = { sockets: '/tmp/.X11-unix', processes, logins: join(processes, 'none') }
  const arriving = await discoverDesktops(places, 10_000)
  const all = await Promise.all(arriving)
  expect(all.find((found) => found?.name === `Console - X11: ${honest.name}`)?.address).toEqual({
    display: honest.name,
  })
  expect(performance.now() - begun).toBeLessThan(15_000)
})
