/** A message above the limit costs the device its connection, and ends all sessions on it. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { listDirectory } from '../../agent/capabilities/files/listing.ts'
import { sourceOf } from '../../agent/capabilities/files/sources.ts'
import { listed } from '../../agent/desktop-host/served-desktop.ts'
import { temporaryFolder } from '../agent/support.ts'
import { isNight } from '../support/night.ts'

const maxAgentMessageBytes = 1024 * 1024
/** JSON needs six bytes per character. */
const longest = '\u0001'.repeat(250)

test('a directory of maximum depth and width is listed in messages that the server accepts', async () => {
  const folder = join(temporaryFolder(), ...Array.from({ length: 14 }, () => longest))
  mkdirSync(folder, { recursive: true })
  for (let number = 100; number < 300; number++) {
    writeFileSync(join(folder, `${longest}${number}`), '')
  }
  let count = 0
  for await (const entries of await listDirectory(folder)) {
    count += entries.length
    expect(Buffer.byteLength(JSON.stringify(entries))).toBeLessThan(maxAgentMessageBytes)
  }
  expect(count).toBe(200)
})

test.runIf(isNight)('a tree deeper than any path is not archived, because its names would use all memory', async () => {
  const folder = temporaryFolder()
  onTestFinished(() => void execFileSync('rm', ['-rf', join(folder, 'deep')]))
  const script = 'import os,sys; os.chdir(sys.argv[1]); [(os.mkdir(n), os.chdir(n)) for n in ["deep"] * 2000]'
  execFileSync('python3', ['-c', script, folder])
  await expect(sourceOf(join(folder, 'deep'))).rejects.toThrow(/^The path is too long: .{100,300}$/)
})

test('a hundred desktops with long reasons are listed in one message', () => {
  const found = {
    name: 'Console - X11: :0',
    desktopName: '',
    username: 'a',
    systemSessionId: 1,
    isSignedIn: true,
    type: 0 as const,
  }
  const desktops = Array.from({ length: 100 }, () => listed(found, 1, '\u0001'.repeat(10_000)))
  expect(Buffer.byteLength(JSON.stringify(desktops))).toBeLessThan(maxAgentMessageBytes)
})
