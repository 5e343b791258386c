import type { Config } from '../settings/config.ts'
import { ConfigError } from '../settings/config-error.ts'
import { askRescue } from '../surface/control-answers.ts'
import { holdsDatabase } from '../engines/database/folder.ts'
import { installation } from '../engines/process/installation.ts'
import { openApp, type Dependencies, type Stop } from '../open-app.ts'
import { printable } from '../ground/printable.ts'
import { rescue, type RescueAccount, type RescueAnswer, type RescueRequest } from './rescue.ts'
import { dependencies, noData, type Terminal } from '../surface/command.ts'

export const usage = `Usage: ${installation.program} account COMMAND [ADDRESS] [--config FILE]

The way back in, for whoever may read the data folder. Works while the server runs, too.

  list                          shows every account
  reset-password ADDRESS        sets a temporary password, which is shown once
  disable-two-factor ADDRESS    turns two-factor authentication off
  make-administrator ADDRESS    gives the account every right

Each is logged, and every administrator is notified.`

/** Parses the arguments after `account`; undefined without any. Throws a `ConfigError` for others. */
export function parseAccountCommand([command, email, ...more]: readonly string[]): RescueRequest | undefined {
  const wrong = (message: string) => new ConfigError([{ key: 'account', source: 'command line', message }])
  if (command === undefined) {
    return undefined
  }
  if (command === 'list' && email === undefined) {
    return { command }
  }
  if (command !== 'reset-password' && command !== 'disable-two-factor' && command !== 'make-administrator') {
    throw wrong('needs list, reset-password, disable-two-factor or make-administrator; --help explains them')
  }
  if (email === undefined || email.startsWith('-') || more.length > 0) {
    throw wrong(`${command} needs the address of one account; "account list" shows them`)
  }
  return { command, email: email.trim().toLowerCase() }
}

/** Opens the data folder without serving anything. */
async function rescueStopped(config: Config, deps: Dependencies, request: RescueRequest): Promise<RescueAnswer> {
  const stops: Stop[] = []
  try {
    const { app } = await openApp(config, deps, (stop) => void stops.push(stop))
    return await rescue(app, request)
  } finally {
    for (const stop of stops.toReversed()) {
      await stop()
    }
  }
}

/** Carries out a command: in the server that runs on the data folder, else by opening the folder. */
export async function rescueIn(config: Config, deps: Dependencies, request: RescueRequest): Promise<RescueAnswer> {
  const { dataDirectory } = config
  const answer = await askRescue(dataDirectory, request)
  if (answer) {
    return answer
  }
  if (!holdsDatabase(dataDirectory)) {
    throw noData(dataDirectory)
  }
  return rescueStopped(config, deps, request)
}

const minutes = (at: number | null) => (at === null ? 'never' : `${new Date(at).toISOString().slice(0, 16)}Z`)

function table(accounts: readonly RescueAccount[], now: number): string[] {
  const rows = accounts.map((account) => [
    account.email,
    account.organization,
    account.isAdministrator ? 'administrator' : account.isInvited ? 'invited' : 'member',
    account.hasTwoFactor ? 'on' : 'off',
    minutes(account.lastLogin),
    account.lockedUntil !== null && account.lockedUntil > now ? `until ${minutes(account.lockedUntil)}` : '',
  ])
  const all = [['ADDRESS', 'ORGANIZATION', 'ROLE', 'TWO-FACTOR', 'LAST SIGN-IN', 'LOCKED'], ...rows]
  const widths = all[0]!.map((_, column) => Math.max(...all.map((row) => row[column]!.length)))
  return all.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  )
}

const ended = 'Their sessions have ended.'

export function linesOf(request: RescueRequest, answer: RescueAnswer, now: number): string[] {
  if ('problem' in answer) {
    return [answer.problem]
  }
  if ('accounts' in answer) {
    return table(answer.accounts, now)
  }
  if (answer.temporaryPassword !== undefined) {
    return [
      `Temporary password of ${answer.email}: ${answer.temporaryPassword}`,
      `It is shown once, and must be changed at the next sign-in. ${ended}`,
    ]
  }
  return request.command === 'disable-two-factor'
    ? [`Two-factor authentication of ${answer.email} is off. ${ended}`]
    : [`${answer.email} is an administrator now.`]
}

/** Runs `account` with its arguments; returns the exit status. */
export async function accountCommand(args: readonly string[], { say, loadConfig }: Terminal): Promise<number> {
  const request = parseAccountCommand(args)
  if (!request) {
    say(usage)
    return 0
  }
  const answer = await rescueIn(loadConfig(), dependencies(), request)
  linesOf(request, answer, Date.now()).map(printable).forEach(say)
  return 'problem' in answer ? 1 : 0
}
