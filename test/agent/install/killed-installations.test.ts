import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  closeSync,
  cpSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { pathsFor } from '../../../agent/platform/paths.ts'
import { readState, runningPid } from '../../../agent/device/state.ts'
import { installerKey } from '../../support/agent.ts'
import { agentRelease, typeIntoShell } from '../../support/agent-release.ts'
import { isNight } from '../../support/night.ts'
import { startServerProcess, temporaryFolder } from '../../support/server-process.ts'
import { registerOwner } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const preload = join(import.meta.dirname, '../../support/kill-at-step.mjs')

/**
 * Wraps the programs by which the installer script changes the system; each call is counted as a step before it runs.
 */
async function countedPrograms() {
  const folder = await temporaryFolder()
  for (const name of ['mktemp', 'mkdir', 'tar', 'chmod', 'rm', 'rmdir']) {
    const script = `#!/bin/sh
printf '%100s' '${name}' >>"$FARHAND_STEPS"
[ "$(($(wc -c <"$FARHAND_STEPS") / 100))" -ne "$FARHAND_KILL_AT" ] || kill -9 0
PATH=\${PATH#*:} exec ${name} "$@"
`
    writeFileSync(join(folder, name), script)
    chmodSync(join(folder, name), 0o755)
  }
  return folder
}

/** Installed device, whose agent is started by the line that its installer printed. */
async function installedDevice() {
  const folder = await temporaryFolder()
  const downloads = await agentRelease(join(folder, 'downloads'), { mark: '0' })
  const server = await startServerProcess(join(folder, 'data'), { DownloadsDirectory: downloads })
  const owner = await registerOwner(server.url)
  const { id, keySecret } = await installerKey(owner)
  const dataDir = join(folder, 'device')
  const paths = pathsFor({ dataDir })
  const program = paths.programFolder
  const installer = `${downloads}/linux-x64/Farhand.Agent.Installer`
  const target = ['install', '-s', server.url, '-t', owner.tenantId, '--data-dir', dataDir]
  const stop = async () => {
    const pid = runningPid(paths)
    if (pid) {
      process.kill(pid, 'SIGKILL')
      await until(() => runningPid(paths) === undefined)
    }
  }
  onTestFinished(stop)
  const installed = await typeIntoShell(`sh ${installer} ${target.join(' ')} -ki ${id} -ks ${keySecret}`)
  expect([installed.status, installed.output]).toEqual([0, expect.stringContaining('is online.')])
  const line = /^ {2}.*?(nohup .*)$/m.exec(installed.output)?.[1]?.replace(/['"]*\) \| crontab -$/, '') ?? ''
  const counted = await countedPrograms()
  const [stepsFile, output] = [join(folder, 'steps'), join(folder, 'output')]
  return {
    folder,
    program,
    stop,
    offer: (mark: string) => agentRelease(downloads, { mark }),
    /** Simulates a restart of the machine. */
    async restart() {
      await stop()
      await typeIntoShell(line)
      await until(() => readState(paths)?.state === 'online')
    },
    /** Updates the agent; its installer is killed before step `killAt`. Returns its status, steps and output. */
    async update(killAt = -1) {
      rmSync(stepsFile, { force: true })
      const log = openSync(output, 'w')
      const process_ = spawn('sh', [installer, ...target], {
        detached: true,
        stdio: ['ignore', log, log],
        env: {
          ...process.env,
          PATH: `${counted}:${process.env['PATH']}`,
          FARHAND_STEPS: stepsFile,
          FARHAND_KILL_AT: String(killAt),
          NODE_OPTIONS: `--import ${preload}`,
        },
      })
      closeSync(log)
      const [status] = (await once(process_, 'exit')) as [number | null]
      const text = readFileSync(stepsFile, 'utf8')
      const steps = text.match(/.{100}/gs)?.map((step) => step.trim()) ?? []
      return { status, steps, output: readFileSync(output, 'utf8') }
    },
    /** Version that the line starts. */
    mark: () => readFileSync(join(dirname(realpathSync(join(program, 'main.js'))), 'mark'), 'utf8'),
    versions: () => readdirSync(join(program, 'versions')),
  }
}

type Device = Awaited<ReturnType<typeof installedDevice>>

/** Kills an update before each of its steps, then starts the agent by the printed line. */
async function killBeforeEachStep(
  device: Device,
  steps: readonly number[],
  afterwards: (mark: string) => Promise<void>,
) {
  for (const step of steps) {
    const mark = `of step ${step}`
    const before = device.mark()
    await device.offer(mark)
    expect((await device.update(step)).status, mark).toBeNull()
    await device.restart()
    expect([before, mark], mark).toContain(device.mark())
    await afterwards(mark)
  }
}

/** Numbers of the steps to kill before: all steps, but only the first and last of a run with the same name. */
const telling = (steps: readonly string[]) =>
  steps.flatMap((step, index) => {
    const name = (at: number) => steps[at]?.split(' ')[0]
    const isInside = [index - 1, index + 1].every((at) => name(at) === name(index)) && !step.includes('.tmp')
    return isInside ? [] : [index + 1]
  })

/** All telling steps at night; else one of them, by the seed. */
function pointsOf(steps: readonly string[]): readonly number[] {
  const points = telling(steps)
  return isNight ? points : fc.sample(fc.constantFrom(...points), 1)
}

/** Result of an update that succeeds. */
async function updated(device: Device) {
  const result = await device.update()
  expect(result.status, result.output).toBe(0)
  return result
}

const layout = ['Farhand.Agent', 'current', 'main.js', 'node', 'versions']

async function killUpdates(device: Device) {
  await device.offer('counted')
  const { steps } = await updated(device)
  expect(steps.length).toBeGreaterThan(10)
  await killBeforeEachStep(device, pointsOf(steps), async (mark) => {
    await updated(device)
    expect(device.mark()).toBe(mark)
  })
  // Leftovers of killed installers are removed once no installer can still be running.
  const hourAgo = new Date(Date.now() - 61 * 60_000)
  device.versions().forEach((name) => utimesSync(join(device.program, 'versions', name), hourAgo, hourAgo))
  await updated(device)
  expect(device.versions().length).toBe(1)
  expect(readdirSync(device.program).toSorted()).toEqual(layout)
}

/** Converts a program with the old layout, and kills such conversions, all in one folder. */
async function killTakeovers(device: Device) {
  const { program } = device
  const old = join(device.folder, 'old')
  await device.stop()
  renameSync(dirname(realpathSync(join(program, 'main.js'))), old)
  const putOld = async () => {
    await device.stop()
    rmSync(program, { recursive: true })
    cpSync(old, program, { recursive: true, verbatimSymlinks: true })
    await device.restart()
  }
  await putOld()
  await device.offer('counted')
  const { steps } = await updated(device)
  expect(device.mark()).toBe('counted')
  expect(readdirSync(program).toSorted()).toEqual(layout)
  await putOld()
  const taken = steps.findLastIndex((step) => step.includes('main.js'))
  expect(taken).toBeGreaterThan(10)
  await killBeforeEachStep(device, pointsOf(steps.slice(0, taken + 4)), putOld)
  await updated(device)
  expect(readdirSync(program).toSorted()).toEqual(layout)
}

test.runIf(process.platform === 'linux')(
  'an update that is killed before any of its steps leaves an agent that starts by its line, and that the next one updates',
  { timeout: 900_000 },
  async () => {
    const device = await installedDevice()
    await killUpdates(device)
    if (isNight) {
      await killTakeovers(device)
    }
  },
)
