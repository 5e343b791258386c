import { setTimeout as pause } from 'node:timers/promises'
import { hourMs } from '../../shared/durations.ts'
import type { Config } from '../settings/config.ts'
import { ConfigError } from '../settings/config-error.ts'
import { callServer } from '../engines/process/control-channel.ts'
import { installation } from '../engines/process/installation.ts'
import { printable } from '../ground/printable.ts'
import { UpdateAnswer, type UpdateRequest } from './control-command.ts'
import type { Terminal } from '../surface/command.ts'

export const usage = `Usage: ${installation.program} update COMMAND [--config FILE]

For whoever may read the data folder, while the server runs.

  check      checks the feed for a newer version
  install    installs the newer version; goes back by itself if that does not work
  back       goes back to the previous version
  status     shows the version and the outcome of the last update`

type State = Exclude<UpdateAnswer, { refused: string }>

const askEveryMs = 500
/** Longer than download, trial and way back together. */
const waitLimitMs = hourMs

/** Asks the running server; undefined while none answers. */
async function ask({ dataDirectory }: Config, request: UpdateRequest): Promise<UpdateAnswer | undefined> {
  const answer = await callServer(dataDirectory, request).catch(() => undefined)
  return answer === undefined ? undefined : UpdateAnswer.parse(answer)
}

const mb = (bytes: number) => `${(bytes / 1024 ** 2).toFixed(1)} MB`

function linesOf({ version, problem, checkedAt, offered, running, last }: State): string[] {
  const lines = [`Farhand ${version}.`]
  if (running) {
    lines.push(`An update is running (${running.step}).`)
  }
  if (problem !== null) {
    lines.push(problem)
  }
  if (offered) {
    lines.push(`Version ${offered.version} is available.`, ...offered.notes.split('\n'), offered.problem ?? '')
  } else if (problem === null && checkedAt !== null) {
    lines.push(`There is no newer version (looked ${new Date(checkedAt).toISOString().slice(0, 16)}Z).`)
  }
  if (last) {
    lines.push(...endOf(last))
  }
  return lines.filter((line) => line !== '')
}

function endOf({ fromVersion, toVersion, outcome, reason, isDataRestored }: NonNullable<State['last']>): string[] {
  const restored = isDataRestored
    ? ' The earlier data was put back; newer data was moved aside in the data folder.'
    : ''
  const said: Record<string, string> = {
    installed: `Updated from ${fromVersion} to ${toVersion}.`,
    failed: `The update to ${toVersion} failed, and ${fromVersion} is running.${restored}`,
    returned: `Went back from ${fromVersion} to ${toVersion}.${restored}`,
    stopped: `The update to ${toVersion} was stopped before anything was changed.`,
  }
  return [said[outcome ?? ''] ?? `The update to ${toVersion} is running.`, reason ?? '']
}

/** Follows an update that was started until it is settled; returns the exit status. */
async function follow(config: Config, startedId: string | undefined, { say }: Terminal): Promise<number> {
  let shown = ''
  for (let waitedMs = 0; waitedMs < waitLimitMs; waitedMs += askEveryMs) {
    const state = await ask(config, { command: 'update-state' })
    if (state && !('refused' in state)) {
      const { running, last } = state
      if (!running && last?.id === startedId && last?.outcome != null) {
        endOf(last).filter(Boolean).map(printable).forEach(say)
        return ['installed', 'returned'].includes(last.outcome) ? 0 : 1
      }
      const size = running?.step === 'download' ? ` of ${mb(running.totalBytes)}` : ''
      const line = running ? `${running.step}${size}` : ''
      if (line !== shown && line !== '') {
        say(line)
      }
      shown = line
    }
    await pause(askEveryMs)
  }
  say('The update is still running. "update status" shows its outcome.')
  return 1
}

function requestOf(words: readonly string[], state: State): UpdateRequest | string {
  if (words[0] === 'install') {
    return state.offered
      ? { command: 'update-install', version: state.offered.version }
      : 'There is no newer version to install. Look with "update check".'
  }
  return { command: words[0] === 'back' ? 'update-back' : words[0] === 'check' ? 'update-check' : 'update-state' }
}

/** Runs `update` with its arguments; returns the exit status. */
export async function updateCommand(words: readonly string[], terminal: Terminal): Promise<number> {
  const { say, loadConfig } = terminal
  const [word, ...more] = words
  if (word === undefined) {
    say(usage)
    return 0
  }
  if (!['check', 'install', 'back', 'status'].includes(word) || more.length > 0) {
    const message = 'needs check, install, back or status; --help explains them'
    throw new ConfigError([{ key: 'update', source: 'command line', message }])
  }
  const config = loadConfig()
  const before = await ask(config, { command: 'update-state' })
  if (!before || 'refused' in before) {
    say(before?.refused ?? `No server runs on ${config.dataDirectory}. Start it first, or name its data folder.`)
    return 1
  }
  const request = requestOf(words, before)
  const answer = typeof request === 'string' ? { refused: request } : await ask(config, request)
  if (answer === undefined || 'refused' in answer) {
    say(printable(answer?.refused ?? 'The server stopped before it answered. Try again.'))
    return 1
  }
  if (word === 'install' || word === 'back') {
    return follow(config, answer.last?.id, terminal)
  }
  linesOf(answer).map(printable).forEach(say)
  return answer.problem === null ? 0 : 1
}
