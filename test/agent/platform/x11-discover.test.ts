import { randomBytes } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { hostname, tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { discoverDesktops, type LinuxDesktop } from '../../../agent/platform/linux/desktops/discover.ts'
import { accountFinder } from '../../../agent/platform/linux/desktops/logins.ts'
import { Connection } from '../../../agent/platform/linux/x11/connection.ts'
import { openX11Desktop } from '../../../agent/platform/linux/x11/desktop.ts'
import { startXvfb, type XDisplay } from '../../../tools/simulate/display.ts'
import { authorityEntry } from './x11-authority.ts'

let folder: string
let open: XDisplay
let locked: XDisplay
let authorityFile: string

/** Resolves with all desktops, once the last one is known. */
const discover = async (...args: Parameters<typeof discoverDesktops>) =>
  (await Promise.all(await discoverDesktops(...args))).filter((desktop) => desktop !== null)

const places = () => ({ sockets: '/tmp/.X11-unix', processes: '/proc', logins: join(folder, 'logins') })

const find = (found: readonly LinuxDesktop[], display: XDisplay) =>
  found.find(({ name }) => name === `Console - X11: ${display.name}`)

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'farhand-x11-'))
  await mkdir(join(folder, 'logins'))
  authorityFile = join(folder, 'authority')
  await writeFile(authorityFile, authorityEntry(hostname(), randomBytes(16)))
  open = await startXvfb('320x200x24')
  locked = await startXvfb('320x200x24', ['-auth', authorityFile])
})

afterAll(async () => {
  await open?.stop()
  await locked?.stop()
  await rm(folder, { recursive: true, force: true })
})

describe('the desktops of this machine', () => {
  test('are found with their user and a number that stays', async () => {
    const [first, second] = [await discover(places()), await discover(places())]
    const desktop = find(first, open)
    expect(desktop).toMatchObject({
      username: userInfo().username,
      isSignedIn: true,
      address: { display: open.name },
      obstacle: '',
    })
    expect(desktop?.systemSessionId).toBeGreaterThanOrEqual(1_000)
    expect(find(second, open)?.systemSessionId).toBe(desktop?.systemSessionId)
  })

  test('that need a secret are opened with the file that their display server names', async () => {
    await expect(openX11Desktop({ display: locked.name })).rejects.toThrow(
      `The display ${locked.name} does not accept us: Authorization required, but no authorization protocol specified.`,
    )
    const address = find(await discover(places()), locked)?.address
    expect(address).toEqual({ display: locked.name, authorityFile })
    const desktop = await openX11Desktop(address ?? { display: '' })
    expect(desktop.displays()).toHaveLength(1)
    desktop.close()
  })

  test('that cannot be opened are listed with the reason', async () => {
    const processes = join(folder, 'processes')
    await mkdir(join(processes, '4242'), { recursive: true })
    await writeFile(join(processes, '4242', 'cmdline'), `/usr/bin/Xorg\0${locked.name}\0`)
    expect(find(await discover({ ...places(), processes }), locked)).toMatchObject({
      address: null,
      obstacle: expect.stringContaining(`The display ${locked.name} does not accept us`),
    })
  })

  test('of Wayland are listed with the reason why they cannot be shown', async () => {
    const login = join(folder, 'logins', '7')
    onTestFinished(() => rm(login))
    await writeFile(
      login,
      'UID=1042\nUSER=anna\nACTIVE=1\nSTATE=active\nTYPE=wayland\nCLASS=user\nDESKTOP=gnome\nSEAT=seat0\n',
    )
    const desktops = await discover(places())
    expect(desktops.find(({ username }) => username === 'anna')).toMatchObject({
      name: 'Console - Wayland: anna',
      desktopName: 'gnome',
      isSignedIn: true,
      address: null,
      obstacle: expect.stringContaining('Wayland'),
    })
    expect(find(desktops, open)?.obstacle).toBe('')
  })

  test('with a sign-in screen are listed as such', async () => {
    const login = join(folder, 'logins', 'c1')
    onTestFinished(() => rm(login))
    const user = userInfo()
    await writeFile(
      login,
      `UID=${user.uid}\nUSER=${user.username}\nSTATE=active\nTYPE=x11\nCLASS=greeter\nDISPLAY=${open.name}\n`,
    )
    expect(find(await discover(places()), open)?.isSignedIn).toBe(false)
  })

  test('do not include sockets of killed display servers', async () => {
    const sockets = join(folder, 'sockets')
    await mkdir(sockets)
    await writeFile(join(sockets, 'X4242'), '')
    const names = (await discover({ ...places(), sockets })).map(({ name }) => name)
    // This machine may have Wayland sessions.
    expect(names.filter((name) => name.includes('X11'))).toEqual([])
  })
})

test('two displays at once keep their numbers for names apart', async () => {
  const connections = await Promise.all(
    [open, locked].map(({ name }) => Connection.open({ display: name, authorityFile })),
  )
  const [first, second] = connections
  if (!first || !second) {
    throw new Error('Both displays are there.')
  }
  // Intern the atoms in opposite order, so that the two display servers assign swapped numbers.
  const inFirst = [await first.atom('ALPHA'), await first.atom('BETA')]
  const inSecond = [await second.atom('BETA'), await second.atom('ALPHA')]
  // Query without the package, which caches atoms.
  const nameOf = (connection: Connection, atom: number) => {
    const body = Buffer.alloc(4)
    body.writeUInt32LE(atom)
    return connection.request(17, 0, body, (answer) => answer.toString('latin1', 24, 24 + answer.readUInt16LE(0)))
  }
  const namesIn = (connection: Connection, atoms: readonly number[]) =>
    Promise.all(atoms.map((atom) => nameOf(connection, atom)))
  expect(await namesIn(first, inFirst)).toEqual(['ALPHA', 'BETA'])
  expect(await namesIn(second, inSecond)).toEqual(['BETA', 'ALPHA'])
  for (const connection of connections) {
    connection.close()
  }
})

test.each([
  ['numbers that would be counted for ever', Buffer.from([1, 0, 11, 0, 0, 0]), 0],
  ['sizes that no memory holds', Buffer.from([1, 0, 11, 0, 0, 0]), 0xff],
])(
  'who pretends to be a display server and answers with %s is refused, and nothing breaks',
  async (_, start, noise) => {
    const number = 40_000 + (process.pid % 20_000)
    const server = createServer((socket) => {
      socket.on('error', () => undefined)
      socket.on('data', () => socket.end(Buffer.concat([start, Buffer.alloc(1_000_000, noise)])))
    }).listen(`/tmp/.X11-unix/X${number}`)
    onTestFinished(() => void server.close())
    await expect(openX11Desktop({ display: `:${number}` })).rejects.toThrow(`:${number}`)
  },
)

test('an account with several displays is looked up once in a search', async () => {
  const asked: number[] = []
  const find = accountFinder((userId) => {
    asked.push(userId)
    return Promise.resolve({ username: `user ${userId}`, home: '' })
  })
  const found = await Promise.all([1, 1, 2].map(find))
  expect([asked, found.map(({ username }) => username)]).toEqual([
    [1, 2],
    ['user 1', 'user 1', 'user 2'],
  ])
})
