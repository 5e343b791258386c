/** Any user can listen at a display server's address, and name files of others in a program's environment. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { randomBytes } from 'node:crypto'
import { chownSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openX11Desktop } from '../../agent/platform/linux/x11/desktop.ts'
import { discoverDesktops } from '../../agent/platform/linux/desktops/discover.ts'
import { listProcesses } from '../../agent/platform/linux/desktops/running-processes.ts'
import { DescriptorSocket } from '../../agent/platform/linux/wayland/wlroots/socket.ts'
import { startXvfb } from '../../tools/simulate/display.ts'
import { canActAsSomebody, somebody } from '../support/somebody.ts'
import { until } from '../support/until.ts'
import { temporaryFolder } from '../agent/support.ts'

const stranger = 4711
const secret = randomBytes(16)

/** Xauthority file that matches any display number, like those of some login managers. */
function authorityFile(owner: number, cookie = secret) {
  const field = (value: Buffer) => Buffer.concat([Buffer.from([value.length >> 8, value.length & 0xff]), value])
  const fields = [hostname(), '', 'MIT-MAGIC-COOKIE-1'].map((text) => field(Buffer.from(text)))
  const file = join(temporaryFolder(), 'authority')
  writeFileSync(file, Buffer.concat([Buffer.from([1, 0]), ...fields, field(cookie)]), { mode: 0o600 })
  chownSync(file, owner, owner)
  return file
}

/** Display of a stranger that records its input. */
async function strangersDisplay() {
  mkdirSync('/tmp/.X11-unix', { recursive: true, mode: 0o1777 })
  let number = 700
  while (existsSync(`/tmp/.X11-unix/X${number}`)) {
    number++
  }
  const path = `/tmp/.X11-unix/X${number}`
  let told = Buffer.alloc(0)
  const server = createServer((socket) => {
    socket
      .on('error', () => {})
      .on('data', (bytes) => {
        told = Buffer.concat([told, bytes])
        socket.destroy()
      })
  })
  await new Promise<void>((resolve) => server.listen(path, resolve))
  chownSync(path, stranger, stranger)
  onTestFinished(() => {
    server.close()
    rmSync(path, { force: true })
  })
  return { display: `:${number}`, told: () => told }
}

/** Program of a user that looks like a compositor: by its name and by the socket on which it listens. */
async function compositor(uid: number, variables: Record<string, string> = {}) {
  const folder = temporaryFolder()
  chownSync(folder, uid, uid)
  const path = join(folder, 'wayland-0')
  const script = 'require("node:net").createServer().listen(process.argv[1])'
  const child = spawn(process.execPath, ['-e', script, path], {
    argv0: '/usr/bin/sway',
    env: { XDG_RUNTIME_DIR: folder, ...variables },
    uid,
    gid: uid,
    cwd: '/',
    stdio: 'ignore',
  })
  onTestFinished(() => void child.kill())
  await until(() => existsSync(path))
  return folder
}

const sessionOf = async (folder: string) =>
  (await discover(places())).find(({ wayland }) => wayland?.runtimeFolder === folder)

async function program(uid: number, variables: Record<string, string>) {
  const child = spawn('sleep', ['60'], { uid, gid: uid, env: variables, stdio: 'ignore' })
  onTestFinished(() => void child.kill())
  await until(() => child.pid !== undefined)
}

/** Desktops of all displays, once discovery has finished. */
const discover = async (...args: Parameters<typeof discoverDesktops>) =>
  (await Promise.all(await discoverDesktops(...args))).filter((desktop) => desktop !== null)

const places = () => ({ sockets: '/tmp/.X11-unix', processes: '/proc', logins: join(temporaryFolder(), 'none') })
const find = async (display: string) =>
  (await discover(places())).find(({ name }) => name === `Console - X11: ${display}`)

describe.skipIf(process.getuid?.() !== 0)('a display of a stranger', () => {
  test('does not receive the secret of another user whose file a program of the stranger names', async () => {
    const { display, told } = await strangersDisplay()
    await program(stranger, { DISPLAY: display, XAUTHORITY: authorityFile(0) })
    await find(display)
    expect(told().length).toBeGreaterThan(0)
    expect(told().includes(secret)).toBe(false)
  })

  test('does not receive the secret of another user whose programs connect to it', async () => {
    const { display, told } = await strangersDisplay()
    await program(0, { DISPLAY: display, XAUTHORITY: authorityFile(0) })
    await find(display)
    expect(told().length).toBeGreaterThan(0)
    expect(told().includes(secret)).toBe(false)
  })
})

