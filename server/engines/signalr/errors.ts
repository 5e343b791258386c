/**
 * Errors raised by the engine. Their names are the short class names of the reference server, because clients see them
 * (with detailed errors on) and people search for them.
 */

import { HubException } from './hub.ts'

/** The peer sent data that the protocol does not allow, or that could not be bound. */
export class InvalidDataException extends Error {
  override name = 'InvalidDataException'
}

export class InvalidOperationException extends Error {
  override name = 'InvalidOperationException'
}

export class OperationCanceledException extends Error {
  override name = 'OperationCanceledException'
}

/** Converts any thrown value to an Error; hub code may throw anything. */
export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}

/** Text of a failure for the client: with details only for a HubException, or if details are switched on. */
export function describe(base: string, thrown: unknown, detailed: boolean): string {
  if (!detailed && !(thrown instanceof HubException)) {
    return base
  }
  const error = toError(thrown)
  return `${base} ${error.name}: ${error.message}`
}
