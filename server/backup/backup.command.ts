import { plural } from '../../shared/plural.ts'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { actorAtComputer } from '../ground/actor.ts'
import type { App } from '../call/call.ts'
import type { Config } from '../settings/config.ts'
import { ConfigError } from '../settings/config-error.ts'
import { callServer } from '../engines/process/control-channel.ts'
import { holdsDatabase, isLocked } from '../engines/database/folder.ts'
import { installation } from '../engines/process/installation.ts'
import { migrations } from '../engines/database/migrations/index.ts'
import { openApp, type Dependencies, type Stop } from '../open-app.ts'
import { printable } from '../ground/printable.ts'
import { restore } from './stage-restore.ts'
import { moveSecrets } from './move-secrets.ts'
import { joinSecrets } from './share-secrets.ts'
import { BackupAnswer, backupCommand, type BackupRequest } from './control-command.ts'
import { StartError } from '../ground/start-error.ts'
import { dependencies, noData, type Terminal } from '../surface/command.ts'

const { program } = installation

export const usage = `Usage: ${program} backup [FILE|FOLDER]        writes a backup, into the backup folder unless another place is named
       ${program} backup check               opens the newest backup and checks that it can be restored
       ${program} restore FILE               puts a backup in place of the data; asks for the recovery key
       ${program} recovery-key               tells which recovery key opens new backups
       ${program} recovery-key new           makes another one, which is shown once
       ${program} recovery-key check         checks that you have it
       ${program} secrets keychain|file      moves the secrets of a stopped server
       ${program} secrets share FILE         writes the secrets for another server of the same database, and shows their key
       ${program} secrets join FILE          gives a new data folder these secrets; asks for the key

All but restore, secrets keychain, file and join work while the server runs, too. --config FILE names the settings file.`

type Request =
  | BackupRequest
  | { command: 'restore'; path: string }
  | { command: 'secrets'; place: 'keychain' | 'file' }
  | { command: 'secrets-join'; path: string }

/** Parses the command and its arguments. Throws a `ConfigError` for others. */
export function parseBackupCommand([command, first, ...more]: readonly string[]): Request {
  const wrong = (message: string) => new ConfigError([{ key: String(command), source: 'command line', message }])
  if (first === undefined && (command === 'restore' || command === 'secrets')) {
    const missing = command === 'restore' ? 'the file of a backup' : 'keychain, file, share FILE or join FILE'
    throw wrong(`needs ${missing}; "${command} --help" explains it`)
  }
  const [file] = more
  if (command === 'secrets' && (first === 'share' || first === 'join') && file !== undefined && more.length === 1) {
    const path = resolve(file)
    return first === 'share' ? { command: 'secrets-share', path } : { command: 'secrets-join', path }
  }
  if (more.length > 0 || first?.startsWith('-')) {
    throw wrong(`takes one argument; "${command} --help" explains it`)
  }
  if (command === 'backup') {
    return first === 'check' ? { command: 'backup-check' } : { command, ...(first && { target: resolve(first) }) }
  }
  if (command === 'restore') {
    return { command, path: resolve(first!) }
  }
  if (command === 'secrets' && (first === 'keychain' || first === 'file')) {
    return { command, place: first }
  }
  if (command === 'recovery-key') {
    if (first === undefined) {
      return { command }
    }
    if (first === 'new') {
      return { command: 'recovery-key-new' }
    }
    if (first === 'check') {
      return { command: 'recovery-key-check', recoveryKey: '' }
    }
  }
  throw wrong(`does not know ${first}; "${command} --help" explains it`)
}

/** Opens the data folder without serving anything. */
async function whileStopped<T>(config: Config, deps: Dependencies, work: (app: App) => Promise<T>): Promise<T> {
  const stops: Stop[] = []
  try {
    const { app } = await openApp(config, deps, (stop) => void stops.push(stop))
    return await work(app)
  } finally {
    for (const stop of stops.toReversed()) {
      await stop()
    }
  }
}

const startWaitMs = 60_000
const pollMs = 200

/** Answer of the server that runs on the data folder, or starts there within a minute; undefined without one. */
async function askServer({ dataDirectory, cluster }: Config, { log }: Dependencies, request: BackupRequest) {
  /** Instructions for several servers start the first one in the line before. */
  const mayBeFirstStart = () =>
    request.command === 'secrets-share' && cluster.redisUrl !== undefined && !holdsDatabase(dataDirectory)
  for (let waitedMs = 0; ; waitedMs += pollMs) {
    const answer = await callServer(dataDirectory, request)
    if (answer !== undefined || waitedMs >= startWaitMs || !((await isLocked(dataDirectory)) || mayBeFirstStart())) {
      return answer
    }
    if (waitedMs === 0) {
      log.warn(
        {},
        `Waiting up to ${startWaitMs / 1000} s for the server of ${dataDirectory}, which has not started yet.`,
      )
    }
    await sleep(pollMs)
  }
}

