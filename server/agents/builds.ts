import { spawn, type ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { createInterface } from 'node:readline'
import { instant } from '../ground/instant.ts'
import type { AgentBuildDto, BuildableRuntime } from '../../shared/dtos/agent-build.ts'
import type { Clock } from '../ground/clock.ts'
import { environment } from '../settings/config.ts'
import { conflict } from '../ground/errors.ts'
import type { Log } from '../ground/log.ts'

/** Program and arguments of `npm run agents` in a checkout. npm itself would need a shell on Windows. */
function buildCommand(checkout: string): string[] {
  const { scripts } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as {
    scripts: { agents: string }
  }
  return scripts.agents.split(' ')
}

interface Dependencies {
  /** Source folder of this server; undefined for a packaged server. */
  checkout: string | undefined
  clock: Clock
  log: Log
}

/** Builds agents for other systems with `npm run agents` of the checkout: one at a time, its output in the log. */
export class AgentBuilds {
  readonly #deps: Dependencies
  #current: AgentBuildDto | undefined
  #child: ChildProcess | undefined

  constructor(deps: Dependencies) {
    this.#deps = deps
  }

  get isPossible(): boolean {
    return this.#deps.checkout !== undefined
  }

  /** The last build since the start of the server. */
  get current(): AgentBuildDto | undefined {
    return this.#current
  }

  /** Starts a build for an actor, named in the log. Throws a conflict while a build is running. */
  start(runtime: BuildableRuntime, actor: object): AgentBuildDto {
    const { checkout, clock, log } = this.#deps
    if (checkout === undefined || this.#child) {
      throw conflict(`The agent for ${this.#current?.runtime} is being built. Wait until the build ends.`)
    }
    const startedAt = instant(clock.now())
    const build: AgentBuildDto = { runtime, state: 'running', startedAt, step: 0, steps: 0, text: '' }
    log.info({ actor, runtime }, 'Started an agent build.')
    const [program = '', ...args] = buildCommand(checkout)
    const child = spawn(program, [...args, runtime], {
      cwd: checkout,
      env: buildEnvironment(checkout),
      stdio: ['ignore', 'pipe', 'pipe'],
      windowsHide: true,
    })
    this.#current = build
    this.#child = child
    let complaint = ''
    createInterface(child.stdout).on('line', (line) => {
      log.debug({ runtime, line }, 'Output of an agent build.')
      const [, step, steps, text] = /^\[(\d+)\/(\d+)\] (.*)$/.exec(line) ?? []
      if (step !== undefined && steps !== undefined && text !== undefined) {
        Object.assign(build, { step: Number(step), steps: Number(steps), text })
      }
    })
    createInterface(child.stderr).on('line', (line) => {
      complaint = /^Error: (.+)/.exec(line)?.[1] ?? (complaint || line)
    })
    const end = (reason: string) => {
      if (build.state === 'running') {
        Object.assign(build, reason === '' ? { state: 'done' } : { state: 'failed', text: reason })
        log.info({ runtime, reason: reason || undefined }, 'An agent build ended.')
      }
      this.#child = undefined
    }
    child.once('error', (error) => end(`Node could not be started: ${error.message}`))
    child.once('close', (status) => end(status === 0 ? '' : complaint || `The build ended with status ${status}.`))
    return build
  }

  stop(): void {
    this.#child?.kill()
  }
}

/**
 * Environment with the PATH of npm in the checkout, whose Node may be newer than the system's; without our settings,
 * which contain secrets.
 */
function buildEnvironment(checkout: string) {
  const entries = Object.entries(environment()).filter(([name]) => !/^service_/i.test(name))
  const [pathName = 'PATH', path = ''] = entries.find(([name]) => name.toUpperCase() === 'PATH') ?? []
  return { ...Object.fromEntries(entries), [pathName]: [join(checkout, 'node_modules', '.bin'), path].join(delimiter) }
}
