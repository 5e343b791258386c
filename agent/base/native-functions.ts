// Bundles have a `createRequire` of their own.
import { createRequire as requireFrom } from 'node:module'
import type koffi from 'koffi'

export type Koffi = typeof koffi

export interface NativeFunctions<T> {
  (): Promise<T>
  /** For callers that cannot wait. */
  now: () => T
}

/** Binds functions of the system on first use; functions of other systems are never loaded. */
export function nativeFunctions<T>(bind: (koffi: Koffi) => T): NativeFunctions<T> {
  let functions: T | undefined
  const now = () => (functions ??= bind(requireFrom(import.meta.url)('koffi') as Koffi))
  return Object.assign(async () => now(), { now })
}

/** Declares a type that several bindings use: koffi rejects a second type of the same name. */
export function nativeType<T>(declare: (koffi: Koffi) => T): (koffi: Koffi) => T {
  let type: T | undefined
  return (koffi) => (type ??= declare(koffi))
}
