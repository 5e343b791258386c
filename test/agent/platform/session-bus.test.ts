import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Bus } from '../../../agent/platform/linux/wayland/bus.ts'
import { gio } from '../../../agent/platform/linux/wayland/gio.ts'
import { OrderedEvents } from '../../../agent/platform/linux/wayland/portal/ordered-events.ts'
import { remoteDesktop, request } from '../../../agent/platform/linux/wayland/portal/request.ts'
import { manualClock } from '../../support/clock.ts'
import { until } from '../../support/until.ts'

const program = '/usr/bin/dbus-daemon'
const canRun = existsSync(program) && (await gio().then(Boolean, () => false))

const registry = { name: 'org.freedesktop.DBus', path: '/org/freedesktop/DBus', interface: 'org.freedesktop.DBus' }

/** Opens a connection to a bus of its own, with a function after which the bus answers nothing. */
async function openBus() {
  const folder = mkdtempSync(join(tmpdir(), 'farhand-bus-'))
  const address = `--address=unix:path=${join(folder, 'bus')}`
  const daemon = spawn(program, ['--session', '--nofork', '--nopidfile', '--print-address', address], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  onTestFinished(() => {
    daemon.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })
  const [line] = (await once(createInterface(daemon.stdout), 'line')) as [string]
  const bus = await Bus.open(line)
  onTestFinished(() => bus.close())
  return { bus, hang: () => void daemon.kill('SIGSTOP') }
}

describe.runIf(canRun)('a session bus', () => {
  test('that is closed rejects calls, also those in progress, and uses no freed memory', async () => {
    const { bus, hang } = await openBus()
    expect((await bus.call(registry, 'GetId')).values).toHaveLength(1)
    hang()
    const pending = Array.from({ length: 3 }, () => expect(bus.call(registry, 'GetId')).rejects.toThrow(/closed/))
    bus.close()
    await Promise.all(pending)
    await expect(bus.call(registry, 'GetId')).rejects.toThrow('The connection to the session bus is closed.')
    bus.listen(registry, 'NameOwnerChanged', () => {})()
    expect(bus.uniqueName).toMatch(/^:1\./)
  })

  test('that answers nothing ends a request to its portal at the limit, with the reason', async () => {
    const { bus, hang } = await openBus()
    hang()
    const call = { object: remoteDesktop, method: 'CreateSession', types: '', values: [], options: {}, limitMs: 100 }
    await expect(request(bus, call)).rejects.toThrow('did not answer within 0.1 s')
  })
})

test('a portal that hangs gets releases alone later, and nothing after the end of the session', async () => {
  const clock = manualClock()
  const events = new OrderedEvents(clock)
  const sent: string[] = []
  let answer = () => {}
  const add = (name: string, isRelease = false) => events.add(async () => void sent.push(name), isRelease)
  const hang = () =>
    events.add(() => {
      sent.push('hangs')
      return new Promise<void>((resolve) => (answer = resolve))
    }, false)
  hang()
  add('press')
  add('release', true)
  await until(() => sent.length === 1)
  clock.advance(5_000)
  answer()
  await until(() => sent.length === 2)
  add('press in time')
  hang()
  add('release', true)
  await until(() => sent.length === 4)
  const ended = events.end()
  clock.advance(1_000)
  await ended
  answer()
  add('after the end')
  await events.end()
  expect(sent).toEqual(['hangs', 'release', 'press in time', 'hangs'])
})