test.skipIf(process.getuid?.() !== 0)(
  'a program of a stranger gives no display its name, and nobody a name too long for a message to the server',
  async () => {
    const file = authorityFile(0)
    const { name: display, stop } = await startXvfb('320x200x24', ['-auth', file])
    onTestFinished(() => stop())
    await program(stranger, { DISPLAY: display, XDG_CURRENT_DESKTOP: 'of a stranger' })
    await program(0, { DISPLAY: display, XDG_CURRENT_DESKTOP: 'x'.repeat(100_000), XAUTHORITY: file })
    expect((await find(display))?.desktopName).toBe('x'.repeat(100))
  },
)

test.skipIf(process.getuid?.() !== 0)(
  'a display stays that of its user, however many programs of others name it',
  async () => {
    const cookie = randomBytes(16)
    const owner = 4712
    const file = authorityFile(owner, cookie)
    const { name: display, stop } = await startXvfb('320x200x24', ['-auth', file])
    onTestFinished(() => stop())
    await program(owner, { DISPLAY: display, XAUTHORITY: file })
    for (let count = 0; count < 3; count++) {
      await program(stranger, { DISPLAY: display, XAUTHORITY: file })
    }
    expect(await find(display)).toMatchObject({ username: String(owner), address: { display, authorityFile: file } })
  },
)

describe.skipIf(!canActAsSomebody)('a program with the name of a compositor', () => {
  const { uid } = somebody

  test('is a Wayland session of its user, but none of root, whose name programs of others can have', async () => {
    expect((await sessionOf(await compositor(uid)))?.wayland).toMatchObject({ userId: uid, socket: 'wayland-0' })
    expect(await sessionOf(await compositor(0))).toBeUndefined()
  })

  test('listens in the folder that it names itself, as any user can add paths to the list of its sockets', async () => {
    const folder = await compositor(uid, { XDG_RUNTIME_DIR: '/run/user/4711' })
    expect(await sessionOf(folder)).toBeUndefined()
  })

  test('of another user is not talked to', async () => {
    const path = join(await compositor(uid), 'wayland-0')
    await expect(DescriptorSocket.connect(path)).rejects.toThrow(`The socket ${path} belongs to another user.`)
  })

  test('does not take the display of another user away by naming it', async () => {
    const { name: display, stop } = await startXvfb('320x200x24')
    onTestFinished(() => stop())
    await compositor(uid)
    await program(uid, { WAYLAND_DISPLAY: 'wayland-0', DISPLAY: display })
    expect(await find(display)).toMatchObject({ address: { display }, obstacle: '' })
  })
})

test('a display that greets correctly and then sends endless unrequested data is dropped', async () => {
  const { name, stop } = await startXvfb('320x200x24')
  onTestFinished(() => stop())
  const real = connect(`/tmp/.X11-unix/X${name.slice(1)}`)
  real.write(Buffer.from([0x6c, 0, 11, 0, 0, 0, 0, 0, 0, 0, 0, 0]))
  const [greeting] = (await once(real, 'data')) as [Buffer]
  real.destroy()
  const most = 300 * 1024 * 1024
  let sent = 0
  const flood = (socket: Socket) => {
    const more = () => {
      while (!socket.destroyed && sent < most && socket.write(Buffer.alloc(1024 * 1024))) {
        sent += 1024 * 1024
      }
      sent += 1024 * 1024
    }
    // Header of a 16 GiB answer.
    const head = Buffer.alloc(32)
    head.set([1, 0, 1, 0, 0xff, 0xff, 0xff, 0xff])
    socket.write(Buffer.concat([greeting, head]))
    socket.on('drain', more)
    more()
  }
  const number = 60_000 + (process.pid % 5_000)
  const server = createServer((socket) => {
    socket.on('error', () => {}).once('data', () => flood(socket))
  }).listen(`/tmp/.X11-unix/X${number}`)
  onTestFinished(() => void server.close())
  await expect(openX11Desktop({ display: `:${number}` })).rejects.toThrow(`:${number}`)
  expect(sent).toBeGreaterThan(0)
  expect(sent).toBeLessThan(32 * 1024 * 1024)
})

test('the length of command lines and environments that are read is limited', async () => {
  const folder = temporaryFolder()
  const own = join(folder, '4242')
  mkdirSync(own)
  writeFileSync(join(own, 'cmdline'), `/usr/bin/Xorg\0:7\0${'x'.repeat(2_000_000)}\0`)
  writeFileSync(join(own, 'environ'), `DISPLAY=:7\0XAUTHORITY=${'x'.repeat(2_000_000)}\0LAST=1\0`)
  const [found] = await listProcesses(folder)
  expect(found).toMatchObject({ id: 4242, program: 'Xorg' })
  expect(found!.arguments[0]).toBe(':7')
  expect(found!.arguments.join('').length).toBeLessThan(20_000)
  expect(found!.environment.get('DISPLAY')).toBe(':7')
  expect(found!.environment.get('XAUTHORITY')!.length).toBeLessThan(150_000)
})
