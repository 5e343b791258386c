import type koffi from 'koffi'

export type Koffi = typeof koffi

/** Binds functions of the system on first use; functions of other systems are never loaded. */
export function nativeFunctions<T>(bind: (koffi: Koffi) => T): () => Promise<T> {
  let functions: Promise<T> | undefined
  return () => (functions ??= import('koffi').then(({ default: loaded }) => bind(loaded)))
}

/** Declares a type that several bindings use: koffi rejects a second type of the same name. */
export function nativeType<T>(declare: (koffi: Koffi) => T): (koffi: Koffi) => T {
  let type: T | undefined
  return (koffi) => (type ??= declare(koffi))
}
