/** Any user can listen at display addresses without answering. No other work waits for that. */
import { randomBytes } from 'node:crypto'
import { chownSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { Desktops } from '../../agent/capabilities/desktops.ts'
import { systemClock } from '../../agent/base/clock.ts'
import type { FoundDesktop } from '../../agent/platform/found-desktop.ts'
import { discoverDesktops, type LinuxDesktop } from '../../agent/platform/linux/desktops/discover.ts'
import { withLauncher } from '../../agent/platform/linux/desktops/launcher.ts'
import { openAccess } from '../../agent/trust/access.ts'
import { startXvfb } from '../../tools/simulate/display.ts'
import { openDoor } from '../support/open-door.ts'
import { collectingLog, temporaryFolder } from '../agent/support.ts'
import { until } from '../support/until.ts'
import { isNight } from '../support/night.ts'

/** User id of this run alone: other tests discover displays at the same time. */
const stranger = 10_000 + (process.pid % 50_000)

const secret = randomBytes(16)

/** Display of a stranger that accepts connections but never answers; `shown` counts how often the secret was sent. */
async function silentDisplay(owner = stranger) {
  mkdirSync('/tmp/.X11-unix', { recursive: true, mode: 0o1777 })
  let number = 750
  while (existsSync(`/tmp/.X11-unix/X${number}`)) {
    number++
  }
  const path = `/tmp/.X11-unix/X${number}`
  const sockets = new Set<Socket>()
  let shown = 0
  const server = createServer((socket) => {
    sockets.add(socket)
    // Other tests of this machine connect to all displays, too, but do not know the secret.
    socket.on('error', () => {}).on('data', (bytes) => (shown += bytes.includes(secret) ? 1 : 0))
  })
  await new Promise<void>((resolve) => server.listen(path, resolve))
  chownSync(path, owner, owner)
  onTestFinished(() => {
    sockets.forEach((socket) => socket.destroy())
    server.close()
    rmSync(path, { force: true })
  })
  return { display: `:${number}`, shown: () => shown }
}

/** Programs of the stranger, a program per display, each with its own Xauthority file. */
function programsOn(displays: readonly { display: string }[]) {
  const processes = temporaryFolder()
  const field = (value: Buffer) => Buffer.concat([Buffer.from([value.length >> 8, value.length & 0xff]), value])
  const fields = [hostname(), '', 'MIT-MAGIC-COOKIE-1'].map((text) => field(Buffer.from(text)))
  displays.forEach(({ display }, index) => {
    const folder = join(processes, String(1000 + index))
    const file = join(folder, 'authority')
    mkdirSync(folder)
    writeFileSync(join(folder, 'cmdline'), 'program\0')
    writeFileSync(join(folder, 'environ'), `DISPLAY=${display}\0XAUTHORITY=${file}\0`)
    writeFileSync(file, Buffer.concat([Buffer.from([1, 0]), ...fields, field(secret)]))
    chownSync(file, stranger, stranger)
    chownSync(folder, stranger, stranger)
  })
  return processes
}

const places = (processes = '/proc') => ({
  sockets: '/tmp/.X11-unix',
  processes,
  logins: join(temporaryFolder(), 'none'),
})

const isRoot = process.getuid?.() === 0

test.skipIf(!isRoot || !isNight)(
  'a silent display has one deadline, however many files its user names for it',
  async () => {
    const silent = await silentDisplay()
    const processes = programsOn(Array.from({ length: 5 }, () => silent))
    await Promise.all(await discoverDesktops(places(processes), 5_000))
    expect(silent.shown()).toBe(1)
  },
)

test.skipIf(!isRoot || !isNight)('the displays opened for a single user are limited to eight', async () => {
  const displays = []
  for (let count = 0; count < 12; count++) {
    displays.push(await silentDisplay())
  }
  await Promise.all(await discoverDesktops(places(programsOn(displays)), 5_000))
  expect(displays.filter(({ shown }) => shown() > 0).length).toBe(8)
})

test('a silent display delays no other desktop: they are found, listed and served meanwhile', async () => {
  await silentDisplay(process.getuid?.())
  const { name, stop } = await startXvfb('320x200x24')
  onTestFinished(() => stop())
  let answered = false
  const launched = async (found: LinuxDesktop | null): Promise<FoundDesktop | null> => found && withLauncher(found)
  const discover = async () => {
    const arriving = await discoverDesktops(places(), 40_000)
    void Promise.all(arriving).then(() => (answered = true))
    return arriving.map(async (found) => launched(await found))
  }
  const { relay } = openAccess('http://127.0.0.1')
  const server = () => ({
    SendChatResponse: () => Promise.resolve(true),
    SendDesktopPreviewStream: () => Promise.resolve(),
  })
  const desktops = new Desktops({
    clock: systemClock,
    log: collectingLog(),
    server,
    discover,
    relay,
    grantsFile: '',
    ...openDoor,
  })
  onTestFinished(() => desktops.stop())
  const honest = await until(async () =>
    (await desktops.handlers.GetActiveDesktopSessions()).find((desktop) => desktop.name === `Console - X11: ${name}`),
  )
  expect(answered).toBe(false)
  expect(await desktops.handlers.RequestRemoteControlPermission(honest.processId)).toMatchObject({ isSuccess: true })
})
