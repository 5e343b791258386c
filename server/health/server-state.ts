import { open } from 'node:fs/promises'
import { hostname, release, type } from 'node:os'
import { sizeOf } from '../engines/database/folder.ts'
import { instant } from '../ground/instant.ts'
import type { ServerLogDto } from '../../shared/dtos/server-setting.ts'
import type { App, Call } from '../call/call.ts'

/** Whether the server can store what is sent to it. */
export async function storageState({
  database,
  diskSpace,
}: Pick<App, 'database' | 'diskSpace'>): Promise<'ok' | 'low' | 'damaged'> {
  if (database.damage() !== undefined) {
    return 'damaged'
  }
  return (await diskSpace.isLow()) ? 'low' : 'ok'
}

/** Sizes and connections at this moment. */
export async function serverState({ app }: Call) {
  const { config, database, hubs, fleet, remoteSessions, mail, logFile } = app
  const stored = await database.size()
  // Only the oldest events are removed, so the ids count them.
  const [events] = await database.all<{ count: number }>(
    'SELECT ifnull(max(id) - min(id) + 1, 0) AS count FROM audit_events',
  )
  return {
    version: app.version,
    startedAt: instant(app.startedAt),
    computer: hostname(),
    system: `${type()} ${release()}`,
    runtime: process.version,
    settingsFile: config.settingsFile ?? null,
    dataDirectory: config.dataDirectory,
    secretStore: app.secretStore,
    databaseBytes: stored.bytes,
    databaseLogBytes: stored.kind === 'file' ? stored.logBytes : 0,
    freeBytes: (await app.diskSpace.read())?.free ?? null,
    logBytes: logFile ? await sizeOf(logFile.path) : null,
    auditEvents: events?.count ?? 0,
    connections: {
      agents: fleet.onlineCount,
      viewers: [...hubs.viewer.connected()].length,
      sessions: [...remoteSessions].length,
    },
    isMailOn: mail.isOn,
  }
}

/** Most bytes read from the end of the log, and most lines returned. */
const tailBytes = 1024 * 1024
const mostLines = 500

/** End of a file as text, beginning with a whole line. */
async function tailOf(path: string): Promise<string> {
  await using file = await open(path, 'r')
  const { size } = await file.stat()
  const start = Math.max(0, size - tailBytes)
  const buffer = Buffer.alloc(size - start)
  const { bytesRead } = await file.read(buffer, 0, buffer.length, start)
  const text = buffer.subarray(0, bytesRead).toString()
  return start === 0 ? text : text.slice(text.indexOf('\n') + 1)
}

const levels = { debug: 20, info: 30, warn: 40, error: 50 } as const
type Level = keyof typeof levels

type LogLine = ServerLogDto['items'][number]

/** Reads a line as the log writes it; other text is a message. */
function lineOf(text: string): LogLine {
  try {
    const { level, time, msg, ...fields } = JSON.parse(text) as Record<string, unknown>
    const known = (['error', 'warn', 'info'] as const).find(
      (name) => typeof level === 'number' && level >= levels[name],
    )
    return {
      at: typeof time === 'string' && !Number.isNaN(Date.parse(time)) ? new Date(time).toISOString() : null,
      level: known ?? 'debug',
      message: typeof msg === 'string' ? msg : '',
      fields: Object.keys(fields).length === 0 ? '' : JSON.stringify(fields),
    }
  } catch {
    return { at: null, level: 'info', message: text, fields: '' }
  }
}

/** Newest lines of the log, newest first. */
export async function serverLog({ app: { logFile } }: Pick<Call, 'app'>, lowest: Level, search: string) {
  if (logFile === undefined) {
    return { isKept: false, items: [] }
  }
  const text = await tailOf(logFile.path).catch(() => '')
  const wanted = search.toLowerCase()
  const items: LogLine[] = []
  for (const raw of text.trimEnd().split('\n').toReversed()) {
    const line = lineOf(raw)
    if (raw !== '' && levels[line.level] >= levels[lowest] && raw.toLowerCase().includes(wanted)) {
      items.push(line)
    }
    if (items.length === mostLines) {
      break
    }
  }
  return { isKept: true, items }
}
