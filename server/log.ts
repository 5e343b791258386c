import type { Actor } from './actor.ts'
import { pino, stdTimeFunctions, type DestinationStream } from 'pino'

/** Interface of the logger: fields first, then the sentence. */
export interface Log {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
  child(fields: object): Log
}

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

/** JSON lines to `destination` (standard output when omitted), secrets redacted. */
export function createLog(level: string, destination?: DestinationStream): Log {
  return pino(
    {
      level,
      base: null,
      // Names and browsers of actors are in the audit log.
      serializers: { actor: ({ type, id, remoteAddress }: Actor) => ({ type, id, remoteAddress }) },
      timestamp: stdTimeFunctions.isoTime,
      redact: { paths: secretNames.flatMap(atDepths), censor: '[redacted]' },
    },
    destination,
  )
}
