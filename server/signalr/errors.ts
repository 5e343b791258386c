/**
 * The errors the engine raises itself. Their names are the short class names of the reference server, because clients
 * are shown them (with detailed errors on) and people search for them.
 */

import { HubException } from './hub.ts'

/** The peer sent what the protocol does not allow, or what could not be bound. */
export class InvalidDataException extends Error {
  override name = 'InvalidDataException'
}

export class InvalidOperationException extends Error {
  override name = 'InvalidOperationException'
}

export class OperationCanceledException extends Error {
  override name = 'OperationCanceledException'
}

/** What was thrown, as an Error; hub code may throw anything. */
export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown))
}

/** The text of a failure for the other end: detail only where it was meant to be shown, or is switched on. */
export function describe(base: string, thrown: unknown, detailed: boolean): string {
  if (!detailed && !(thrown instanceof HubException)) {
    return base
  }
  const error = toError(thrown)
  return `${base} ${error.name}: ${error.message}`
}
