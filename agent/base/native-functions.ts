import type koffi from 'koffi'

export type Koffi = typeof koffi

/** Functions of the system, loaded when they are first needed: what is of another system is never loaded. */
export function nativeFunctions<T>(bind: (koffi: Koffi) => T): () => Promise<T> {
  let functions: Promise<T> | undefined
  return () => (functions ??= import('koffi').then(({ default: loaded }) => bind(loaded)))
}
