/** Any user can fill a disk, and a program's reader can stop: neither may end server, agent or window. */
import { execFileSync, spawn, type StdioOptions } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { logFile } from '../../agent/device/log-file.ts'
import { writeFileAtomically } from '../../agent/base/write-file.ts'
import { openLogFile } from '../../server/engines/process/log-file.ts'
import { startAgent } from '../agent/agent-process.ts'
import { temporaryFolder } from '../agent/support.ts'
import { serverForFile, type Visitor } from '../support/server.ts'
import { until } from '../support/until.ts'

const program = (name: string) => join(import.meta.dirname, '..', '..', name, 'main.ts')

let owner: Visitor & { tenantId: string }

const server = serverForFile()
beforeAll(async () => {
  owner = await server.owner()
})

async function keyOptions() {
  const body = { tenantId: owner.tenantId, keyType: 'Persistent', friendlyName: 'test' } as const
  const { id, keySecret } = await owner.installerKeys.create({ body })
  return ['-s', server.url, '-t', owner.tenantId, '-ki', id, '-ks', keySecret]
}

const settingsIn = (folder: string) => readFileSync(join(folder, 'appsettings.json'), 'utf8')

async function deviceIn(folder: string) {
  const { DeviceId } = JSON.parse(settingsIn(folder)).AppOptions
  return await owner.devices.get({ params: { deviceId: DeviceId } }).catch(() => undefined)
}

const online = (folder: string) =>
  until(async () => existsSync(join(folder, 'appsettings.json')) && (await deviceIn(folder))?.isOnline)

/** Mounts a disk of 1 MB; undefined where this user may not mount. */
function mountSmallDisk(): string | undefined {
  const folder = temporaryFolder()
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m,mode=700', 'tmpfs', folder], { stdio: 'ignore' })
  } catch {
    return undefined
  }
  onTestFinished(() => void execFileSync('umount', ['-l', folder]))
  return folder
}

/** Fills the disk below a folder completely. */
function fill(folder: string) {
  const descriptor = openSync(join(folder, 'filler'), 'w')
  expect(() => {
    for (;;) {
      writeFileSync(descriptor, Buffer.alloc(4096))
    }
  }).toThrow('ENOSPC')
  closeSync(descriptor)
}

/** Starts a program with the given outputs, ended with the test. */
function start(name: string, args: readonly string[], stdio: StdioOptions, environment = {}) {
  const child = spawn(process.execPath, [program(name), ...args], { stdio, env: { ...process.env, ...environment } })
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

describe('a full disk', () => {
  test('below the data folder of an agent does not end the agent, and a restarted agent comes online', async (context) => {
    const folder = mountSmallDisk()
    if (folder === undefined) {
      context.skip('No disk can be mounted: this user is not root, or this container forbids mounts.')
      return
    }
    const first = startAgent('run', '--data-dir', folder, '--as-service', ...(await keyOptions()))
    await online(folder)
    const settings = settingsIn(folder)
    fill(folder)
    await server.restart()
    await online(folder)
    expect(first.child.exitCode).toBeNull()
    first.child.kill('SIGTERM')
    expect((await first.ended).status).toBe(0)

    await until(async () => !(await deviceIn(folder))?.isOnline)
    const second = startAgent('run', '--data-dir', folder, '--as-service')
    await Promise.race([online(folder), second.ended])
    expect(second.child.exitCode, second.output()).toBeNull()
    expect(settingsIn(folder)).toBe(settings)
    second.child.kill('SIGTERM')
    expect((await second.ended).status).toBe(0)
  })

  test('fails an atomic write, keeps the old file, and leaves no part of the new one', async (context) => {
    const folder = mountSmallDisk()
    if (folder === undefined) {
      context.skip('No disk can be mounted: this user is not root, or this container forbids mounts.')
      return
    }
    const file = join(folder, 'note.json')
    writeFileAtomically(file, 'old')
    fill(folder)
    expect(() => writeFileAtomically(file, 'new'.repeat(10_000))).toThrow('ENOSPC')
    expect(readFileSync(file, 'utf8')).toBe('old')
    expect(existsSync(`${file}.${process.pid}.tmp`)).toBe(false)
  })

  test.skipIf(!existsSync('/dev/full'))('below the output of an agent does not end the agent', async () => {
    const folder = temporaryFolder()
    const full = openSync('/dev/full', 'w')
    const agent = start('agent', ['run', '--data-dir', folder, ...(await keyOptions())], ['ignore', full, full])
    closeSync(full)
    const ended = new Promise((resolve) => agent.once('exit', resolve))
    expect(await Promise.race([online(folder), ended])).toBe(true)
  })

  test.skipIf(!existsSync('/dev/full'))('below the log of a window, or of an agent, loses lines only', () => {
    const folder = temporaryFolder()
    mkdirSync(join(folder, 'Logs'), { mode: 0o700 })
    symlinkSync('/dev/full', join(folder, 'farhand.log'))
    symlinkSync('/dev/full', join(folder, 'Logs', 'LogFile.log'))
    expect(() => openLogFile(folder).write('a line\n')).not.toThrow()
    expect(() => logFile(join(folder, 'Logs'))('a line\n')).not.toThrow()
  })
})

test('a log that cannot be rotated is still written, and closes no file of others', () => {
  const folder = join(temporaryFolder(), 'Logs')
  const write = logFile(folder)
  mkdirSync(join(folder, 'LogFile.1.log', 'in the way'), { recursive: true })
  const line = `${'x'.repeat(1024 * 1024)}\n`
  for (let count = 0; count < 6; count++) {
    write(line)
  }
  write('one more\n')
  const other = openSync(join(folder, 'of others'), 'w')
  write('and one\n')
  write('and another\n')
  writeFileSync(other, 'still open')
  closeSync(other)
  expect(readFileSync(join(folder, 'of others'), 'utf8')).toBe('still open')
  expect(readFileSync(join(folder, 'LogFile.log'), 'utf8').slice(-20)).toContain('and another\n')
})

describe('an output whose reader stopped', () => {
  test('does not end an agent', async () => {
    const folder = temporaryFolder()
    const agent = start('agent', ['run', '--data-dir', folder, ...(await keyOptions())], ['ignore', 'pipe', 'pipe'])
    agent.stdout?.destroy()
    agent.stderr?.destroy()
    const ended = new Promise((resolve) => agent.once('exit', resolve))
    expect(await Promise.race([online(folder), ended])).toBe(true)
  })

  test('does not end a server', async () => {
    const environment = { Service_Urls: 'http://127.0.0.1:0', Service_DataDirectory: temporaryFolder() }
    const running = start('server', [], ['ignore', 'pipe', 'pipe'], environment)
    const ended = new Promise((resolve) => running.once('exit', resolve))
    const address = new Promise<string>((resolve) => {
      let said = ''
      running.stdout?.on('data', (text) => {
        said += text
        const url = /^Listening on (\S+)$/m.exec(said)?.[1]
        if (url !== undefined) {
          resolve(url)
        }
      })
    })
    const url = await Promise.race([address, ended])
    running.stdout?.destroy()
    running.stderr?.destroy()
    // Rejected sign-ins are logged.
    for (let count = 0; count < 3; count++) {
      await fetch(`${String(url)}/api/auth/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email: 'nobody@example.com', password: 'wrong' }),
      })
    }
    expect((await fetch(`${String(url)}/health`)).status).toBe(200)
    running.kill('SIGTERM')
    expect(await ended).toBe(0)
  })
})
