import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { get as getPlain } from 'node:http'
import { get as getSecure } from 'node:https'
import { basename, join } from 'node:path'
import { plural } from '../../shared/plural.ts'
import type { Clock } from '../ground/clock.ts'
import type { Log } from '../ground/log.ts'
import { system } from '../ground/system.ts'
import { copyData, readContents, removeAside, restoreData } from './data-copy.ts'
import { HealthGate, type Health } from './health-gate.ts'
import {
  copiesIn,
  currentVersion,
  forgetPrevious,
  notePrevious,
  previousVersion,
  readJournal,
  removeLeftovers,
  switchTo,
  versionFolder,
  writeJournal,
  type Home,
  type Journal,
} from '../engines/process/program-home.ts'
import type { ProgramKind } from './program-kind.ts'
import { ServerMessage, settledMessage } from './supervision.ts'

/** Maximum number of starts of a new version that power cuts or kills end before it is well; then it is given up. */
const mostAttempts = 3
/** Time for an orderly end; longer than the server's own limit. */
const stopLimitMs = 12_000
const askLimitMs = 3_000

/** The desktop program, which is installed elsewhere, and which outlives this process. */
export interface DesktopVersions extends Pick<ProgramKind, 'install'> {
  /** Prepares a version for its trial, and returns its program with its arguments. */
  command(folder: string): Promise<[string, ...string[]]>
  /** Waits until no other instance runs; throws if another one stays. */
  claim(): Promise<void>
  /** Lets the new version be the only instance. */
  release(): void
}

export interface KeeperOptions {
  home: Home
  /** Program folder of this process, which must not be removed. */
  ownFolder: string
  args: readonly string[]
  log: Log
  clock: Clock
  /** Prints a line for people. */
  say(line: string): void
  /** Undefined for the server package. */
  desktop?: DesktopVersions
}

const copyOf = (home: Home, id: string) => join(copiesIn(home), id)
const textOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

/** Asks a server on this machine; its certificate proves nothing here that the loopback address does not. */
function answerOf(url: string): Promise<{ status: number; body: string } | undefined> {
  const get = url.startsWith('https:') ? getSecure : getPlain
  return new Promise((resolve) => {
    const request = get(url, { timeout: askLimitMs, rejectUnauthorized: false }, (response) => {
      let body = ''
      response.setEncoding('utf8').on('data', (chunk: string) => (body += chunk.slice(0, 1_000)))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }))
      response.on('error', () => resolve(undefined))
    })
    request.on('timeout', () => request.destroy())
    request.on('error', () => resolve(undefined))
  })
}

async function ask(url: string): Promise<Health> {
  const origin = url.replace(/\/\/(0\.0\.0\.0|\[::\]|\*)(?=[:/]|$)/, '//127.0.0.1')
  const health = await answerOf(new URL('/health', origin).href)
  const version = health?.status === 200 ? await answerOf(new URL('/api/v1/version/server', origin).href) : undefined
  return { isHealthy: health?.status === 200, version: version && version.body.replaceAll('"', '').trim() }
}

/** A running version. */
class Child {
  readonly process: ChildProcess
  readonly ended: Promise<number>
  lastLine = ''
  #isChannelClosed = false

