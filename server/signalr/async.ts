/** True for anything `await` would wait for. Lets the engine go on in the same tick when there is nothing to wait for. */
export function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
}

/**
 * Runs code of the hub and passes on what it returns or throws: in the same tick, unless it returns a promise. Then the
 * promise that comes back resolves after `onResult` or `onError` has run.
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

/** A promise that is settled from outside. */
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
