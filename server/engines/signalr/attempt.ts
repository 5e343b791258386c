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