  constructor(
    [program, ...args]: readonly [string, ...string[]],
    options: { isOnTrial: boolean; isDetached: boolean },
  ) {
    const { isOnTrial, isDetached } = options
    this.process = spawn(program, args, {
      // A version on trial logs why it ends.
      stdio: isDetached
        ? ['ignore', 'ignore', 'ignore', 'ipc']
        : ['inherit', 'inherit', isOnTrial ? 'pipe' : 'inherit', 'ipc'],
      detached: isDetached,
    })
    this.process.stderr?.on('data', (chunk: Buffer) => {
      process.stderr.write(chunk)
      this.lastLine = chunk.toString('utf8').trimEnd().split('\n').at(-1) ?? ''
    })
    this.ended = new Promise((resolve) => {
      this.process.once('error', (error) => ((this.lastLine = error.message), resolve(1)))
      // A process that a signal ended has no status.
      this.process.once('close', (status) => resolve(status ?? 1))
      // Node reports no `close` once this side has closed the channel.
      this.process.once('exit', (status) => this.#isChannelClosed && resolve(status ?? 1))
    })
  }

  send(message: object): Promise<void> {
    return new Promise((sent) => this.process.send?.(message, () => sent()))
  }

  /** Lets this process end before the child. */
  leave(): void {
    this.process.disconnect()
    this.process.unref()
  }

  /** Asks the process to end in order. Has no effect on a process that has ended. */
  end(): void {
    if (system.hasSignals) {
      this.process.kill('SIGTERM')
    } else if (this.process.connected) {
      // Ends the child as a killed keeper does.
      this.#isChannelClosed = true
      this.process.disconnect()
    }
  }

  /** Ends the process in order, or after the limit by force. */
  async stop(clock: Clock): Promise<void> {
    this.end()
    const cancel = clock.after(stopLimitMs, () => this.process.kill('SIGKILL'))
    await this.ended
    cancel()
  }
}

/** Program of a server package, which brings its own Node, with its arguments. */
function serverCommand(folder: string, args: readonly string[]): [string, ...string[]] {
  const own = join(folder, system.nodeName)
  return [existsSync(own) ? own : process.execPath, join(folder, 'dist', 'server', 'main.js'), ...args]
}

/**
 * Runs the version that `current` names, and carries updates through: copies the data, runs the new version, and makes
 * it the current one when it is well; otherwise puts the data back and runs the previous version. The journal names the
 * next step, so that the next start continues after a kill at any step.
 */
export class Keeper {
  readonly #options: KeeperOptions
  #child: Child | undefined
  #isStopping = false

  constructor(options: KeeperOptions) {
    this.#options = options
  }

  /** Ends the running version, and with it `run`. */
  stop(): void {
    this.#isStopping = true
    this.#child?.end()
  }

  /** Resolves with the exit status of the server. */
  async run(): Promise<number> {
    for (;;) {
      const status = (await this.#carryThrough()) ?? (this.#isStopping ? 0 : await this.#runCurrent())
      if (this.#isStopping || !this.#pending()) {
        return status
      }
    }
  }

  /** For the desktop: carries a pending update to its end. Resolves with whether the new version runs. */
  async settle(): Promise<boolean> {
    return (await this.#carryThrough()) !== undefined
  }

  #pending(): Journal | undefined {
    const journal = readJournal(this.#options.home)
    return journal && journal.step !== 'ended' ? journal : undefined
  }

  /** Carries a pending update to its end; returns the status of the new version if that ran and has ended. */
  async #carryThrough(): Promise<number | undefined> {
    const { log, home } = this.#options
    for (let journal = this.#pending(); journal && !this.#isStopping; journal = this.#pending()) {
      try {
        if (journal.step === 'staged') {
          await this.#prepare(journal)
        } else if (journal.step === 'trial') {
          const status = await this.#try(journal)
          if (status !== undefined) {
            return status
          }
        } else {
          await this.#goBack(journal)
        }
      } catch (error) {
        log.error({ err: error, step: journal.step }, 'An update could not continue.')
        await this.#child?.stop(this.#options.clock)
        if (journal.step === 'restoring') {
          // The data may be replaced in part: running any version could damage it.
          throw error
        }
        const reason = textOf(error)
        writeJournal(
          home,
          journal.step === 'trial'
            ? { ...journal, step: 'restoring', reason }
            : { ...journal, step: 'ended', ...this.#end('failed', reason) },
        )
      }
    }
    return undefined
  }

  #end(outcome: Journal['outcome'], reason: string | null) {
    return { outcome, reason, endedAt: this.#options.clock.now() }
  }

  /** Copies the data, or begins the way back. Until then nothing has changed. */
  async #prepare(journal: Journal) {
    const { home, log, say } = this.#options
    if (journal.kind === 'back') {
      writeJournal(home, { ...journal, step: 'restoring' })
      return
    }
    say(`Updating Farhand from ${journal.from.version} to ${journal.to.version}.`)
    await copyData(journal.dataDirectory, copyOf(home, journal.id), log)
    writeJournal(home, { ...journal, step: 'trial', restoreFrom: journal.id })
  }

  /** Runs the new version until it is well, and then until it ends. Returns undefined if it was given up. */
  async #try(before: Journal): Promise<number | undefined> {
    const { home, clock, args, log, say, desktop } = this.#options
    const journal = { ...before, attempts: before.attempts + 1 }
    const giveUp = (reason: string) => writeJournal(home, { ...journal, step: 'restoring', reason })
    if (before.attempts >= mostAttempts) {
      giveUp(`The new version was started ${plural(before.attempts, 'time', 'times')} and did not become well.`)
      return undefined
    }
    writeJournal(home, journal)
    const folder = versionFolder(home, journal.to.name)
    const command = (await desktop?.command(folder)) ?? serverCommand(folder, args)
    desktop?.release()
    const gate = new HealthGate({ clock, version: journal.to.version, online: journal.online.length, ask })
    const child = new Child(command, { isOnTrial: true, isDetached: desktop !== undefined })
    this.#child = child
    child.process.on('message', (received) => {
      const { data } = ServerMessage.safeParse(received)
      if (data?.farhand === 'listening') {
        gate.listening(data.urls[0] ?? '')
      } else if (data) {
        gate.back(data.count)
      }
    })
    void child.ended.then((status) => gate.ended(`status ${status}. ${child.lastLine}`.trim().slice(0, 500)))
    const reason = await gate.outcome
    if (this.#isStopping) {
      return child.ended
    }
    if (reason !== null) {
      log.error({ version: journal.to.version, reason }, 'The new version is given up.')
      say(`${reason} Going back to Farhand ${journal.from.version}.`)
      await child.stop(clock)
      giveUp(reason)
      return undefined
    }
    await this.#commit(journal)
    say(`Farhand ${journal.to.version} is running.`)
    await child.send(settledMessage)
    if (desktop) {
      child.leave()
      return 0
    }
    return child.ended
  }

