import type { Actor } from './actor.ts'
import { pino, stdSerializers, stdTimeFunctions, type DestinationStream, type Logger } from 'pino'

/** Interface of the logger: fields first, then the sentence. */
export interface Log {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
  /** A log with standing fields. A `category` has its own lowest level. */
  child(fields: { category: LogCategory }): Log
}

/** Parts of the server whose lowest level can be set. */
export const logCategories = ['Audit', 'Database', 'Hubs', 'Listening', 'Mail', 'Relay', 'Requests'] as const
export type LogCategory = (typeof logCategories)[number]

/** A written line, as its reader gets it. */
export interface LogLine {
  level: number
  time: string
  msg?: string
  err?: { type?: string; message?: string; stack?: string }
  [field: string]: unknown
}

export interface RootLog extends Log {
  /** Calls `listener` with each written line, its secrets redacted. Returns a function that ends it. */
  follow?(listener: (line: LogLine) => void): () => void
}

const pinoLevels = {
  Trace: 'trace',
  Debug: 'debug',
  Information: 'info',
  Warning: 'warn',
  Error: 'error',
  Critical: 'fatal',
  None: 'silent',
} as const
export type LogLevel = keyof typeof pinoLevels

/** Lowest levels by category, in lower case. */
export type LogLevels = Readonly<{ default: LogLevel } & Record<string, LogLevel>>

/** Member names whose values are redacted from log lines, at every logged depth. */
const secretNames = [
  'password',
  'currentPassword',
  'newPassword',
  'installerKeySecret',
  'keySecret',
  'secret',
  'token',
  'logonToken',
  'accessToken',
  'refreshToken',
  'resetCode',
  'twoFactorCode',
  'twoFactorRecoveryCode',
  'sharedKey',
  'recoveryCodes',
  'plainTextToken',
  'plainTextSecretKey',
  'cookie',
  'authorization',
  '["set-cookie"]',
  '["x-api-key"]',
  '["x-personal-token"]',
  '["x-page-key"]',
  '["sec-websocket-protocol"]',
  'pageTicket',
]

const atDepths = (name: string) => {
  const dotted = name.startsWith('[') ? name : `.${name}`
  return [name, `*${dotted}`, `*.*${dotted}`]
}

/** Members of errors of the ORM that hold statements and their values. */
const statementMembers = ['sql', 'parameters', 'bind', 'parent', 'original', 'errors', 'instance']

/** An error for the log; of failed database work only the message, because values of a statement can be secrets. */
function withoutStatements(error: Error) {
  const written = { ...stdSerializers.err(error) }
  if ('sql' in error) {
    statementMembers.forEach((name) => delete written[name])
  }
  return written
}

/** JSON lines to `destination` (standard output when omitted), secrets redacted. `hasDatabaseDetails` logs statements. */
export function createLog(
  levels: LogLevels,
  destination: DestinationStream = process.stdout,
  { hasDatabaseDetails = false } = {},
): RootLog {
  const listeners = new Set<(line: LogLine) => void>()
  const write = (text: string) => {
    destination.write(text)
    if (listeners.size > 0) {
      const line = JSON.parse(text) as LogLine
      listeners.forEach((listener) => listener(line))
    }
  }
  const root = pino(
    {
      level: pinoLevels[levels.default],
      base: null,
      // Names and browsers of actors are in the audit log.
      serializers: {
        actor: ({ type, id, remoteAddress }: Actor) => ({ type, id, remoteAddress }),
        err: (error: Error) => (hasDatabaseDetails ? stdSerializers.err(error) : withoutStatements(error)),
      },
      timestamp: stdTimeFunctions.isoTime,
      redact: { paths: secretNames.flatMap(atDepths), censor: '[redacted]' },
    },
    { write },
  )
  const log = (from: Logger): Log => ({
    debug: (fields, message) => from.debug(fields, message),
    info: (fields, message) => from.info(fields, message),
    warn: (fields, message) => from.warn(fields, message),
    error: (fields, message) => from.error(fields, message),
    child: (fields) =>
      log(from.child(fields, { level: pinoLevels[levels[fields.category.toLowerCase()] ?? levels.default] })),
  })
  return {
    ...log(root),
    follow(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