async function carryOut(config: Config, deps: Dependencies, request: BackupRequest): Promise<string[]> {
  const { dataDirectory } = config
  const running = await askServer(config, deps, request)
  if (running === undefined && !holdsDatabase(dataDirectory)) {
    throw noData(dataDirectory)
  }
  const answer = BackupAnswer.parse(running ?? (await whileStopped(config, deps, (app) => backupCommand(app, request))))
  if ('problem' in answer) {
    throw new StartError(answer.problem)
  }
  return answer.lines
}

/** First line of standard input. Throws a `StartError` where it ends without one. */
async function ask(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stdin.isTTY ? process.stdout : undefined })
  lines.setPrompt(`${question}: `)
  lines.prompt()
  try {
    const { done, value } = await lines[Symbol.asyncIterator]().next()
    if (done === true) {
      throw new StartError(`${question} is missing: type it, or pass it on standard input.`)
    }
    // The line of the command that showed the key, copied whole or piped.
    return value.replace(`${question}: `, '')
  } finally {
    lines.close()
  }
}

async function restoreFrom(config: Config, { log, secretStore }: Dependencies, path: string): Promise<string[]> {
  if (!existsSync(path)) {
    throw new StartError(`There is no file ${path}.`)
  }
  const { counts, createdAt, computer, aside, settings } = await restore({
    path,
    recoveryKey: await ask('Recovery key'),
    directory: config.dataDirectory,
    migrations: migrations.map(({ name }) => name),
    appVersion: installation.version,
    ...(secretStore && { secretStore }),
    log,
    now: Date.now(),
    actor: actorAtComputer,
  })
  return [
    `Restored the backup of ${createdAt} from ${computer}: ${plural(counts.people, 'account', 'accounts')}, ${plural(counts.devices, 'device', 'devices')}.`,
    ...(aside === undefined ? [] : [`The data that was there before is in ${aside}.`]),
    ...(settings.length === 0
      ? []
      : [
          `Settings of that server are in settings-from-backup.json of the data folder: start with --config and that file to use them.`,
        ]),
    'Start the server. Devices come back by themselves where it has the same address.',
  ]
}

const places = { keychain: 'the keychain', file: 'a key file in the data folder' }

async function secretsMoved(config: Config, deps: Dependencies, place: keyof typeof places): Promise<string[]> {
  if (!(await moveSecrets(config.dataDirectory, place, deps.log))) {
    return [`The secrets are in ${places[place]} already.`]
  }
  // Opens the data with the secrets from their new place, and records the move.
  await whileStopped(config, deps, async () => {})
  return [`The secrets are in ${places[place]} now.`]
}

async function secretsJoined(config: Config, { log, secretStore }: Dependencies, path: string): Promise<string[]> {
  if (config.cluster.redisUrl === undefined) {
    throw new StartError(
      'Only servers of one database share secrets. Set Service_POSTGRES_HOST and Service_Cluster__RedisUrl first.',
    )
  }
  const typed = await ask('Key of the secrets')
  const computer = await joinSecrets(config.dataDirectory, path, { typed, secretStore, log, now: Date.now() })
  return [`This data folder has the secrets of the server on ${computer} now. Start the server.`]
}

async function linesOf(config: Config, deps: Dependencies, request: Request) {
  switch (request.command) {
    case 'restore':
      return restoreFrom(config, deps, request.path)
    case 'secrets':
      return secretsMoved(config, deps, request.place)
    case 'secrets-join':
      return secretsJoined(config, deps, request.path)
    case 'recovery-key-check':
      return carryOut(config, deps, { ...request, recoveryKey: await ask('Recovery key') })
    default:
      return carryOut(config, deps, request)
  }
}

/** Runs a command about backups with its arguments; returns the exit status. Throws a `StartError` with the reason. */
export async function runBackupCommand(args: readonly string[], { say, loadConfig }: Terminal): Promise<number> {
  const request = parseBackupCommand(args)
  const lines = await linesOf(loadConfig(), dependencies(), request)
  lines.map(printable).forEach(say)
  return 0
}