  /** Makes the new version the current one. */
  async #commit(journal: Journal) {
    const { home, clock, desktop } = this.#options
    // First, because a failure gives the new version up, and the earlier way back stays.
    await desktop?.install(versionFolder(home, journal.to.name))
    const { schema } = readContents(copyOf(home, journal.id))
    notePrevious(home, { ...journal.from, copy: journal.id, schema, replacedAt: clock.now() })
    switchTo(home, journal.to.name)
    writeJournal(home, { ...journal, step: 'ended', ...this.#end('installed', null) })
    this.#removeOld(journal)
  }

  /** Puts the earlier data back, and for a way back makes the earlier version the current one. */
  async #goBack(journal: Journal) {
    const { home, log, say, desktop } = this.#options
    await desktop?.claim()
    if (journal.restoreFrom !== null) {
      await restoreData(copyOf(home, journal.restoreFrom), journal.dataDirectory, journal.id, log)
    }
    if (journal.kind === 'back') {
      switchTo(home, journal.to.name)
      forgetPrevious(home)
    }
    await desktop?.install(versionFolder(home, currentVersion(home)))
    const outcome = journal.kind === 'back' ? 'returned' : 'failed'
    writeJournal(home, { ...journal, step: 'ended', ...this.#end(outcome, journal.reason) })
    say(
      `Farhand ${currentVersionText(journal)} runs again${journal.restoreFrom === null ? '' : ' with the earlier data'}.`,
    )
    this.#removeOld(journal)
  }

  #removeOld(journal: Journal) {
    const { home, ownFolder, log } = this.#options
    const previous = previousVersion(home)
    const kept = [currentVersion(home), basename(ownFolder), previous?.name, previous?.copy]
    try {
      removeLeftovers(home, new Set(kept.filter((name) => name !== undefined)))
      removeAside(journal.dataDirectory, journal.id)
    } catch (error) {
      log.warn({ err: error }, 'Files left by an update could not be removed.')
    }
  }

  async #runCurrent(): Promise<number> {
    const { home, args } = this.#options
    const command = serverCommand(versionFolder(home, currentVersion(home)), args)
    this.#child = new Child(command, { isOnTrial: false, isDetached: false })
    return await this.#child.ended
  }
}

const currentVersionText = ({ kind, from, to }: Journal) => (kind === 'back' ? to.version : from.version)
