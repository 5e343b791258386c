import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, closeSync, constants, openSync, readFileSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { readAuthority } from '../../agent/platform/linux/x11/xauthority.ts'
import { temporaryFolder } from '../agent/support.ts'
import { until } from '../support/until.ts'

const none = { name: '', data: '' }

test('a path that a user names as the credentials of a display is not opened unless it is a file', async () => {
  const pipe = join(temporaryFolder(), 'pipe')
  spawnSync('mkfifo', [pipe])
  // The writer waits until somebody opens the pipe: opening a watchdog or a tape has such effects, too.
  const writer = spawn('sh', ['-c', 'echo ready; echo unopened > "$1"', 'sh', pipe], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  onTestFinished(() => void writer.kill('SIGKILL'))
  const exited = once(writer, 'exit')
  await once(writer.stdout, 'data')
  await until(() => readFileSync(`/proc/${writer.pid}/stat`, 'utf8').includes(') S '))
  expect(await readAuthority('99', pipe, process.getuid!())).toEqual(none)
  // A writer that was let go before found no reader of its text.
  const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK)
  onTestFinished(() => closeSync(reader))
  await exited
  expect(readFileSync(reader, 'utf8')).toBe('unopened\n')
})

test.skipIf(process.getuid?.() !== 0)(
  'credentials of a display are read from a file of its user, not from one of another user',
  async () => {
    const path = join(temporaryFolder(), 'authority')
    const field = (text: string) => Buffer.from(`\0${String.fromCharCode(text.length)}${text}`)
    const fields = [hostname(), '99', 'MIT-MAGIC-COOKIE-1', 'secret'].map(field)
    writeFileSync(path, Buffer.concat([Buffer.from([1, 0]), ...fields]))
    const owner = 20_000
    chownSync(path, owner, owner)
    expect(await readAuthority('99', path, owner)).toEqual({ name: 'MIT-MAGIC-COOKIE-1', data: 'secret' })
    expect(await readAuthority('99', path, owner + 1)).toEqual(none)
  },
)
