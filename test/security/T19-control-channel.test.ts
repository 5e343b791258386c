import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { callServer, openControlChannel } from '../../server/engines/process/control-channel.ts'
import { useTestServer } from '../support/server.ts'

interface Place {
  address: string
  secret: string
}

const fileIn = (directory: string) => join(directory, 'farhand.control')
const placeOf = async (directory: string) => JSON.parse(await readFile(fileIn(directory), 'utf8')) as Place

/** Sends bytes to the channel, and returns the answer. */
async function answerTo({ address }: Place, bytes: string) {
  const socket = connect(address)
  socket.on('error', () => {})
  socket.write(bytes)
  return text(socket).catch(() => '')
}

test.skipIf(process.platform === 'win32')('only the owner of the data folder may reach its commands', async () => {
  const { directory } = await useTestServer()
  const { address } = await placeOf(directory)
  const modes = [directory, fileIn(directory), address].map(async (path) => (await stat(path)).mode & 0o777)
  expect(await Promise.all(modes)).toEqual([0o700, 0o600, 0o600])
})

test('a command without the secret of the folder is not answered, and the channel serves on', async () => {
  const server = await useTestServer()
  await server.owner()
  const place = await placeOf(server.directory)
  const message = { command: 'list' }
  for (const secret of ['', place.secret.slice(1), `${place.secret}a`, null, { length: 43 }]) {
    expect(await answerTo(place, `${JSON.stringify({ secret, message })}\n`)).toBe('')
  }
  expect(await answerTo(place, 'not JSON\n')).toBe('')
  expect(await answerTo(place, 'x'.repeat(100_000))).toBe('')
  expect(await callServer(server.directory, message)).toMatchObject({ accounts: [{ isAdministrator: true }] })
  expect(await callServer(server.directory, { command: 'erase' })).toMatchObject({
    problem: expect.any(String) as string,
  })
})

test('the secret changes with each start, and the file of a server that was killed leads nowhere', async () => {
  const server = await useTestServer()
  const before = await placeOf(server.directory)
  await server.restart()
  expect((await placeOf(server.directory)).secret).not.toBe(before.secret)
  await server.whileStopped(async () => {
    await writeFile(fileIn(server.directory), JSON.stringify(before))
    expect(await callServer(server.directory, { command: 'list' })).toBeUndefined()
  })
})

test('a data folder with a long path is reached, and no link to it remains', async () => {
  const base = await mkdtemp(join(tmpdir(), 'farhand-long-'))
  onTestFinished(() => rm(base, { recursive: true, force: true }))
  const directory = join(base, 'x'.repeat(120))
  await mkdir(directory, { mode: 0o700 })
  const links = async () => (await readdir(tmpdir())).filter((name) => /^farhand-\w{6}$/.test(name))
  const before = await links()
  const close = await openControlChannel({ directory, answer: async (message) => ({ message }) })
  expect(await callServer(directory, 'hello')).toEqual({ message: 'hello' })
  await close()
  expect(await callServer(directory, 'hello')).toBeUndefined()
  expect([await readdir(directory), (await links()).filter((name) => !before.includes(name))]).toEqual([[], []])
})
