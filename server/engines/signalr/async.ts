/** True for any value that `await` would wait for. The engine continues in the same tick for all other values. */
export function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
}

/**
 * Runs code of the hub and passes on its result or error: in the same tick, unless the code returns a promise. The
 * returned promise resolves after `onResult` or `onError` has run.
 */
export function attempt<T>(
  run: () => T | PromiseLike<T>,
  onResult: (result: T) => void,
  onError: (thrown: unknown) => void,
): PromiseLike<void> | undefined {
  let result
  try {
    result = run()
  } catch (thrown) {
    onError(thrown)
    return undefined
  }
  if (isPromiseLike(result)) {
    return result.then(onResult, onError)
  }
  onResult(result)
  return undefined
}

/** Promise with its resolvers outside. */
export interface Deferred<T = void> {
  readonly promise: Promise<T>
  readonly resolve: (value: T) => void
  readonly reject: (error: Error) => void
}

export function defer<T = void>(): Deferred<T> {
  let resolve!: (value: T) => void
  let reject!: (error: Error) => void
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve
    reject = onReject
  })
  return { promise, resolve, reject }
}
