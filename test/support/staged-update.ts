import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { currentVersion, readJournal, writeJournal } from '../../server/engines/process/program-home.ts'
import { dataIn, installationIn, notesIn, place, realFiles, stagedJournal, stubFiles } from './installation.ts'
import { temporaryFolder } from './server-process.ts'
import { until } from './until.ts'

const preload = join(import.meta.dirname, 'kill-at-step.mjs')

/** Installation whose keeper is the built program, and whose versions are small; staged to update to one of some manner. */
async function stagedUpdate(manner: string) {
  const folder = await temporaryFolder()
  const template = join(folder, 'template')
  const work = join(folder, 'work')
  rmSync(template, { recursive: true, force: true })
  const { home } = installationIn(template, '1.0.0.0', stubFiles('1.0.0.0'))
  place(join(home, 'versions', '2.0.0.0'), stubFiles('2.0.0.0', manner))
  dataIn(template)
  // Copied for every attempt, so that code which Node has compiled is used again.
  const keeper = join(folder, 'keeper', 'versions', 'keeper')
  place(keeper, realFiles('1.0.0.0'))
  const [homeFolder, data, steps] = [join(work, 'home'), join(work, 'data'), join(folder, 'steps')]
  const journal = stagedJournal({ dataDirectory: data })
  /** Starts the keeper in a group of its own, to be killed before a step. */
  const start = (killAt = -1) => {
    const child = spawn(
      process.execPath,
      [join(homeFolder, 'versions', 'keeper', 'dist', 'server', 'main.js'), '--headless'],
      {
        detached: true,
        stdio: 'ignore',
        env: {
          ...process.env,
          Service_DataDirectory: data,
          FARHAND_STEPS: steps,
          FARHAND_KILL_AT: String(killAt),
          NODE_OPTIONS: `--import ${preload}`,
        },
      },
    )
    const ended = once(child, 'exit')
    const kill = async () => {
      try {
        process.kill(-child.pid!, 'SIGKILL')
      } catch {
        // The process has ended.
      }
      await ended
    }
    onTestFinished(kill)
    return { ended, kill }
  }
  const started = () => {
    const file = join(work, 'started')
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
  }
  return {
    /** Begins again with the update staged. */
    reset() {
      rmSync(work, { recursive: true, force: true })
      rmSync(steps, { force: true })
      cpSync(template, work, { recursive: true, verbatimSymlinks: true })
      cpSync(join(folder, 'keeper', 'versions', 'keeper'), join(homeFolder, 'versions', 'keeper'), { recursive: true })
      writeJournal({ folder: homeFolder }, journal)
    },
    start,
    started,
    journal: () => readJournal({ folder: homeFolder }),
    current: () => currentVersion({ folder: homeFolder }),
    notes: () => notesIn(data),
    aside: () => notesIn(join(data, `set-aside-${journal.id}`)),
    secrets: () => readFileSync(join(data, 'secrets.json'), 'utf8'),
    steps: () =>
      readFileSync(steps, 'utf8')
        .match(/.{100}/gs)
        ?.map((step) => step.trim()) ?? [],
  }
}

/** Before the rename of a temporary file that is written again, its own steps change nothing. */
const isLikeTheNext = (step: string, next = '') =>
  /^(rmSync|openSync) .*\.json\.tmp$/.test(step) && next.includes('.json.tmp')

/**
 * An update to a version that is well, or that dies. `points` are the numbers of its steps; `killAt` kills keeper and server
 * before one, and expects that the next start settles the update, with all data.
 */
export async function killableUpdate(manner: 'well' | 'dies') {
  const update = await stagedUpdate(manner)
  const version = manner === 'well' ? '2.0.0.0' : '1.0.0.0'
  const settled = () => update.journal()?.step === 'ended' && update.started().at(-1) === version
  const check = (name: string) => {
    expect([update.current(), update.journal()?.outcome], name).toEqual([
      version,
      manner === 'well' ? 'installed' : 'failed',
    ])
    const notes = update.notes()
    expect([notes[0], notes.at(-1), update.secrets()], name).toEqual(['first', version, '{"key":"secret"}'])
    expect(
      notes.slice(1).every((note) => note === version),
      name,
    ).toBe(true)
    if (manner === 'dies') {
      expect(update.aside(), name).toContain('2.0.0.0')
    }
  }
  update.reset()
  const whole = update.start()
  await until(settled)
  await whole.kill()
  check('whole')
  const steps = update.steps()
  expect(steps.length).toBeGreaterThan(15)
  return {
    points: steps.flatMap((step, index) => (isLikeTheNext(step, steps[index + 1]) ? [] : [index + 1])),
    async killAt(point: number) {
      update.reset()
      await update.start(point).ended
      const again = update.start()
      await until(settled)
      await again.kill()
      check(`${manner}: ${point} ${steps[point - 1]}`)
    },
  }
}
